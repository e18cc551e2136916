/* Good entries in the places of other ones, as they are or with metadata that names the right token
 * and the right checksums: the digests that were recorded for each token tell. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/damage.h"
#include "tests/scenarios/caching/state_dir.h"

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

struct fixture {
    struct fs_path fs_path;
    struct cache_model cache_models[3];
    struct app apps[APP_COUNT];
    struct damage damages[APP_COUNT];
    struct fs_path copies[APP_COUNT]; /* a copy of each entry as it was made */
};

/* ---- Apps that differ in one thing each ------------------------------------------------------ */

static bool fixture_init(struct fixture *fixture, const char *device)
{
    const enum cache_model_kind kinds[] = {CACHE_MODEL_DENSE8, CACHE_MODEL_DENSE8,
                                           CACHE_MODEL_DENSE};
    const int model_of[APP_COUNT] = {0, 0, 0, 0, 1, 2};
    bool good = true;

    memset(fixture, 0, sizeof *fixture);
    fixture->fs_path = path_make_dir(true);
    for (int i = 0; i < 3; i++)
        good = cache_model_init(&fixture->cache_models[i], kinds[i], (uint32_t)i + 1) && good;
    for (int i = 0; i < APP_COUNT && good; i++)
        good = app_init(&fixture->apps[i], &fixture->cache_models[model_of[i]], device,
                        fixture->fs_path.path);
    fixture->apps[1].token = 2;
    fixture->apps[2].preference = ANEURALNETWORKS_PREFER_LOW_POWER;
    fixture->apps[3].priority = ANEURALNETWORKS_PRIORITY_LOW;
    for (int i = 0; i < APP_COUNT && good; i++) {
        char name[32];
        good = damage_begin(&fixture->damages[i], &fixture->apps[i]);
        const struct fs_path entry =
            path_of_entry(fixture->fs_path.path, fixture->damages[i].token);
        snprintf(name, sizeof name, "kept-%d", i);
        fixture->copies[i] = path_in(&fixture->fs_path, name);
        good = good && path_copy(&entry, &fixture->copies[i]);
    }
    return good;
}

static void fixture_finish(struct fixture *fixture)
{
    for (int i = 0; i < 3; i++)
        cache_model_finish(&fixture->cache_models[i]);
    path_remove(&fixture->fs_path);
}

/* ---- Swaps ----------------------------------------------------------------------------------- */

static bool is_swapped(const char *name, enum swap swap)
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

static bool put_file(const struct fs_path *from, const struct fs_path *to, const char *name)
{
    const struct fs_path source = path_in(from, name), target = path_in(to, name);
    uint8_t *bytes = NULL;
    size_t length = 0;

    if (!path_read(&source, &bytes, &length))
        return false;
    const bool done = path_write(&target, bytes, length);
    free(bytes);
    return done;
}

static bool do_swap(const struct fixture *fixture, int victim, int other, enum swap swap)
{
    const uint8_t *token = fixture->damages[victim].token;
    const struct fs_path entry = path_of_entry(fixture->fs_path.path, token);
    const struct entry_files files = entry_list_files(&fixture->copies[other]);
    bool done = files.count > 0;

    for (uint32_t i = 0; i < files.count && done; i++) {
        if (is_swapped(files.files[i].name, swap))
            done = put_file(&fixture->copies[other], &entry, files.files[i].name);
    }
    if (swap == SWAP_VOUCHED || swap == SWAP_MODEL || swap == SWAP_DATA)
        done = done && entry_fix_metadata(&entry, token);
    return done;
}

/* Two tokens may well have the same files, byte by byte: then nothing was swapped. */
static bool has_same_files(const struct fs_path *left, const struct fs_path *right, enum swap swap)
{
    const struct entry_files files = entry_list_files(left);
    bool same = true;

    for (uint32_t i = 0; i < files.count && same; i++) {
        const char *name = files.files[i].name;
        const struct fs_path a = path_in(left, name), b = path_in(right, name);
        uint8_t *first = NULL, *second = NULL;
        size_t first_length = 0, second_length = 0;
        if (strcmp(name, "metadata") == 0 || !is_swapped(name, swap))
            continue;
        same = path_read(&a, &first, &first_length) && path_read(&b, &second, &second_length) &&
               first_length == second_length && memcmp(first, second, first_length) == 0;
        free(first);
        free(second);
    }
    return same;
}

