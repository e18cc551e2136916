/*
 * An entry of which whoever restores it dies, hangs or talks nonsense, with digests that are all
 * right. In the app's process it costs one app, and in a process of the driver's own one of those:
 * then it is put away, compiled and stored anew.
 */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/cached_add.h"

#include "cache_store/entry_writer.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "poisoned" /* of the device */

/* A folder for the manifest, state and cache. */
struct test_dirs {
    char root[64], manifest[128], state[128], cache[128];
};

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void test_dirs_finish(const struct test_dirs *test_dirs)
{
    nftw(test_dirs->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool test_dirs_init(struct test_dirs *test_dirs)
{
    snprintf(test_dirs->root, sizeof test_dirs->root, "/tmp/halyard-poisoned-XXXXXX");
    if (!mkdtemp(test_dirs->root))
        return false;
    snprintf(test_dirs->manifest, sizeof test_dirs->manifest, "%s/faulty.json", test_dirs->root);
    snprintf(test_dirs->state, sizeof test_dirs->state, "%s/state", test_dirs->root);
    snprintf(test_dirs->cache, sizeof test_dirs->cache, "%s/cache", test_dirs->root);
    FILE *file = fopen(test_dirs->manifest, "we");
    if (!file || mkdir(test_dirs->cache, 0700) != 0)
        return false;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\",\"abi\":"
            "\"1.0\",\"arguments\":{\"fault\":\"cache-poisoned\",\"name\":\"" NAME
            "\",\"full\":1}}}",
            FAULTY_DRIVER_PATH);
    return fclose(file) == 0;
}

/* ---- Apps ------------------------------------------------------------------------------------ */

/* What one app came to, in memory that its parent sees. */
static struct cached_add *seen;

static _Noreturn void be_app(const struct test_dirs *test_dirs, bool is_isolated)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("HALYARD_DRIVER_FILES", test_dirs->manifest, 1);
    setenv("HALYARD_STATE_DIR", test_dirs->state, 1);
    setenv("HALYARD_ISOLATE", is_isolated ? "all" : "", 1);
    setenv("HALYARD_SERVICE_PATIENCE", "1", 1); /* ten times that for compiling */
    setenv("HALYARD_LOG", "none", 1);
    const ANeuralNetworksDevice *device = device_named(NAME);
    if (device)
        *seen = cached_add_run(&device, 1, test_dirs->cache);
    _exit(device ? 0 : 1);
}

static pid_t start_app(const struct test_dirs *test_dirs, bool is_isolated)
{
    *seen = (struct cached_add){.code = -1, .outcome = -1};
    const pid_t pid = fork();
    if (pid == 0)
        be_app(test_dirs, is_isolated);
    return pid;
}

/* Runs one until it ends or stops, which is its end, too: its status as of waitpid. */
static int run_app(const struct test_dirs *test_dirs, bool is_isolated)
{
    int status = -1;
    const pid_t pid = start_app(test_dirs, is_isolated);

    EXPECT_INT(waitpid(pid, &status, WUNTRACED), pid);
    if (WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        EXPECT_INT(waitpid(pid, NULL, 0), pid);
    }
    return status;
}

static void expect_app(const struct test_dirs *test_dirs, bool is_isolated, int32_t outcome,
                       const char *expected)
{
    EXPECT_INT(run_app(test_dirs, is_isolated), 0);
    EXPECT_INT(seen->code, ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(seen->outcome, outcome);
    EXPECT_CONTAINS(seen->reason, expected);
    EXPECT(seen->is_right);
}

/* ---- Poison ---------------------------------------------------------------------------------- */

/* An entry of the token that the last app has seen, in the place of the good one. */
static bool poison(const struct test_dirs *test_dirs, const char *word)
{
    static const struct hy_entry_info info = {.device = NAME, .version = "", .build_id = ""};
    const struct hy_file_counts counts = {.model = 1};
    struct hy_store *store = NULL;
    struct hy_entry_writer *writer = NULL;
    bool done = hy_store_open(test_dirs->cache, false, UINT64_C(1) << 30, &store, NULL) == HY_OK &&
                hy_entry_writer_create(store, seen->token, counts, &writer, NULL) == HY_OK;

    if (done && write(writer->model[0], word, strlen(word)) == (ssize_t)strlen(word))
        done = hy_entry_writer_publish(writer, &info, false, NULL) == HY_OK;
    hy_store_close(store);
    return done;
}

/* A good entry first, so that the token is known, and that others take it. */
static bool begin(struct test_dirs *test_dirs, bool is_isolated, const char *word)
{
    if (!seen)
        seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED || !test_dirs_init(test_dirs))
        return false;
    expect_app(test_dirs, is_isolated, HALYARD_CACHE_STORED, "");
    expect_app(test_dirs, is_isolated, HALYARD_CACHE_HIT, "");
    return poison(test_dirs, word);
}

/* ---- In the app's process -------------------------------------------------------------------- */

TEST(in_process, restore_that_aborts_costs_one_app)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, false, "abort"));
    const int status = run_app(&test_dirs, false);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    expect_app(&test_dirs, false, HALYARD_CACHE_STORED, "a process died while a driver restored");
    expect_app(&test_dirs, false, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}

TEST(in_process, restore_that_hangs_costs_the_app_that_is_killed)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, false, "stop"));
    EXPECT(WIFSTOPPED(run_app(&test_dirs, false)));
    expect_app(&test_dirs, false, HALYARD_CACHE_STORED, "a process died while a driver restored");
    expect_app(&test_dirs, false, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}

TEST(in_process, restore_that_answers_garbage_is_stored_anew_at_once)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, false, "garbage"));
    expect_app(&test_dirs, false, HALYARD_CACHE_STORED, "prepare_from_cache");
    expect_app(&test_dirs, false, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}

/* ---- In a process of the driver's own -------------------------------------------------------- */

TEST(isolated, restore_that_aborts_is_stored_anew_at_once)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, true, "abort"));
    expect_app(&test_dirs, true, HALYARD_CACHE_STORED, "during prepare_from_cache");
    expect_app(&test_dirs, true, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}

TEST(isolated, restore_that_hangs_is_stored_anew_when_the_patience_is_over)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, true, "stop"));
    expect_app(&test_dirs, true, HALYARD_CACHE_STORED, "prepare_from_cache took longer than 10 s");
    expect_app(&test_dirs, true, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}

TEST(isolated, restore_that_answers_garbage_is_stored_anew_at_once)
{
    struct test_dirs test_dirs;

    REQUIRE(begin(&test_dirs, true, "garbage"));
    expect_app(&test_dirs, true, HALYARD_CACHE_STORED, "prepare_from_cache");
    expect_app(&test_dirs, true, HALYARD_CACHE_HIT, "prepared from files");
    test_dirs_finish(&test_dirs);
}
