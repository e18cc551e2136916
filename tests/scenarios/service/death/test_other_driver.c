/* A driver whose library is another one when its process is started again. */
#include "death_trigger.h"
#include "lifecycle.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BOUND_MS = 60000 };

static void log_nothing(void *context, int32_t level, const char *text)
{
    (void)context, (void)level, (void)text;
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = log_nothing};

/* Puts a library there as a new file: processes that have the old one keep it. */
static bool install(const char *library, const char *path)
{
    const int from = open(library, O_RDONLY | O_CLOEXEC);
    struct stat info;

    (void)unlink(path);
    const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool good = from >= 0 && to >= 0 && fstat(from, &info) == 0;
    for (off_t at = 0; good && at < info.st_size;)
        good = sendfile(to, from, &at, (size_t)(info.st_size - at)) > 0;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return good;
}

static void kill_and_wait(struct hy_service *service)
{
    struct hy_service_info info;

    hy_service_get_info(service, &info);
    if (info.pid > 0)
        kill(info.pid, SIGKILL);
    for (int ms = 0; ms < BOUND_MS && info.pid > 0; ms++) {
        poll(NULL, 0, 1);
        hy_service_get_info(service, &info);
    }
}

static bool is_back_off(const char *message)
{
    return strstr(message, "the next start is allowed in") ||
           strstr(message, "next attempt follows in");
}

/* What preparing gives, with its message. Back-off is waited for. */
static int32_t prepare(struct hy_service *service, char *message, uint32_t size)
{
    struct hy_builder builder;
    const struct hy_builder_type floats = {.type = 3, .rank = 1, .dims = {LIFECYCLE_EXTENT}};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .preference = HY_PREFER_FAST_SINGLE_ANSWER,
                                               .priority = HY_PRIORITY_MEDIUM,
                                               .deadline = HY_NO_DEADLINE,
                                               .message = {message, size}};
    const struct hy_device *table = NULL;
    void *device = NULL, *prepared = NULL;
    int32_t status;

    hy_builder_init(&builder);
    const uint32_t a = hy_builder_input(&builder, &floats), b = hy_builder_input(&builder, &floats);
    const uint32_t inputs[] = {a, b, hy_builder_int(&builder, 0)};
    const uint32_t sum = hy_builder_output(&builder, &floats);
    hy_builder_operation(&builder, 0, 3, inputs, 1, &sum);
    (void)hy_service_driver()->device(service, 0, &table, &device);
    for (int ms = 0; ms < BOUND_MS; ms++) {
        message[0] = '\0';
        status = table->prepare(device, hy_builder_model(&builder), &options, &prepared);
        if (status != HY_STATUS_DEVICE_UNAVAILABLE || !is_back_off(message))
            break;
        poll(NULL, 0, 1);
    }
    if (status == HY_STATUS_OK)
        table->prepared_destroy(prepared);
    hy_builder_finish(&builder);
    return status;
}

TEST(service_other_driver, device_whose_driver_is_another_one_is_out_of_order_until_that_is_back)
{
    char dir[] = "/tmp/halyard-other-XXXXXX", library[64], message[512];
    const struct hy_service_settings settings = {.program = getenv("HALYARD_DRIVERD"),
                                                 .hang_timeout_seconds = 120};
    struct hy_service *service = NULL;
    struct hy_error err = {0};
    REQUIRE(mkdtemp(dir) != NULL);
    snprintf(library, sizeof library, "%s/driver.so", dir);
    const struct hy_service_launch launch = {.library = library, .arguments = "{}"};

    EXPECT(install(FAULTY_DRIVER, library));
    const enum hy_code code = hy_service_open(&launch, &settings, &host, &service, &err);
    EXPECT_STR(err.text, "");
    if (code == HY_OK) {
        EXPECT_INT(prepare(service, message, sizeof message), HY_STATUS_OK);
        kill_and_wait(service);
        EXPECT_INT(prepare(service, message, sizeof message), HY_STATUS_OK); /* the same one */
        EXPECT(install(SAMPLE_DRIVER, library));
        kill_and_wait(service);
        EXPECT_INT(prepare(service, message, sizeof message), HY_STATUS_DEVICE_UNAVAILABLE);
        EXPECT_STR(message,
                   "the driver faulty was replaced by the driver halyard-sample, restart the app");
        EXPECT(install(FAULTY_DRIVER, library));
        EXPECT_INT(prepare(service, message, sizeof message), HY_STATUS_OK);
        hy_service_driver()->destroy(service);
    }
    unlink(library);
    rmdir(dir);
}
