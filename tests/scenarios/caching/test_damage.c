/* Entries that were cut or changed in a bit: through the API, on the CPU and on the sample driver
 * in all its ways to cache. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/damage.h"
#include "tests/scenarios/caching/state_dir.h"

#include <time.h>

#define SMALL     (64 * 1024) /* files up to this size are damaged in every way */
#define OF_LARGER 10000

static uint64_t seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec;
}

/* Some of all ways. */
static void sample_file(struct damage *damage, const char *file, uint64_t length)
{
    if (length == 0)
        return;
    damage_cut_all(damage, file, length / 4 + 1);
    damage_flip_some(damage, file, 4);
}

static void damage_file(struct damage *damage, const char *file, uint64_t length)
{
    if (length <= SMALL) {
        damage_cut_all(damage, file, 1);
        damage_flip_all(damage, file);
    } else {
        damage_cut_all(damage, file, length / 1000 + 1);
        damage_flip_some(damage, file, OF_LARGER);
    }
}

static void damage_entry(const char *device, enum cache_model_kind kind, bool all)
{
    const struct fs_path fs_path = path_make_dir(true);
    const uint64_t start = seconds();
    struct cache_model cache_model;
    struct damage damage = {0};
    struct app app;

    if (cache_model_init(&cache_model, kind, 1) &&
        app_init(&app, &cache_model, device, fs_path.path) && damage_begin(&damage, &app)) {
        const struct fs_path entry = path_of_entry(fs_path.path, damage.token);
        const struct entry_files files = entry_list_files(&entry);
        EXPECT(files.count >= 3);
        for (uint32_t i = 0; i < files.count; i++)
            (all ? damage_file : sample_file)(&damage, files.files[i].name, files.files[i].length);
        if (all)
            printf("\n  %s on %s: %u damages, %llu s\n", cache_model_name(kind), device,
                   damage.count, (unsigned long long)(seconds() - start));
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s on %s: %s", cache_model_name(kind), device,
                     halyard_last_error());
    }
    EXPECT(damage.count > 0);
    EXPECT_INT(damage.failures, 0);
    cache_model_finish(&cache_model);
    path_remove(&fs_path);
}

/* On the CPU: int8, float, control flow. */
static void damage_on_cpu(bool all)
{
    damage_entry("halyard-cpu", CACHE_MODEL_CNN8, all);
    damage_entry("halyard-cpu", CACHE_MODEL_DENSE, all);
    damage_entry("halyard-cpu", CACHE_MODEL_BRANCH, all);
    damage_entry("halyard-cpu", CACHE_MODEL_LARGE, all);
}

static void damage_on_sample(const char *device, bool all)
{
    damage_entry(device, CACHE_MODEL_DENSE8, all);
    damage_entry(device, CACHE_MODEL_DENSE, all);
    damage_entry(device, CACHE_MODEL_POOLED, all);
    damage_entry(device, CACHE_MODEL_LARGE, all);
}

TEST(caching_damage, of_the_cpu_is_a_miss_and_is_mended)
{
    damage_on_cpu(false);
}

TEST(caching_damage, of_a_driver_that_compiles_at_once_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-compiled", false);
}

TEST(caching_damage, of_a_driver_that_commits_late_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-just-in-time", false);
}

TEST(caching_damage, of_a_driver_that_keeps_descriptors_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-descriptors", false);
}

TEST(caching_damage_slow_cpu, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_cpu(true);
}

TEST(caching_damage_slow_compiled, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-compiled", true);
}

TEST(caching_damage_slow_just_in_time, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-just-in-time", true);
}

TEST(caching_damage_slow_open, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-descriptors", true);
}
