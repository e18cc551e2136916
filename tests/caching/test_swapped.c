/* Good entries in the places of other ones, as they are or with metadata that names the right token
 * and the right checksums: the digests that were recorded for each token tell. */
#include "tests/test.h"

#include "tests/caching/damage.h"
#include "tests/caching/state.h"

#include <stdlib.h>
#include <unistd.h>

/* What is put in the place of an entry. */
enum swap {
    SWAP_ALL,      /* the other folder as it is */
    SWAP_VOUCHED,  /* with metadata that fits token and files */
    SWAP_MODEL,    /* its model cache files, vouched for */
    SWAP_DATA,     /* its data cache files, vouched for */
    SWAP_METADATA, /* its metadata alone */
    SWAP_KIND_COUNT,
};

static const char *const swap_names[] = {"all", "vouched", "model", "data", "metadata"};

enum { APP_COUNT = 6 };

struct stage {
    struct place place;
    struct subject subjects[3];
    struct app apps[APP_COUNT];
    struct damage damages[APP_COUNT];
    struct place kept[APP_COUNT]; /* a copy of each entry as it was made */
};

/* ---- Apps that differ in one thing each ------------------------------------------------------ */

static bool set_stage(struct stage *stage, const char *device)
{
    const enum subject_kind kinds[] = {SUBJECT_DENSE8, SUBJECT_DENSE8, SUBJECT_DENSE};
    const int subject_of[APP_COUNT] = {0, 0, 0, 0, 1, 2};
    bool good = true;

    memset(stage, 0, sizeof *stage);
    stage->place = place_make(true);
    for (int i = 0; i < 3; i++)
        good = subject_init(&stage->subjects[i], kinds[i], (uint32_t)i + 1) && good;
    for (int i = 0; i < APP_COUNT && good; i++)
        good =
            app_init(&stage->apps[i], &stage->subjects[subject_of[i]], device, stage->place.path);
    stage->apps[1].token = 2;
    stage->apps[2].preference = ANEURALNETWORKS_PREFER_LOW_POWER;
    stage->apps[3].priority = ANEURALNETWORKS_PRIORITY_LOW;
    for (int i = 0; i < APP_COUNT && good; i++) {
        char name[32];
        good = damage_begin(&stage->damages[i], &stage->apps[i]);
        const struct place entry = place_of_entry(stage->place.path, stage->damages[i].token);
        snprintf(name, sizeof name, "kept-%d", i);
        stage->kept[i] = place_in(&stage->place, name);
        good = good && place_copy(&entry, &stage->kept[i]);
    }
    return good;
}

static void clear_stage(struct stage *stage)
{
    for (int i = 0; i < 3; i++)
        subject_finish(&stage->subjects[i]);
    place_remove(&stage->place);
}

/* ---- Swaps ----------------------------------------------------------------------------------- */

static bool is_taken(const char *name, enum swap swap)
{
    switch (swap) {
    case SWAP_MODEL:
        return strncmp(name, "model-", 6) == 0;
    case SWAP_DATA:
        return strncmp(name, "data-", 5) == 0;
    case SWAP_METADATA:
        return strcmp(name, "metadata") == 0;
    default:
        return true;
    }
}

static bool put_file(const struct place *from, const struct place *to, const char *name)
{
    const struct place source = place_in(from, name), target = place_in(to, name);
    uint8_t *bytes = NULL;
    size_t length = 0;

    if (!place_read(&source, &bytes, &length))
        return false;
    const bool done = place_write(&target, bytes, length);
    free(bytes);
    return done;
}

static bool do_swap(const struct stage *stage, int victim, int other, enum swap swap)
{
    const uint8_t *token = stage->damages[victim].token;
    const struct place entry = place_of_entry(stage->place.path, token);
    const struct place_files files = place_list(&stage->kept[other]);
    bool done = files.count > 0;

    for (uint32_t i = 0; i < files.count && done; i++) {
        if (is_taken(files.files[i].name, swap))
            done = put_file(&stage->kept[other], &entry, files.files[i].name);
    }
    if (swap == SWAP_VOUCHED || swap == SWAP_MODEL || swap == SWAP_DATA)
        done = done && place_vouch(&entry, token);
    return done;
}

