/* The sample driver's cache: when it compiles, what it writes and when, and what it believes. */
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/plugins/kit/sample_cache_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define AT_PREPARE   "{\"compile\":\"at_prepare\",\"cache_files\":1}"
#define JUST_IN_TIME "{\"compile\":\"just_in_time\",\"cache_files\":3}"
#define DESCRIPTORS  "{\"compile\":\"just_in_time\",\"cache_files\":2,\"late\":\"descriptors\"}"

static const char *const ways[] = {AT_PREPARE, JUST_IN_TIME, DESCRIPTORS};
#define WAY_COUNT (sizeof ways / sizeof *ways)

static const uint32_t small[] = {13, 37, 7};
static const uint32_t mobilenet[] = {1024, 1408, 1408, 576}; /* 4.2 million weights */

/* What the device without any of this answers. */
static uint8_t *uncached_output(const struct net *net)
{
    struct cached_device device;
    void *prepared = NULL;
    uint8_t *output = calloc(1, net_output_size(net));
    if (cached_device_init(&device, "{}", false) &&
        cached_prepare(&device, net, NULL, HY_NO_DEADLINE, &prepared) == HY_STATUS_OK) {
        EXPECT_INT(cached_execute(&device, net, prepared, HY_NO_DEADLINE, output), HY_STATUS_OK);
        device.table->prepared_destroy(prepared);
    }
    cached_device_finish(&device);
    return output;
}

/* Two executions answer so, bit for bit. */
static void expect_output(const struct cached_device *device, const struct net *net, void *prepared,
                          const uint8_t *expected)
{
    uint8_t *output = calloc(1, net_output_size(net));
    for (int i = 0; i < 2; i++) {
        memset(output, 0x77, net_output_size(net));
        EXPECT_INT(cached_execute(device, net, prepared, HY_NO_DEADLINE, output), HY_STATUS_OK);
        EXPECT(memcmp(output, expected, net_output_size(net)) == 0);
    }
    free(output);
}

/* Prepares with files, runs twice, and has the entry in the files then. */
static bool fill_cache(const struct cached_device *device, const struct net *net,
                       const uint8_t *expected, struct cached_files *files)
{
    void *prepared = NULL;
    if (cached_prepare(device, net, files, HY_NO_DEADLINE, &prepared) != HY_STATUS_OK)
        return false;
    expect_output(device, net, prepared, expected);
    device->table->prepared_destroy(prepared);
    cached_files_reopen(device, files);
    EXPECT(cached_files_bytes(files) > 0);
    return cached_files_bytes(files) > 0;
}

/* ---- Restoring ------------------------------------------------------------------------------- */

