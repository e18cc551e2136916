/* A driver in the app's process that takes longer than HALYARD_SERVICE_PATIENCE, which is a second
 * here: the log names device and function while the app waits. */
#include "tests/kit/child_log.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/cached_add.h"

#include <stdlib.h>
#include <unistd.h>

static void write_manifest(const char *path, const char *fault)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"acme\"}}}",
            FAULTY_DRIVER_PATH, fault);
    fclose(file);
}

/* The child of a test: a process looks for devices once. */
static void compute(void)
{
    const ANeuralNetworksDevice *device = device_named("acme");

    if (!device || !cached_add_run(&device, 1, NULL).is_right)
        _exit(1);
}

static void run_with(const char *fault, char *text, size_t size)
{
    char path[] = "/tmp/halyard-hung-XXXXXX";
    const int fd = mkstemp(path);

    REQUIRE(fd >= 0);
    close(fd);
    write_manifest(path, fault);
    setenv("HALYARD_DRIVER_FILES", path, 1);
    setenv("HALYARD_SERVICE_PATIENCE", "1", 1);
    hy_child_log("warning", "text", compute, text, size);
    unlink(path);
}

TEST(hung_calls, slow_execution_is_logged_with_device_and_function_and_again_at_twice_the_age)
{
    char text[4096];

    run_with("execute-slow", text, sizeof text);
    EXPECT_CONTAINS(text, "acme: execute has not returned for 1 s");
    EXPECT_CONTAINS(text, "acme: execute has not returned for 2 s");
}

TEST(hung_calls, slow_preparation_is_logged_with_device_and_function)
{
    char text[4096];

    run_with("prepare-slow", text, sizeof text);
    EXPECT_CONTAINS(text, "acme: prepare has not returned for 1 s");
}

TEST(hung_calls, driver_that_comes_back_in_time_is_not_logged)
{
    char text[4096];

    run_with("none", text, sizeof text);
    EXPECT_STR(text, "");
}