/* Two tokens may well have the same files, byte by byte: then nothing was swapped. */
static bool has_same_files(const struct place *left, const struct place *right, enum swap swap)
{
    const struct place_files files = place_list(left);
    bool same = true;

    for (uint32_t i = 0; i < files.count && same; i++) {
        const char *name = files.files[i].name;
        const struct place a = place_in(left, name), b = place_in(right, name);
        uint8_t *first = NULL, *second = NULL;
        size_t first_length = 0, second_length = 0;
        if (strcmp(name, "metadata") == 0 || !is_taken(name, swap))
            continue;
        same = place_read(&a, &first, &first_length) && place_read(&b, &second, &second_length) &&
               first_length == second_length && memcmp(first, second, first_length) == 0;
        free(first);
        free(second);
    }
    return same;
}

static unsigned try_swap(struct stage *stage, int victim, int other, enum swap swap)
{
    struct damage *damage = &stage->damages[victim];
    /* As it is now: a driver that searches may have written other bytes than the first time. */
    const struct place entry = place_of_entry(stage->place.path, damage->token);
    const bool same = swap != SWAP_ALL && swap != SWAP_METADATA &&
                      has_same_files(&entry, &stage->kept[other], swap);

    if (!do_swap(stage, victim, other, swap)) {
        hy_test_fail(__FILE__, __LINE__, "%s of %d in the place of %d: not done", swap_names[swap],
                     other, victim);
        return 0;
    }
    if (!same) {
        damage_check(damage, swap_names[swap], (uint64_t)(victim * 10 + other));
        return 1;
    }
    const struct app_result result = app_compile_and_run(damage->app);
    EXPECT(app_is_good(&result));
    return 0;
}

static void swap_all(const char *device)
{
    static struct stage stage;
    unsigned count = 0;

    if (set_stage(&stage, device)) {
        for (int victim = 0; victim < APP_COUNT; victim++) {
            for (int other = 0; other < APP_COUNT; other++) {
                for (int swap = 0; victim != other && swap < SWAP_KIND_COUNT; swap++)
                    count += try_swap(&stage, victim, other, (enum swap)swap);
            }
            EXPECT_INT(stage.damages[victim].failures, 0);
        }
    }
    EXPECT(count >= 60);
    printf("(%u swaps) ", count);
    clear_stage(&stage);
}

TEST(caching_swapped, entries_of_the_cpu_are_misses)
{
    swap_all("halyard-cpu");
}

TEST(caching_swapped, entries_of_a_driver_that_compiles_at_once_are_misses)
{
    swap_all("halyard-sample-compiled");
}

TEST(caching_swapped, entries_of_a_driver_that_commits_late_are_misses)
{
    swap_all("halyard-sample-just-in-time");
}

TEST(caching_swapped, entries_of_a_driver_that_keeps_descriptors_are_misses)
{
    swap_all("halyard-sample-descriptors");
}

/* ---- Changed and vouched for ----------------------------------------------------------------- */

/* Whoever can make checksums: any bit of the files, with metadata that fits. */
static void change_vouched(const char *device, enum subject_kind kind, unsigned count)
{
    const struct place place = place_make(true);
    struct subject subject;
    struct damage damage = {0};
    struct app app;
    const bool ready = subject_init(&subject, kind, 1) &&
                       app_init(&app, &subject, device, place.path) && damage_begin(&damage, &app);

    EXPECT(ready);
    for (unsigned i = 0; i < count && ready; i++) {
        const struct place entry = place_of_entry(place.path, damage.token);
        const char *name = i % 2 ? "model-0" : "data-0";
        const struct place file = place_in(&entry, name);
        const uint64_t bits = place_length(&file) * 8;
        const uint64_t bit = bits > 0 ? hy_random_next(&damage.random) % bits : 0;
        if (bits == 0)
            continue;
        EXPECT(place_flip(&file, bit) && place_vouch(&entry, damage.token));
        damage_check(&damage, name, bit);
    }
    EXPECT_INT(damage.failures, 0);
    subject_finish(&subject);
    place_remove(&place);
}

