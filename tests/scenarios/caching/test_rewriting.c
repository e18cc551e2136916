/* Somebody writes to the files of entries all the time, in place, while models are compiled from
 * them and run: what steers is never theirs. */
#include "tests/kit/test.h"

#include "common/random.h"
#include "tests/kit/threads.h"
#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/fs_path.h"
#include "tests/scenarios/caching/state_dir.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { APP_COUNT = 2, PIECE = 256, LONGEST_PAUSE = 200000 };

/* Which files are written to. */
enum target { TARGET_MODEL, TARGET_DATA, TARGET_ALL };

struct fixture {
    struct fs_path fs_path;
    struct cache_model subjects[APP_COUNT];
    struct app apps[APP_COUNT];
    uint8_t tokens[APP_COUNT][HALYARD_TOKEN_SIZE];
    enum target target;
    atomic_bool is_over;
    atomic_uint writes;
    struct hy_random random; /* of the writer */
};

/* ---- The writer ------------------------------------------------------------------------------ */

static const char *choose_file(struct fixture *fixture)
{
    static const char *const names[] = {"model-0", "data-0", "data-1", "metadata"};
    switch (fixture->target) {
    case TARGET_MODEL:
        return names[0];
    case TARGET_DATA:
        return names[1 + hy_random_next(&fixture->random) % 2];
    default:
        return names[hy_random_next(&fixture->random) % 4];
    }
}

static void fill(struct fixture *fixture, const char *name, uint8_t *bytes, off_t at)
{
    const uint64_t way = hy_random_next(&fixture->random) % 3;

    if (way == 0) { /* those of another entry */
        const struct fs_path file =
            path_of_file(fixture->fs_path.path,
                         fixture->tokens[hy_random_next(&fixture->random) % APP_COUNT], name);
        const int fd = open(file.path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && pread(fd, bytes, PIECE, at) < 0)
            memset(bytes, 0, PIECE);
        if (fd >= 0)
            close(fd);
    } else if (way == 1) { /* a bit */
        bytes[hy_random_next(&fixture->random) % PIECE] ^=
            (uint8_t)(1u << hy_random_next(&fixture->random) % 8);
    } else {
        for (int i = 0; i < PIECE; i++)
            bytes[i] = (uint8_t)hy_random_next(&fixture->random);
    }
}

/* Never beyond the end: the size stays. */
static void write_once(struct fixture *fixture)
{
    const char *name = choose_file(fixture);
    const struct fs_path file = path_of_file(
        fixture->fs_path.path, fixture->tokens[hy_random_next(&fixture->random) % APP_COUNT], name);
    uint8_t bytes[PIECE] = {0};
    struct stat info;
    const int fd = open(file.path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        const off_t at = (off_t)(hy_random_next(&fixture->random) % (uint64_t)info.st_size);
        const ssize_t got = pread(fd, bytes, PIECE, at);
        fill(fixture, name, bytes, at);
        if (got > 0 && pwrite(fd, bytes, (size_t)got, at) == got)
            atomic_fetch_add(&fixture->writes, 1);
    }
    close(fd);
}

