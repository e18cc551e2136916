/* Somebody writes to the files of entries all the time, in place, while models are compiled from
 * them and run: what steers is never theirs. */
#include "tests/test.h"

#include "common/random.h"
#include "support/threads.h"
#include "tests/caching/app.h"
#include "tests/caching/place.h"
#include "tests/caching/state.h"

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

struct scene {
    struct place place;
    struct subject subjects[APP_COUNT];
    struct app apps[APP_COUNT];
    uint8_t tokens[APP_COUNT][HALYARD_TOKEN_SIZE];
    enum target target;
    atomic_bool is_over;
    atomic_uint writes;
    struct hy_random random; /* of the writer */
};

/* ---- The writer ------------------------------------------------------------------------------ */

static const char *choose_file(struct scene *scene)
{
    static const char *const names[] = {"model-0", "data-0", "data-1", "metadata"};
    switch (scene->target) {
    case TARGET_MODEL:
        return names[0];
    case TARGET_DATA:
        return names[1 + hy_random_next(&scene->random) % 2];
    default:
        return names[hy_random_next(&scene->random) % 4];
    }
}

static void fill(struct scene *scene, const char *name, uint8_t *bytes, off_t at)
{
    const uint64_t way = hy_random_next(&scene->random) % 3;

    if (way == 0) { /* those of another entry */
        const struct place file = place_of_file(
            scene->place.path, scene->tokens[hy_random_next(&scene->random) % APP_COUNT], name);
        const int fd = open(file.path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && pread(fd, bytes, PIECE, at) < 0)
            memset(bytes, 0, PIECE);
        if (fd >= 0)
            close(fd);
    } else if (way == 1) { /* a bit */
        bytes[hy_random_next(&scene->random) % PIECE] ^=
            (uint8_t)(1u << hy_random_next(&scene->random) % 8);
    } else {
        for (int i = 0; i < PIECE; i++)
            bytes[i] = (uint8_t)hy_random_next(&scene->random);
    }
}

/* Never beyond the end: the size stays. */
static void write_once(struct scene *scene)
{
    const char *name = choose_file(scene);
    const struct place file = place_of_file(
        scene->place.path, scene->tokens[hy_random_next(&scene->random) % APP_COUNT], name);
    uint8_t bytes[PIECE] = {0};
    struct stat facts;
    const int fd = open(file.path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && facts.st_size > 0) {
        const off_t at = (off_t)(hy_random_next(&scene->random) % (uint64_t)facts.st_size);
        const ssize_t got = pread(fd, bytes, PIECE, at);
        fill(scene, name, bytes, at);
        if (got > 0 && pwrite(fd, bytes, (size_t)got, at) == got)
            atomic_fetch_add(&scene->writes, 1);
    }
    close(fd);
}

static void *write_all_the_time(void *argument)
{
    struct scene *scene = argument;

    while (!atomic_load(&scene->is_over)) {
        const struct timespec pause = {.tv_nsec =
                                           (long)(hy_random_next(&scene->random) % LONGEST_PAUSE)};
        write_once(scene);
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
        hy_test_fail(__FILE__, __LINE__, "%s", app_words(app, result));
}

static bool begin(struct scene *scene, const char *device, enum subject_kind kind)
{
    bool good = true;

    memset(scene, 0, sizeof *scene);
    scene->random.state = 7;
    scene->place = place_make(true);
    for (unsigned i = 0; i < APP_COUNT && good; i++) {
        good = subject_init(&scene->subjects[i], kind, i + 1) &&
               app_init(&scene->apps[i], &scene->subjects[i], device, scene->place.path);
        if (!good)
            break;
        const struct app_result result = app_compile_and_run(&scene->apps[i]);
        memcpy(scene->tokens[i], result.token, sizeof result.token);
        good = app_is_good(&result);
    }
    if (!good)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", device, halyard_last_error());
    return good;
}

/* Model cache files never show in an answer. Data may, unless the driver checks a copy. */
static struct tally compile_while_written(const char *device, enum subject_kind kind,
                                          enum target target, unsigned rounds)
{
    static struct scene scene;
    struct tally tally = {0};
    pthread_t writer;
    const bool has_to_be_right =
        target == TARGET_MODEL || strcmp(device, "halyard-sample-descriptors") == 0;

    const bool ready = begin(&scene, device, kind);
    scene.target = target;
    if (ready && pthread_create(&writer, NULL, write_all_the_time, &scene) == 0) {
        while (atomic_load(&scene.writes) == 0)
            sched_yield();
        for (unsigned i = 0; i < rounds; i++) {
            const struct app *app = &scene.apps[i / 2 % APP_COUNT];
            const struct app_result result = app_compile_and_run(app);
            count(&tally, app, &result, has_to_be_right);
        }
        atomic_store(&scene.is_over, true);
        pthread_join(writer, NULL);
        tally.writes = scene.writes;
    }
    EXPECT_INT(tally.failed, 0);
    EXPECT_INT(tally.hits + tally.misses, rounds);
    for (unsigned i = 0; i < APP_COUNT; i++)
        subject_finish(&scene.subjects[i]);
    place_remove(&scene.place);
    return tally;
}

static void run_rounds(unsigned rounds)
{
    static const struct {
        const char *device;
        enum subject_kind kind;
    } parts[] = {{"halyard-cpu", SUBJECT_CNN8},
                 {"halyard-cpu", SUBJECT_BRANCH},
                 {"halyard-cpu", SUBJECT_DENSE},
                 {"halyard-sample-compiled", SUBJECT_DENSE8},
                 {"halyard-sample-just-in-time", SUBJECT_DENSE},
                 {"halyard-sample-descriptors", SUBJECT_DENSE8}};
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