static unsigned try_swap(struct fixture *fixture, int victim, int other, enum swap swap)
{
    struct damage *damage = &fixture->damages[victim];
    /* As it is now: a driver that searches may have written other bytes than the first time. */
    const struct fs_path entry = path_of_entry(fixture->fs_path.path, damage->token);
    const bool same = swap != SWAP_ALL && swap != SWAP_METADATA &&
                      has_same_files(&entry, &fixture->copies[other], swap);

    if (!do_swap(fixture, victim, other, swap)) {
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
    static struct fixture fixture;
    unsigned count = 0;

    if (fixture_init(&fixture, device)) {
        for (int victim = 0; victim < APP_COUNT; victim++) {
            for (int other = 0; other < APP_COUNT; other++) {
                for (int swap = 0; victim != other && swap < SWAP_KIND_COUNT; swap++)
                    count += try_swap(&fixture, victim, other, (enum swap)swap);
            }
            EXPECT_INT(fixture.damages[victim].failures, 0);
        }
    }
    EXPECT(count >= 60);
    printf("(%u swaps) ", count);
    fixture_finish(&fixture);
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
static void change_vouched(const char *device, enum cache_model_kind kind, unsigned count)
{
    const struct fs_path fs_path = path_make_dir(true);
    struct cache_model cache_model;
    struct damage damage = {0};
    struct app app;
    const bool ready = cache_model_init(&cache_model, kind, 1) &&
                       app_init(&app, &cache_model, device, fs_path.path) &&
                       damage_begin(&damage, &app);

    EXPECT(ready);
    for (unsigned i = 0; i < count && ready; i++) {
        const struct fs_path entry = path_of_entry(fs_path.path, damage.token);
        const char *name = i % 2 ? "model-0" : "data-0";
        const struct fs_path file = path_in(&entry, name);
        const uint64_t bits = path_length(&file) * 8;
        const uint64_t bit = bits > 0 ? hy_random_next(&damage.random) % bits : 0;
        if (bits == 0)
            continue;
        EXPECT(path_flip_bit(&file, bit) && entry_fix_metadata(&entry, damage.token));
        damage_check(&damage, name, bit);
    }
    EXPECT_INT(damage.failures, 0);
    cache_model_finish(&cache_model);
    path_remove(&fs_path);
}

TEST(caching_swapped, bits_that_checksums_vouch_for_are_misses)
{
    change_vouched("halyard-cpu", CACHE_MODEL_CNN8, 60);
    change_vouched("halyard-cpu", CACHE_MODEL_BRANCH, 60);
    change_vouched("halyard-sample-compiled", CACHE_MODEL_DENSE8, 60);
    change_vouched("halyard-sample-just-in-time", CACHE_MODEL_DENSE, 60);
    change_vouched("halyard-sample-descriptors", CACHE_MODEL_DENSE8, 60);
}

/* An entry that claims to be kept open is checked by nobody when it is found, and one that claims
 * not to be is mapped: neither makes its files any more trusted. */
static void toggle_kept_open(const char *device, enum cache_model_kind kind)
{
    const struct fs_path fs_path = path_make_dir(true);
    struct cache_model cache_model;
    struct damage damage = {0};
    struct app app;
    const bool ready = cache_model_init(&cache_model, kind, 1) &&
                       app_init(&app, &cache_model, device, fs_path.path) &&
                       damage_begin(&damage, &app);

    EXPECT(ready);
    for (unsigned i = 0; i < 40 && ready; i++) {
        const struct fs_path entry = path_of_entry(fs_path.path, damage.token);
        const char *name = i % 2 ? "model-0" : "data-0";
        const struct fs_path file = path_in(&entry, name);
        EXPECT(entry_toggle_kept_open(&entry));
        const struct app_result turned = app_compile_and_run(&app); /* the bytes are good */
        EXPECT(app_is_good(&turned));
        if (turned.cache != HALYARD_CACHE_HIT)
            continue;
        EXPECT(path_flip_bit(&file, hy_random_next(&damage.random) % (path_length(&file) * 8)));
        if (i % 4 < 2)
            EXPECT(entry_fix_metadata(&entry, damage.token));
        damage_check(&damage, name, i);
    }
    EXPECT(damage.count > 0);
    EXPECT_INT(damage.failures, 0);
    cache_model_finish(&cache_model);
    path_remove(&fs_path);
}

TEST(caching_swapped, claims_of_being_kept_open_are_trusted_no_more)
{
    toggle_kept_open("halyard-cpu", CACHE_MODEL_CNN8);
    toggle_kept_open("halyard-sample-compiled", CACHE_MODEL_DENSE8);
    toggle_kept_open("halyard-sample-just-in-time", CACHE_MODEL_DENSE);
    toggle_kept_open("halyard-sample-descriptors", CACHE_MODEL_DENSE8);
}

/* The kernels that packed weights are for stand in the model cache of the CPU: those of another
 * processor, with metadata that fits. */
TEST(caching_swapped, files_for_another_processor_are_misses)
{
    const struct fs_path fs_path = path_make_dir(true);
    struct cache_model cache_model;
    struct damage damage = {0};
    struct app app;

    REQUIRE(cache_model_init(&cache_model, CACHE_MODEL_CNN8, 1));
    REQUIRE(app_init(&app, &cache_model, "halyard-cpu", fs_path.path) &&
            damage_begin(&damage, &app));
    const struct fs_path entry = path_of_entry(fs_path.path, damage.token);
    const struct fs_path file = path_in(&entry, "model-0");
    uint8_t *bytes = NULL;
    size_t length = 0;
    REQUIRE(path_read(&file, &bytes, &length));
    uint8_t *level = memmem(bytes, length, "halyard-cpu ", 12);
    REQUIRE(level);
    static const char *const isa_levels[] = {"avx9", "generic", "neon", "avx512"};
    for (size_t i = 0; i < sizeof isa_levels / sizeof *isa_levels; i++) {
        if (strncmp((char *)level + 12, isa_levels[i], strlen(isa_levels[i])) == 0)
            continue;
        memcpy(level + 12, isa_levels[i], strlen(isa_levels[i]));
        EXPECT(path_write(&file, bytes, length) && entry_fix_metadata(&entry, damage.token));
        damage_check(&damage, isa_levels[i], i);
    }
    free(bytes);
    EXPECT(damage.count >= 3);
    EXPECT_INT(damage.failures, 0);
    cache_model_finish(&cache_model);
    path_remove(&fs_path);
}
