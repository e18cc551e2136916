/* What a driver in a process of its own asks of the app: lines in its log, and powers. */
#include "plugins/service/client/service.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PER_SECOND = 100 };

/* What came into the log of the app. */
static struct {
    pthread_mutex_t lock;
    unsigned lines[4];
    size_t longest;
    unsigned reports; /* lines that say how many others are missing */
    bool has_warned;  /* of the first that is missing */
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    pthread_mutex_lock(&logged.lock);
    logged.lines[level]++;
    logged.longest = strlen(text) > logged.longest ? strlen(text) : logged.longest;
    logged.reports += strstr(text, " lines were dropped from the log") != NULL;
    logged.has_warned =
        logged.has_warned || strstr(text, " lines in a second; further lines are dropped");
    pthread_mutex_unlock(&logged.lock);
}

static const struct hy_host host = {
    .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
static const struct hy_service_settings settings = {.program = DRIVERD_PATH,
                                                    .hang_timeout_seconds = 60};

/* Until the next call; the driver always refuses in the end, and says how the deed went. */
static const char *result_of(const char *deed, uint32_t capabilities)
{
    char arguments[128];
    const struct hy_service_launch launch = {
        .library = HOSTILE_PATH, .arguments = arguments, .capabilities = capabilities};
    static struct hy_error err;
    struct hy_service *service = NULL;

    snprintf(arguments, sizeof arguments, "{\"argument\":\"\",\"deed\":\"%s\"}", deed);
    EXPECT_INT(hy_service_open(&launch, &settings, &host, &service, &err), HY_FAILED);
    return err.text;
}

static unsigned seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (unsigned)(now.tv_sec - start->tv_sec) + 1;
}

/* By frames of its own making, so the host in its process has no say in it. */
TEST(driverd_demands, flood_of_lines_is_cut_and_counted)
{
    struct timespec start;

    clock_gettime(CLOCK_BOOTTIME, &start);
    EXPECT_CONTAINS(result_of("flood_log", 0), "flood_log came to 0");
    const unsigned most = (seconds_since(&start) + 1) * (PER_SECOND + 2);
    for (int32_t level = HY_LOG_ERROR; level <= HY_LOG_DEBUG; level++) {
        if (logged.lines[level] > most || logged.lines[level] < PER_SECOND)
            hy_test_fail(__FILE__, __LINE__, "%u lines of level %d, expected %u to %u",
                         logged.lines[level], level, PER_SECOND, most);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
    EXPECT(logged.longest < 1024);
    EXPECT(logged.has_warned);
    EXPECT(logged.reports >= 4); /* the process has ended */
}

/* What a shared service whose driver logs as often writes to its own log; NULL: it did not start.
 */
static FILE *log_of_service(const char *dir)
{
    char command[1024], path[128];

    snprintf(path, sizeof path, "%s/hostile.json", dir);
    FILE *manifest = fopen(path, "w");
    if (!manifest)
        return NULL;
    fprintf(
        manifest,
        "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\",\"abi\":\"1.0\","
        "\"arguments\":{\"argument\":\"\",\"deed\":\"log_often\"}}}",
        HOSTILE_PATH);
    fclose(manifest);
    snprintf(command, sizeof command, "'%s' --shared --manifest '%s' --socket '%s/socket' 2>&1",
             DRIVERD_PATH, path, dir);
    return popen(command, "r");
}

TEST(driverd_demands, log_of_a_shared_service_is_not_flooded)
{
    char dir[] = "/tmp/halyard-flood-XXXXXX", path[64], line[2048];
    unsigned lines = 0;
    bool has_warned = false;
    struct timespec start;

    REQUIRE(mkdtemp(dir) != NULL);
    clock_gettime(CLOCK_BOOTTIME, &start);
    FILE *log = log_of_service(dir);
    EXPECT(log != NULL);
    while (log && fgets(line, sizeof line, log)) {
        lines += strstr(line, "all is well") != NULL;
        has_warned = has_warned || strstr(line, "in a second; further lines are dropped");
    }
    EXPECT(log && pclose(log) != 0); /* the driver is refused */
    EXPECT(lines >= PER_SECOND && lines <= (seconds_since(&start) + 1) * PER_SECOND);
    EXPECT(has_warned);
    snprintf(path, sizeof path, "%s/hostile.json", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/socket", dir);
    unlink(path);
    rmdir(dir);
}

TEST(driverd_demands, real_time_is_for_drivers_whose_manifest_asks)
{
    char none[64];

    snprintf(none, sizeof none, "become_real_time came to %d", EPERM);
    EXPECT_CONTAINS(result_of("become_real_time", 0), none);
    EXPECT_CONTAINS(result_of("become_real_time", HY_MANIFEST_IPC_LOCK), none);
    if (geteuid() == 0)
        EXPECT_CONTAINS(result_of("become_real_time", HY_MANIFEST_SYS_NICE),
                        "become_real_time came to 0");
}