static void *write_all_the_time(void *argument)
{
    struct fixture *fixture = argument;

    while (!atomic_load(&fixture->is_over)) {
        const struct timespec pause = {
            .tv_nsec = (long)(hy_random_next(&fixture->random) % LONGEST_PAUSE)};
        write_once(fixture);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- The app --------------------------------------------------------------------------------- */

struct tally {
    unsigned hits, misses, wrong, failed, writes;
};

static void count(struct tally *tally, const struct app *app, const struct app_result *result,
                  bool has_to_be_right)
{
    tally->hits += result->cache == HALYARD_CACHE_HIT;
    tally->misses += result->cache != HALYARD_CACHE_HIT;
    tally->wrong += result->code == ANEURALNETWORKS_NO_ERROR && !result->is_right;
    const bool is_wrong = result->code != ANEURALNETWORKS_NO_ERROR ||
                          (!result->is_right && has_to_be_right) ||
                          (!result->is_right && result->cache != HALYARD_CACHE_HIT);
    if (is_wrong && tally->failed++ < 5)
        hy_test_fail(__FILE__, __LINE__, "%s", app_describe(app, result));
}

static bool begin(struct fixture *fixture, const char *device, enum cache_model_kind kind)
{
    bool good = true;

    memset(fixture, 0, sizeof *fixture);
    fixture->random.state = 7;
    fixture->fs_path = path_make_dir(true);
    for (unsigned i = 0; i < APP_COUNT && good; i++) {
        good = cache_model_init(&fixture->subjects[i], kind, i + 1) &&
               app_init(&fixture->apps[i], &fixture->subjects[i], device, fixture->fs_path.path);
        if (!good)
            break;
        const struct app_result result = app_compile_and_run(&fixture->apps[i]);
        memcpy(fixture->tokens[i], result.token, sizeof result.token);
        good = app_is_good(&result);
    }
    if (!good)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", device, halyard_last_error());
    return good;
}

/* Model cache files never show in an answer. Data may, unless the driver checks a copy. */
static struct tally compile_while_written(const char *device, enum cache_model_kind kind,
                                          enum target target, unsigned rounds)
{
    static struct fixture fixture;
    struct tally tally = {0};
    pthread_t writer;
    const bool has_to_be_right =
        target == TARGET_MODEL || strcmp(device, "halyard-sample-descriptors") == 0;

    const bool ready = begin(&fixture, device, kind);
    fixture.target = target;
    if (ready && pthread_create(&writer, NULL, write_all_the_time, &fixture) == 0) {
        while (atomic_load(&fixture.writes) == 0)
            sched_yield();
        for (unsigned i = 0; i < rounds; i++) {
            const struct app *app = &fixture.apps[i / 2 % APP_COUNT];
            const struct app_result result = app_compile_and_run(app);
            count(&tally, app, &result, has_to_be_right);
        }
        atomic_store(&fixture.is_over, true);
        pthread_join(writer, NULL);
        tally.writes = fixture.writes;
    }
    EXPECT_INT(tally.failed, 0);
    EXPECT_INT(tally.hits + tally.misses, rounds);
    for (unsigned i = 0; i < APP_COUNT; i++)
        cache_model_finish(&fixture.subjects[i]);
    path_remove(&fixture.fs_path);
    return tally;
}

static void run_rounds(unsigned rounds)
{
    static const struct {
        const char *device;
        enum cache_model_kind kind;
    } parts[] = {{"halyard-cpu", CACHE_MODEL_CNN8},
                 {"halyard-cpu", CACHE_MODEL_BRANCH},
                 {"halyard-cpu", CACHE_MODEL_DENSE},
                 {"halyard-sample-compiled", CACHE_MODEL_DENSE8},
                 {"halyard-sample-just-in-time", CACHE_MODEL_DENSE},
                 {"halyard-sample-descriptors", CACHE_MODEL_DENSE8}};
    const unsigned count_of_parts = sizeof parts / sizeof *parts;
    struct tally sum = {0};

    for (unsigned i = 0; i < count_of_parts; i++) {
        for (int target = TARGET_MODEL; target <= TARGET_ALL; target++) {
            const struct tally tally =
                compile_while_written(parts[i].device, parts[i].kind, (enum target)target,
                                      rounds / count_of_parts / 3 + 1);
            sum.hits += tally.hits;
            sum.misses += tally.misses;
            sum.wrong += tally.wrong;
            sum.writes += tally.writes;
        }
    }
    EXPECT(sum.hits > 0 && sum.misses > 0);
    printf(
        "\n  %u rounds, %u writes: %u hits, %u misses; wrong numbers from data that changed: %u\n",
        sum.hits + sum.misses, sum.writes, sum.hits, sum.misses, sum.wrong);
}

TEST(caching_rewriting, model_cache_files_steer_nothing_unverified)
{
    run_rounds(3600 / HY_SLOWNESS);
}

TEST(caching_rewriting_slow, a_hundred_thousand_times_nothing_unverified_steers)
{
    run_rounds(100000);
}
