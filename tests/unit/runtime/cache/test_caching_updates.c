/* What the host does for drivers that write files of the cache after prepare: updates, files that
 * are kept open, locks. */
#include "tests/kit/test.h"

#include "common/clock.h"
#include "halyard/halyard.h"
#include "runtime/cache/session_list.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

static struct caching_device device;

static struct cache_dir begin(enum caching_fault fault)
{
    caching_device_init(&device, "acme-host", ANEURALNETWORKS_ADD);
    device.fault = fault;
    return make_dir();
}

static void end(struct cache_dir *dir)
{
    EXPECT_INT(device.alive, 0);
    remove_dir(dir->path);
    caching_device_finish(&device);
}

/* ---- Updates and files that are kept open ---------------------------------------------------- */

TEST(caching_updates, what_is_written_later_replaces_the_entry_as_a_whole)
{
    struct cache_dir dir = begin(CACHING_WRITES_DEFERRED);
    struct hy_compilation *first = compile_in(&device, dir.path);
    REQUIRE(first);
    EXPECT_INT(outcome_of(first, 0)->kind, HY_CACHE_NOT_STORED);
    EXPECT(caching_device_write(&device, device.last_prepared, true));

    struct hy_compilation *second = compile_in(&device, dir.path);
    REQUIRE(second);
    EXPECT_INT(outcome_of(second, 0)->kind, HY_CACHE_HIT);
    /* Those who have the old entry keep it. */
    EXPECT(caching_device_write(&device, device.last_prepared, true));
    EXPECT(computes_correctly(first, cache_constant, false));
    EXPECT(computes_correctly(second, cache_constant, false));
    hy_compilation_release(first);
    hy_compilation_release(second);
    end(&dir);
}

static struct halyard_plan_step step_of(const struct hy_compilation *compilation)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};

    EXPECT_INT(
        halyard_compilation_get_step((const ANeuralNetworksCompilation *)compilation, 0, &step),
        ANEURALNETWORKS_NO_ERROR);
    return step;
}

/* The report as an app gets it. */
static void expect_reported(const struct hy_compilation *compilation, const char *expected)
{
    static char text[8192];
    size_t length = 0;

    EXPECT_INT(halyard_compilation_write_report((const ANeuralNetworksCompilation *)compilation,
                                                HALYARD_REPORT_JSON, text, sizeof text, &length),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_CONTAINS(text, expected);
}

TEST(caching_updates, an_entry_that_is_written_later_is_stored_from_then_on)
{
    struct cache_dir dir = begin(CACHING_WRITES_DEFERRED), other = make_dir();
    struct hy_compilation *elsewhere = compile_in(&device, other.path);
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    struct hy_compilation *same = compile_in(&device, dir.path);
    REQUIRE(elsewhere && compilation && same);
    const struct halyard_plan_step before = step_of(compilation);
    EXPECT_INT(before.cache, HALYARD_CACHE_NOT_STORED);
    EXPECT_INT(before.cache_bytes, 0);
    expect_reported(compilation, "\"outcome\":\"not stored\"");

    EXPECT(caching_device_write(&device, device.last_prepared, false)); /* it has dropped it */
    EXPECT_INT(step_of(compilation).cache, HALYARD_CACHE_NOT_STORED);
    EXPECT(caching_device_write(&device, device.last_prepared, true));
    EXPECT_INT(step_of(compilation).cache, HALYARD_CACHE_STORED);
    EXPECT_INT(step_of(compilation).cache_bytes, sizeof(int32_t) + sizeof cache_constant);
    EXPECT_CONTAINS(step_of(compilation).cache_reason, "after it was compiled");
    EXPECT_CONTAINS(before.cache_reason, "nothing"); /* what an app holds does not change */
    expect_reported(compilation, "\"outcome\":\"stored\"");
    EXPECT_INT(step_of(same).cache, HALYARD_CACHE_STORED);
    EXPECT_INT(step_of(elsewhere).cache, HALYARD_CACHE_NOT_STORED);

    hy_compilation_release(elsewhere);
    hy_compilation_release(compilation);
    hy_compilation_release(same);
    remove_dir(other.path);
    end(&dir);
}

static atomic_bool has_written; /* or could not */

static void *write_often(void *prepared)
{
    bool good = true;

    for (int i = 0; i < 20; i++)
        good &= caching_device_write(&device, prepared, true);
    atomic_store(&has_written, true);
    return good ? prepared : NULL;
}

TEST(caching_updates, reports_are_read_while_a_device_writes_its_entry)
{
    struct cache_dir dir = begin(CACHING_WRITES_DEFERRED);
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    struct halyard_plan_step step;
    void *written = NULL;
    pthread_t writer;
    REQUIRE(compilation);
    REQUIRE(pthread_create(&writer, NULL, write_often, device.last_prepared) == 0);
    do
        expect_reported(compilation, "stored\"");
    while (!atomic_load(&has_written));
    step = step_of(compilation);
    EXPECT_INT(step.cache, HALYARD_CACHE_STORED);
    EXPECT_CONTAINS(step.cache_reason, "after it was compiled");
    EXPECT_INT(step.cache_bytes, sizeof(int32_t) + sizeof cache_constant);
    EXPECT(pthread_join(writer, &written) == 0 && written);
    hy_compilation_release(compilation);
    end(&dir);
}

TEST(caching_updates, a_hit_stays_one_when_its_entry_is_replaced)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    REQUIRE(compilation);
    EXPECT(caching_device_write(&device, device.last_prepared, true));
    EXPECT_INT(step_of(compilation).cache, HALYARD_CACHE_HIT);
    EXPECT_STR(step_of(compilation).cache_reason, "prepared from files");
    hy_compilation_release(compilation);
    end(&dir);
}