TEST(caching_swapped, bits_that_checksums_vouch_for_are_misses)
{
    change_vouched("halyard-cpu", SUBJECT_CNN8, 60);
    change_vouched("halyard-cpu", SUBJECT_BRANCH, 60);
    change_vouched("halyard-sample-compiled", SUBJECT_DENSE8, 60);
    change_vouched("halyard-sample-just-in-time", SUBJECT_DENSE, 60);
    change_vouched("halyard-sample-descriptors", SUBJECT_DENSE8, 60);
}

/* An entry that claims to be kept open is checked by nobody when it is found, and one that claims
 * not to be is mapped: neither makes its files any more trusted. */
static void turn_kept_open(const char *device, enum subject_kind kind)
{
    const struct place place = place_make(true);
    struct subject subject;
    struct damage damage = {0};
    struct app app;
    const bool ready = subject_init(&subject, kind, 1) &&
                       app_init(&app, &subject, device, place.path) && damage_begin(&damage, &app);

    EXPECT(ready);
    for (unsigned i = 0; i < 40 && ready; i++) {
        const struct place entry = place_of_entry(place.path, damage.token);
        const char *name = i % 2 ? "model-0" : "data-0";
        const struct place file = place_in(&entry, name);
        EXPECT(place_turn_kept_open(&entry));
        const struct app_result turned = app_compile_and_run(&app); /* the bytes are good */
        EXPECT(app_is_good(&turned));
        if (turned.cache != HALYARD_CACHE_HIT)
            continue;
        EXPECT(place_flip(&file, hy_random_next(&damage.random) % (place_length(&file) * 8)));
        if (i % 4 < 2)
            EXPECT(place_vouch(&entry, damage.token));
        damage_check(&damage, name, i);
    }
    EXPECT(damage.count > 0);
    EXPECT_INT(damage.failures, 0);
    subject_finish(&subject);
    place_remove(&place);
}

TEST(caching_swapped, claims_of_being_kept_open_are_trusted_no_more)
{
    turn_kept_open("halyard-cpu", SUBJECT_CNN8);
    turn_kept_open("halyard-sample-compiled", SUBJECT_DENSE8);
    turn_kept_open("halyard-sample-just-in-time", SUBJECT_DENSE);
    turn_kept_open("halyard-sample-descriptors", SUBJECT_DENSE8);
}

/* The kernels that packed weights are for stand in the model cache of the CPU: those of another
 * processor, with metadata that fits. */
TEST(caching_swapped, files_for_another_processor_are_misses)
{
    const struct place place = place_make(true);
    struct subject subject;
    struct damage damage = {0};
    struct app app;

    REQUIRE(subject_init(&subject, SUBJECT_CNN8, 1));
    REQUIRE(app_init(&app, &subject, "halyard-cpu", place.path) && damage_begin(&damage, &app));
    const struct place entry = place_of_entry(place.path, damage.token);
    const struct place file = place_in(&entry, "model-0");
    uint8_t *bytes = NULL;
    size_t length = 0;
    REQUIRE(place_read(&file, &bytes, &length));
    uint8_t *level = memmem(bytes, length, "halyard-cpu ", 12);
    REQUIRE(level);
    static const char *const levels[] = {"avx9", "generic", "neon", "avx512"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (strncmp((char *)level + 12, levels[i], strlen(levels[i])) == 0)
            continue;
        memcpy(level + 12, levels[i], strlen(levels[i]));
        EXPECT(place_write(&file, bytes, length) && place_vouch(&entry, damage.token));
        damage_check(&damage, levels[i], i);
    }
    free(bytes);
    EXPECT(damage.count >= 3);
    EXPECT_INT(damage.failures, 0);
    subject_finish(&subject);
    place_remove(&place);
}
