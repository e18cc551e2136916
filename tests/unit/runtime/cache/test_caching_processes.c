/* Caching as processes and threads see it: the environment, rights, and each other. */
#include "tests/kit/test.h"

#include "runtime/drivers/host.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static struct caching_device device;

/* Runs it in a child that has not looked at its environment yet; true if it said so. */
static bool in_child(bool (*run)(const char *dir), const char *dir)
{
    int status = 1;
    const pid_t child = fork();

    if (child == 0) {
        caching_device_init(&device, "acme-child", ANEURALNETWORKS_ADD);
        const bool good = run(dir);
        caching_device_finish(&device);
        _exit(good ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* ANeuralNetworksCompilation without setCaching. */
static enum hy_cache_kind compile_plain(void)
{
    struct caching_device *list = &device;
    struct hy_compilation *compilation =
        finish_compiling(begin_compiling(cached_model(cache_constant, false), &list, 1));
    if (!compilation)
        return HY_CACHE_UNUSED;
    enum hy_cache_kind kind = outcome_of(compilation, 0)->kind;
    if (!computes_correctly(compilation, cache_constant, false) || compilation->caching.is_wanted)
        kind = HY_CACHE_UNUSED;
    hy_compilation_release(compilation);
    return kind;
}

static enum hy_cache_kind compile_asked(const char *dir)
{
    struct hy_compilation *compilation = compile_in(&device, dir);
    if (!compilation)
        return HY_CACHE_UNUSED;
    enum hy_cache_kind kind = outcome_of(compilation, 0)->kind;
    if (!computes_correctly(compilation, cache_constant, false))
        kind = HY_CACHE_UNUSED;
    hy_compilation_release(compilation);
    return kind;
}

/* ---- The environment ------------------------------------------------------------------------- */

static bool automatic(const char *dir)
{
    char path[64];
    snprintf(path, sizeof path, "%s/a/b", dir); /* is made */
    setenv("HALYARD_CACHE_DIR", path, 1);
    return compile_plain() == HY_CACHE_STORED && compile_plain() == HY_CACHE_HIT;
}

static bool automatic_again(const char *dir)
{
    char path[64];
    snprintf(path, sizeof path, "%s/a/b", dir);
    setenv("HALYARD_CACHE_DIR", path, 1);
    return compile_plain() == HY_CACHE_HIT && compile_asked(dir) == HY_CACHE_STORED;
}

TEST(caching_processes, the_environment_caches_for_apps_that_never_ask)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(automatic, dir.path));
    EXPECT(in_child(automatic_again, dir.path)); /* another process; those who ask go elsewhere */
    remove_dir(dir.path);
}

static bool limited(const char *dir)
{
    setenv("HALYARD_CACHE_LIMIT", "0", 1);
    return compile_asked(dir) == HY_CACHE_NOT_STORED && compile_asked(dir) == HY_CACHE_NOT_STORED &&
           device.prepare_count == 2;
}

TEST(caching_processes, nothing_is_kept_with_a_limit_of_0)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(limited, dir.path));
    remove_dir(dir.path);
}

/* In a child, since a limit that is none is logged, and that looks at the environment. */
static bool odd_limits(const char *dir)
{
    (void)dir;
    return hy_caching_limit("1 GiB") == HY_DEFAULT_CACHE_LIMIT &&
           hy_caching_limit("-1") == HY_DEFAULT_CACHE_LIMIT &&
           hy_caching_limit("99999999999999999999999") == HY_DEFAULT_CACHE_LIMIT;
}

TEST(caching_processes, limits_are_numbers_of_bytes)
{
    EXPECT(in_child(odd_limits, ""));
    EXPECT_INT(hy_caching_limit(NULL), HY_DEFAULT_CACHE_LIMIT);
    EXPECT_INT(hy_caching_limit("0"), 0);
    EXPECT_INT(hy_caching_limit("123456789012"), 123456789012);
}

/* ---- Rights ---------------------------------------------------------------------------------- */

static bool without_rights(const char *dir)
{
    if (chmod(dir, 0555) != 0 || (geteuid() == 0 && seteuid(NOBODY) != 0))
        return false;
    return compile_asked(dir) == HY_CACHE_NOT_STORED && device.last_model_files == 0;
}

TEST(caching_processes, a_folder_that_cannot_be_written_fails_nothing)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(without_rights, dir.path));
    remove_dir(dir.path);
}