static void check_way(const char *arguments, bool is_quantised, uint8_t number)
{
    struct cached_device device;
    struct cached_files files;
    struct net net;
    void *prepared = NULL;
    net_make(&net, is_quantised, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (cached_device_init(&device, arguments, true)) {
        cached_files_open(&device, number, &files);
        EXPECT(fill_cache(&device, &net, expected, &files));
        memset(net.weights, 0x55, net.weights_size); /* nobody needs them any more */
        EXPECT_INT(cached_restore(&device, &files, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
        cached_files_close(&files);
        if (prepared) {
            expect_output(&device, &net, prepared, expected);
            device.table->prepared_destroy(prepared);
        }
        EXPECT_INT(hy_host_cache_counts().handles, 0);
        EXPECT_INT(hy_host_cache_counts().locks, 0);
    }
    cached_device_finish(&device);
    free(expected);
    net_finish(&net);
}

TEST(sample_cache, each_way_restores_without_the_model_and_changes_no_bit)
{
    for (size_t i = 0; i < WAY_COUNT; i++) {
        check_way(ways[i], false, (uint8_t)(1 + 2 * i));
        check_way(ways[i], true, (uint8_t)(2 + 2 * i));
    }
}

/* ---- When it compiles ------------------------------------------------------------------------ */

TEST(sample_cache, just_in_time_writes_after_the_first_execution_and_once)
{
    struct cached_device device;
    struct cached_files files;
    struct net net;
    void *prepared = NULL;
    net_make(&net, false, 2, small);
    uint8_t *output = calloc(1, net_output_size(&net));
    if (cached_device_init(&device, JUST_IN_TIME, true)) {
        cached_files_open(&device, 20, &files);
        hy_host_cache_watch(files.token);
        EXPECT_INT(cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
        EXPECT_INT(hy_host_cache_counts().committed, 0);
        for (int i = 0; i < 3; i++) {
            cached_execute(&device, &net, prepared, HY_NO_DEADLINE, output);
            EXPECT_INT(hy_host_cache_counts().committed, 1);
        }
        EXPECT_INT(cached_files_bytes(&files), 0); /* a new entry, not these */
        device.table->prepared_destroy(prepared);
        cached_files_close(&files);
    }
    cached_device_finish(&device);
    free(output);
    net_finish(&net);
}

TEST(sample_cache, kept_descriptors_are_written_after_the_caller_has_closed_its_own)
{
    struct cached_device device;
    struct cached_files files, watched;
    struct net net;
    void *prepared = NULL;
    net_make(&net, false, 2, small);
    uint8_t *output = calloc(1, net_output_size(&net));
    if (cached_device_init(&device, DESCRIPTORS, true)) {
        cached_files_open(&device, 21, &files);
        hy_host_cache_watch(files.token);
        watched = files;
        for (uint32_t i = 0; i < files.count; i++)
            watched.fds[i] = dup(files.fds[i]);
        EXPECT_INT(cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
        cached_files_close(&files);
        EXPECT_INT(hy_host_cache_counts().written, 1);
        EXPECT_INT(cached_files_bytes(&watched), 0);
        cached_execute(&device, &net, prepared, HY_NO_DEADLINE, output);
        EXPECT(cached_files_bytes(&watched) > 0);
        device.table->prepared_destroy(prepared);
        cached_files_close(&watched);
    }
    cached_device_finish(&device);
    free(output);
    net_finish(&net);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct runner {
    const struct cached_device *device;
    const struct net *net;
    const uint8_t *expected;
    void *prepared;
};

static void *run(void *argument)
{
    const struct runner *runner = argument;
    expect_output(runner->device, runner->net, runner->prepared, runner->expected);
    return NULL;
}

TEST(sample_cache, threads_that_come_together_compile_once)
{
    struct cached_device device;
    struct cached_files files;
    struct net net;
    struct runner runner = {.device = &device, .net = &net};
    pthread_t threads[8];
    net_make(&net, true, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (cached_device_init(&device, JUST_IN_TIME, true)) {
        cached_files_open(&device, 22, &files);
        hy_host_cache_watch(files.token);
        cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &runner.prepared);
        runner.expected = expected;
        for (int i = 0; i < 8; i++)
            pthread_create(&threads[i], NULL, run, &runner);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        device.table->prepared_destroy(runner.prepared);
        EXPECT_INT(hy_host_cache_counts().committed, 1);
        cached_files_close(&files);
    }
    cached_device_finish(&device);
    free(expected);
    net_finish(&net);
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

TEST(sample_cache, who_has_no_time_to_compile_is_told_or_runs_as_it_is)
{
    enum { ATTEMPTS = 5 }; /* a busy machine makes one run late, a driver that compiles each */
    struct cached_device device;
    struct net net;
    void *prepared = NULL;
    net_make(&net, true, 3, mobilenet);
    uint8_t *output = calloc(1, net_output_size(&net));
    if (cached_device_init(&device, AT_PREPARE, true))
        EXPECT_INT(cached_prepare(&device, &net, NULL, cached_now() + 1000000, &prepared),
                   HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    cached_device_finish(&device);
    if (cached_device_init(&device, JUST_IN_TIME, true)) {
        EXPECT_INT(cached_prepare(&device, &net, NULL, cached_now(), &prepared), HY_STATUS_OK);
        bool is_in_time = false;
        for (int i = 0; i < ATTEMPTS && !is_in_time; i++) {
            const int64_t deadline = cached_now() + 1000000;
            cached_execute(&device, &net, prepared, deadline, output);
            is_in_time = cached_now() < deadline + HY_SLOWNESS * INT64_C(400000000);
        }
        EXPECT(is_in_time);
        device.table->prepared_destroy(prepared);
    }
    cached_device_finish(&device);
    free(output);
    net_finish(&net);
}

TEST(sample_cache, a_lock_that_somebody_holds_is_waited_for_until_the_deadline)
{
    struct cached_device device;
    struct cached_files files;
    struct net net;
    void *prepared = NULL;
    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (cached_device_init(&device, DESCRIPTORS, true)) {
        const struct hy_host *host = &device.plugins.host;
        cached_files_open(&device, 23, &files);
        EXPECT(fill_cache(&device, &net, expected, &files));
        EXPECT_INT(host->cache_lock(host->context, files.fds[0], 1, HY_NO_DEADLINE), HY_STATUS_OK);
        EXPECT_INT(cached_restore(&device, &files, cached_now() + 20000000, &prepared),
                   HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        host->cache_unlock(host->context, files.fds[0]);
        EXPECT_INT(cached_restore(&device, &files, cached_now() + INT64_C(60000000000), &prepared),
                   HY_STATUS_OK);
        device.table->prepared_destroy(prepared);
        cached_files_close(&files);
    }
    cached_device_finish(&device);
    free(expected);
    net_finish(&net);
}

/* ---- What it does not believe ---------------------------------------------------------------- */

/* prepare_from_cache refuses; `change` is for a failure of the test. */
static void expect_refused(const struct cached_device *device, const struct cached_files *files,
                           const char *change, uint32_t file, long at)
{
    void *prepared = NULL;
    const int32_t status = cached_restore(device, files, HY_NO_DEADLINE, &prepared);
    if (status == HY_STATUS_OK)
        device->table->prepared_destroy(prepared);
    if (status != HY_STATUS_GENERAL_FAILURE)
        hy_test_fail(__FILE__, __LINE__, "file %u %s %ld: answered %d", file, change, at, status);
}

static void refuse_all_changes(const struct cached_device *device, const struct cached_files *files,
                               uint32_t file)
{
    static uint8_t bytes[65536];
    const int fd = files->fds[file];
    const ssize_t length = pread(fd, bytes, sizeof bytes, 0);
    REQUIRE(length > 0 && length < (ssize_t)sizeof bytes);
    for (ssize_t i = 0; i < length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            const uint8_t changed = bytes[i] ^ (uint8_t)(1 << bit);
            EXPECT_INT(pwrite(fd, &changed, 1, i), 1);
            expect_refused(device, files, "with another bit in byte", file, i);
        }
        EXPECT_INT(pwrite(fd, &bytes[i], 1, i), 1);
    }
    for (ssize_t i = length - 1; i >= 0; i--) {
        EXPECT_INT(ftruncate(fd, i), 0);
        expect_refused(device, files, "cut to", file, i);
    }
    EXPECT_INT(pwrite(fd, bytes, (size_t)length, 0), length);
    EXPECT_INT(pwrite(fd, "", 1, length), 1);
    expect_refused(device, files, "longer than", file, length);
    EXPECT_INT(ftruncate(fd, length), 0);
}

/* The device that checks with its own hands; for the others the host does. */
TEST(sample_cache, kept_files_with_any_bit_changed_or_cut_anywhere_are_refused)
{
    static const uint32_t tiny[] = {5, 3};
    struct cached_device device;
    struct cached_files files;
    struct net net;
    void *prepared = NULL;
    net_make(&net, true, 1, tiny);
    uint8_t *expected = uncached_output(&net);
    if (cached_device_init(&device, DESCRIPTORS, true)) {
        cached_files_open(&device, 24, &files);
        EXPECT(fill_cache(&device, &net, expected, &files));
        for (uint32_t i = 0; i < files.count; i++)
            if (lseek(files.fds[i], 0, SEEK_END) > 0)
                refuse_all_changes(&device, &files, i);
        files.token[0] ^= 1; /* the files of another model */
        expect_refused(&device, &files, "under another token", 0, 0);
        files.token[0] ^= 1;
        EXPECT_INT(cached_restore(&device, &files, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
        device.table->prepared_destroy(prepared);
        cached_files_close(&files);
    }
    cached_device_finish(&device);
    free(expected);
    net_finish(&net);
}

/* ---- Without help ---------------------------------------------------------------------------- */

TEST(sample_cache, a_host_without_a_cache_costs_nothing_but_the_cache)
{
    for (size_t i = 0; i < WAY_COUNT; i++) {
        struct cached_device device;
        struct cached_files files;
        struct net net;
        void *prepared = NULL;
        net_make(&net, false, 2, small);
        uint8_t *expected = uncached_output(&net);
        if (cached_device_init(&device, ways[i], false)) {
            cached_files_open(&device, 25, &files);
            EXPECT_INT(cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &prepared),
                       HY_STATUS_OK);
            expect_output(&device, &net, prepared, expected);
            device.table->prepared_destroy(prepared);
            EXPECT_INT(cached_files_bytes(&files), 0);
            EXPECT_INT(cached_restore(&device, &files, HY_NO_DEADLINE, &prepared),
                       HY_STATUS_GENERAL_FAILURE);
            cached_files_close(&files);
        }
        cached_device_finish(&device);
        free(expected);
        net_finish(&net);
    }
}

TEST(sample_cache, an_entry_that_somebody_else_is_making_is_left_alone)
{
    struct cached_device device;
    struct cached_files files;
    struct net net;
    void *prepared = NULL, *update = NULL;
    int32_t model[1], data[3];
    net_make(&net, false, 2, small);
    uint8_t *expected = uncached_output(&net);
    if (cached_device_init(&device, JUST_IN_TIME, true)) {
        const struct hy_host *host = &device.plugins.host;
        cached_files_open(&device, 26, &files);
        hy_host_cache_watch(files.token);
        EXPECT_INT(cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &prepared), HY_STATUS_OK);
        EXPECT_INT(host->cache_begin(host->context, files.token, model, data, &update),
                   HY_STATUS_OK);
        expect_output(&device, &net, prepared, expected);
        EXPECT_INT(hy_host_cache_counts().committed, 0);
        host->cache_commit(host->context, update, 0);
        device.table->prepared_destroy(prepared);
        cached_files_close(&files);
    }
    cached_device_finish(&device);
    free(expected);
    net_finish(&net);
}