TEST(caching_updates, an_update_that_is_dropped_leaves_what_was_there)
{
    struct cache_dir dir = begin(CACHING_WRITES_DEFERRED);
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    REQUIRE(compilation);
    EXPECT(caching_device_write(&device, device.last_prepared, false));
    hy_compilation_release(compilation);
    compilation = compile_in(&device, dir.path);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_NOT_STORED);
    hy_compilation_release(compilation);
    end(&dir);
}

TEST(caching_updates, one_update_of_a_token_at_a_time)
{
    struct cache_dir dir = begin(CACHING_WRITES_DEFERRED);
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    const struct hy_host *host = device.host;
    int32_t model, data;
    void *update, *other;

    REQUIRE(compilation);
    EXPECT_INT(host->cache_begin(host->context, device.last_token, &model, &data, &update),
               HY_STATUS_OK);
    EXPECT_INT(host->cache_begin(host->context, device.last_token, &model, &data, &other),
               HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(host->cache_commit(host->context, update, 0), HY_STATUS_OK);
    EXPECT_INT(host->cache_begin(host->context, device.last_token, &model, &data, &update),
               HY_STATUS_OK);
    hy_compilation_release(compilation); /* what was begun may still be ended */
    EXPECT_INT(host->cache_commit(host->context, update, 1), HY_STATUS_GENERAL_FAILURE);
    end(&dir);
}

TEST(caching_updates, nothing_begins_for_a_token_that_is_not_in_use)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct hy_host *host = device.host;
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    int32_t model, data;
    void *update;

    REQUIRE(compilation);
    hy_compilation_release(compilation);
    EXPECT_INT(host->cache_begin(host->context, device.last_token, &model, &data, &update),
               HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(host->cache_keep_open(host->context, device.last_token), HY_STATUS_GENERAL_FAILURE);
    end(&dir);
}

TEST(caching_updates, files_that_are_kept_open_are_an_entry_that_is_copied_and_checked)
{
    struct cache_dir dir = begin(CACHING_HOLDS_OPEN);
    struct hy_compilation *first = compile_in(&device, dir.path);
    REQUIRE(first);
    EXPECT_INT(device.save_status, HY_STATUS_OK);
    EXPECT_INT(outcome_of(first, 0)->kind, HY_CACHE_STORED);
    void *writer = device.last_prepared;

    /* Empty so far, which the device refuses. It writes through what it has, which is gone now. */
    struct hy_compilation *second = compile_in(&device, dir.path);
    REQUIRE(second);
    EXPECT(device.restore_status != HY_STATUS_OK);
    EXPECT_INT(outcome_of(second, 0)->kind, HY_CACHE_STORED);
    EXPECT(caching_device_write(&device, writer, true));
    EXPECT(caching_device_write(&device, device.last_prepared, true));

    struct hy_compilation *third = compile_in(&device, dir.path);
    REQUIRE(third);
    EXPECT_INT(outcome_of(third, 0)->kind, HY_CACHE_HIT);
    EXPECT(computes_correctly(third, cache_constant, false));
    hy_compilation_release(first);
    hy_compilation_release(second);
    hy_compilation_release(third);
    end(&dir);
}

/* Two folders, one token: a driver names the token alone. Sessions without a writer belong to
 * others, who look at theirs without a lock. */
TEST(caching_updates, files_are_kept_open_for_every_writer_of_the_token_and_no_other)
{
    struct hy_cache_session sessions[4] = {
        {.token = {1}}, {.token = {1}}, {.token = {1}}, {.token = {2}}};
    struct hy_entry_writer writer = {.counts = {1, 1}};

    for (int i = 0; i < 4; i++)
        hy_cache_sessions_add(&sessions[i]);
    EXPECT(!hy_cache_sessions_keep_open(sessions[0].token));
    for (int i = 1; i < 4; i++)
        hy_cache_session_set_writer(&sessions[i], &writer);
    EXPECT(hy_cache_sessions_keep_open(sessions[0].token));
    EXPECT(!sessions[0].is_kept_open && sessions[1].is_kept_open);
    EXPECT(sessions[2].is_kept_open && !sessions[3].is_kept_open);
    for (int i = 0; i < 4; i++)
        hy_cache_sessions_remove(&sessions[i]);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static int64_t in_ms(int64_t ms)
{
    return hy_clock_boot() + ms * 1000000;
}

TEST(caching_updates, locks_hold_between_duplicates_in_one_process)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct hy_host *host = device.host;
    const int fd = memfd_create("locked", MFD_CLOEXEC), duplicate = dup(fd);

    EXPECT_INT(host->cache_lock(host->context, fd, 0, HY_NO_DEADLINE), HY_STATUS_OK);
    EXPECT_INT(host->cache_lock(host->context, fd, 0, HY_NO_DEADLINE), HY_STATUS_OK);
    EXPECT_INT(host->cache_lock(host->context, duplicate, 1, in_ms(20)),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    host->cache_unlock(host->context, fd);
    EXPECT_INT(host->cache_lock(host->context, duplicate, 1, in_ms(20)),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    host->cache_unlock(host->context, fd);
    EXPECT_INT(host->cache_lock(host->context, duplicate, 1, in_ms(20)), HY_STATUS_OK);
    EXPECT_INT(host->cache_lock(host->context, duplicate, 1, in_ms(20)),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    host->cache_unlock(host->context, duplicate);
    host->cache_unlock(host->context, duplicate); /* nothing left: no error */
    close(fd);
    close(duplicate);
    end(&dir);
}

TEST(caching_updates, locks_hold_between_processes_and_end_with_them)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct hy_host *host = device.host;
    const int fd = memfd_create("locked", MFD_CLOEXEC);
    int ready[2], go[2], status = 0;
    char byte = 0;

    REQUIRE(pipe2(ready, O_CLOEXEC) == 0 && pipe2(go, O_CLOEXEC) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const int32_t locked = host->cache_lock(host->context, fd, 1, HY_NO_DEADLINE);
        ssize_t done = write(ready[1], &byte, 1) + read(go[0], &byte, 1);
        _exit(locked == HY_STATUS_OK && done == 2 ? 0 : 1);
    }
    EXPECT(read(ready[0], &byte, 1) == 1);
    EXPECT_INT(host->cache_lock(host->context, fd, 0, in_ms(20)),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(write(go[1], &byte, 1) == 1);
    EXPECT_INT(host->cache_lock(host->context, fd, 0, in_ms(60000)), HY_STATUS_OK);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    host->cache_unlock(host->context, fd);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(go[i]);
    }
    close(fd);
    end(&dir);
}

TEST(caching_updates, a_child_does_not_give_back_the_locks_of_its_parent)
{
    struct cache_dir dir = begin(CACHING_HONEST);
    const struct hy_host *host = device.host;
    const int fd = memfd_create("locked", MFD_CLOEXEC);
    int status = 0;

    EXPECT_INT(host->cache_lock(host->context, fd, 1, HY_NO_DEADLINE), HY_STATUS_OK);
    const pid_t child = fork();
    if (child == 0) {
        host->cache_unlock(host->context, fd);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT_INT(host->cache_lock(host->context, fd, 0, in_ms(20)),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    host->cache_unlock(host->context, fd);
    close(fd);
    end(&dir);
}