static bool without_state(const char *dir)
{
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    return compile_asked(dir) == HY_CACHE_NOT_STORED &&
           device.save_status == HY_STATUS_GENERAL_FAILURE;
}

TEST(caching_processes, without_a_state_folder_nothing_is_kept_and_nothing_fails)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(without_state, dir.path));
    remove_dir(dir.path);
}

/* ---- Each other ------------------------------------------------------------------------------ */

static bool store(const char *dir)
{
    return compile_asked(dir) == HY_CACHE_STORED;
}

static bool hit(const char *dir)
{
    return compile_asked(dir) == HY_CACHE_HIT;
}

/* The driver is another build from now on. */
static bool become(const char *version)
{
    const struct hy_plugin_hosts *hosts = hy_runtime_hosts();

    hosts->destroy(device.host);
    device.device.info.version = version;
    device.host = hosts->create();
    if (!device.host || !hosts->note_device(device.host, "caching", &device.device.info))
        return false;
    hosts->complete(device.host);
    return true;
}

static bool store_the_next_version(const char *dir)
{
    return become("2") && compile_asked(dir) == HY_CACHE_STORED &&
           compile_asked(dir) == HY_CACHE_HIT;
}

static bool hit_the_next_version(const char *dir)
{
    return become("2") && compile_asked(dir) == HY_CACHE_HIT;
}

TEST(caching_processes, one_finds_what_another_has_stored)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(store, dir.path));
    EXPECT(in_child(hit, dir.path));
    remove_dir(dir.path);
}

TEST(caching_processes, versions_of_a_driver_share_a_folder)
{
    struct cache_dir dir = make_dir();

    EXPECT(in_child(store, dir.path));
    EXPECT(in_child(store_the_next_version, dir.path));
    for (int i = 0; i < 3; i++) {
        EXPECT(in_child(hit, dir.path));
        EXPECT(in_child(hit_the_next_version, dir.path));
    }
    remove_dir(dir.path);
}

/* Many threads' worth of processes over one token: each right, one entry in the end. */
TEST(caching_processes, many_at_once_are_all_right)
{
    enum { COUNT = 8 };
    struct cache_dir dir = make_dir();
    pid_t children[COUNT];

    for (int i = 0; i < COUNT; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            bool good = true;
            caching_device_init(&device, "acme-child", ANEURALNETWORKS_ADD);
            for (int round = 0; round < 10; round++) {
                const enum hy_cache_kind kind = compile_asked(dir.path);
                good &= kind >= HY_CACHE_HIT && kind <= HY_CACHE_NOT_STORED;
            }
            _exit(good ? 0 : 1);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        int status = 1;
        EXPECT(waitpid(children[i], &status, 0) == children[i] && status == 0);
    }
    EXPECT(in_child(hit, dir.path));
    remove_dir(dir.path);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static const char *shared_dir;

/* A device for each, of the same name: so the tokens are the same. */
static void *compile_often(void *argument)
{
    struct caching_device *own = argument;
    bool good = true;

    for (int round = 0; round < 20; round++) {
        struct hy_compilation *compilation = compile_in(own, shared_dir);
        good &= compilation && outcome_of(compilation, 0)->kind >= HY_CACHE_HIT &&
                computes_correctly(compilation, cache_constant, false);
        /* One update at a time; that of another thread is no failure. */
        if (compilation && round % 4 == 0)
            (void)caching_device_write(own, own->last_prepared, true);
        hy_compilation_release(compilation);
    }
    return good ? own : NULL;
}

TEST(caching_processes, threads_share_a_token)
{
    enum { COUNT = 8 };
    static struct caching_device devices[COUNT];
    struct cache_dir dir = make_dir();
    pthread_t threads[COUNT];

    shared_dir = dir.path;
    for (int i = 0; i < COUNT; i++) {
        caching_device_init(&devices[i], "acme-threads", ANEURALNETWORKS_ADD);
        REQUIRE(pthread_create(&threads[i], NULL, compile_often, &devices[i]) == 0);
    }
    for (int i = 0; i < COUNT; i++) {
        void *good = NULL;
        EXPECT(pthread_join(threads[i], &good) == 0 && good);
        EXPECT_INT(devices[i].alive, 0);
        caching_device_finish(&devices[i]);
    }
    remove_dir(dir.path);
}
