/* Entries that were cut or changed in a bit: through the API, on the CPU and on the sample driver
 * in all its ways to cache. */
#include "tests/test.h"

#include "tests/caching/damage.h"
#include "tests/caching/state.h"

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

static void damage_entry(const char *device, enum subject_kind kind, bool all)
{
    const struct place place = place_make(true);
    const uint64_t start = seconds();
    struct subject subject;
    struct damage damage = {0};
    struct app app;

    if (subject_init(&subject, kind, 1) && app_init(&app, &subject, device, place.path) &&
        damage_begin(&damage, &app)) {
        const struct place entry = place_of_entry(place.path, damage.token);
        const struct place_files files = place_list(&entry);
        EXPECT(files.count >= 3);
        for (uint32_t i = 0; i < files.count; i++)
            (all ? damage_file : sample_file)(&damage, files.files[i].name, files.files[i].length);
        if (all)
            printf("\n  %s on %s: %u damages, %llu s\n", subject_name(kind), device, damage.count,
                   (unsigned long long)(seconds() - start));
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s on %s: %s", subject_name(kind), device,
                     halyard_last_error());
    }
    EXPECT(damage.count > 0);
    EXPECT_INT(damage.failures, 0);
    subject_finish(&subject);
    place_remove(&place);
}

/* On the CPU: int8, float, control flow. */
static void damage_on_cpu(bool all)
{
    damage_entry("halyard-cpu", SUBJECT_CNN8, all);
    damage_entry("halyard-cpu", SUBJECT_DENSE, all);
    damage_entry("halyard-cpu", SUBJECT_BRANCH, all);
    damage_entry("halyard-cpu", SUBJECT_LARGE, all);
}

static void damage_on_sample(const char *device, bool all)
{
    damage_entry(device, SUBJECT_DENSE8, all);
    damage_entry(device, SUBJECT_DENSE, all);
    damage_entry(device, SUBJECT_POOLED, all);
    damage_entry(device, SUBJECT_LARGE, all);
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

TEST(caching_damage_slow_late, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-just-in-time", true);
}

TEST(caching_damage_slow_kept, in_every_way_is_a_miss_and_is_mended)
{
    damage_on_sample("halyard-sample-descriptors", true);
}
