/* A shared service whose driver does not come back, and one that is well. HALYARD_SERVICE_PATIENCE
 * is a second. */
#include "shared_service.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { HUNG_STATUS = 3 };

static bool write_manifest(const char *path, const char *fault)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\"}}}",
            FAULTY_DRIVER, fault);
    return fclose(file) == 0;
}

TEST(shared_hung, call_that_does_not_come_back_is_logged_and_ends_the_service_at_last)
{
    struct shared_service service;
    char manifest[96];
    const char *const arguments[] = {"--manifest", manifest, NULL};
    int status;

    REQUIRE(shared_service_init(&service));
    snprintf(manifest, sizeof manifest, "%s/acme.json", service.dir);
    REQUIRE(write_manifest(manifest, "create-hangs"));
    EXPECT(!shared_service_start(&service, arguments, &status));
    EXPECT_INT(status, HUNG_STATUS);
    EXPECT_INT(shared_service_count(&service, "create of the driver has not returned for 1 s"), 1);
    EXPECT_INT(shared_service_count(&service, "create of the driver has not returned for 2 s"), 1);
    EXPECT_INT(shared_service_count(&service, "create of the driver has not returned for 3 s"), 0);
    EXPECT_INT(
        shared_service_count(&service, "the service ends: create of the driver has not returned"),
        1);
    shared_service_finish(&service);
}

static bool next_notice_is(const struct shared_service *service, const char *text)
{
    struct pollfd position = {.fd = service->notified, .events = POLLIN};
    char word[64] = "";

    return poll(&position, 1, TIMEOUT_MS) == 1 &&
           recv(service->notified, word, sizeof word - 1, 0) > 0 && strcmp(word, text) == 0;
}

TEST(shared_hung, service_that_is_well_tells_its_manager_again_and_again)
{
    static const char *const cpu[] = {"--cpu", NULL};
    struct shared_service service;
    int status;

    setenv("WATCHDOG_USEC", "60000", 1);
    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    for (int i = 0; i < 5; i++)
        EXPECT(next_notice_is(&service, "WATCHDOG=1"));
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    shared_service_finish(&service);
    unsetenv("WATCHDOG_USEC");
}

/* Its host no longer tells that it is alive, and nobody tells it in its place. */
TEST(shared_hung, service_whose_process_is_stuck_is_silent)
{
    static const char *const cpu[] = {"--cpu", NULL};
    struct shared_service service;
    int status;

    setenv("WATCHDOG_USEC", "60000", 1);
    REQUIRE(shared_service_init(&service));
    REQUIRE(shared_service_start(&service, cpu, &status));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGSTOP);
    char word[64];
    struct pollfd position = {.fd = service.notified, .events = POLLIN};
    while (poll(&position, 1, 500) == 1) /* what was under way; a stopped one is silent for ever */
        (void)recv(service.notified, word, sizeof word, 0);
    EXPECT_INT(poll(&position, 1, 200), 0);
    kill(host, SIGCONT);
    EXPECT(next_notice_is(&service, "WATCHDOG=1"));
    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    shared_service_finish(&service);
    unsetenv("WATCHDOG_USEC");
}
