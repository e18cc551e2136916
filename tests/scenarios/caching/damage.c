#include "tests/scenarios/caching/damage.h"

#include "tests/kit/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORTED_MAX 5 /* failures in words */

bool damage_begin(struct damage *damage, const struct app *app)
{
    *damage = (struct damage){.app = app, .random = {42}};
    struct app_result result = app_compile_and_run(app);
    for (int i = 0; i < 2 && app_is_good(&result) && result.cache != HALYARD_CACHE_HIT; i++)
        result = app_compile_and_run(app);
    memcpy(damage->token, result.token, sizeof damage->token);
    if (app_is_good(&result) && result.cache == HALYARD_CACHE_HIT)
        return true;
    hy_test_fail(__FILE__, __LINE__, "no entry to damage: %s", app_describe(app, &result));
    return false;
}

static void report(struct damage *damage, const char *what, uint64_t where, const char *when,
                   const struct app_result *result)
{
    if (damage->failures++ < REPORTED_MAX)
        hy_test_fail(__FILE__, __LINE__, "%s %llu, %s: %s", what, (unsigned long long)where, when,
                     app_describe(damage->app, result));
}

void damage_check(struct damage *damage, const char *what, uint64_t where)
{
    const struct app_result first = app_compile_and_run(damage->app);
    const bool is_reported = first.reason[0] && !strstr(first.reason, "no entry for this token") &&
                             !strstr(first.reason, "does not exist");
    damage->count++;
    if (!app_is_good(&first) || first.cache == HALYARD_CACHE_HIT || !is_reported)
        report(damage, what, where, "damaged", &first);
    const struct app_result second = app_compile_and_run(damage->app);
    if (!app_is_good(&second) || second.cache != HALYARD_CACHE_HIT)
        report(damage, what, where, "afterwards", &second);
}

/* ---- Kinds of damage ------------------------------------------------------------------------- */

static struct fs_path file_of(const struct damage *damage, const char *file)
{
    return path_of_file(damage->app->dir, damage->token, file);
}

void damage_cut_all(struct damage *damage, const char *file, uint64_t step)
{
    const struct fs_path fs_path = file_of(damage, file);

    for (uint64_t length = step > 1 ? hy_random_next(&damage->random) % step : 0;
         length < path_length(&fs_path); length += step) {
        if (truncate(fs_path.path, (off_t)length) != 0) {
            hy_test_fail(__FILE__, __LINE__, "%s cannot be cut", fs_path.path);
            return;
        }
        damage_check(damage, file, length);
    }
}

/* False: the file has no such bit. A driver that searches for what is fastest may well write files
 * of another length the next time. */
static bool flip(struct damage *damage, const char *file, uint64_t bit)
{
    const struct fs_path fs_path = file_of(damage, file);

    if (bit >= path_length(&fs_path) * 8)
        return false;
    if (path_flip_bit(&fs_path, bit))
        damage_check(damage, file, bit);
    else
        hy_test_fail(__FILE__, __LINE__, "%s, bit %llu, cannot be changed", fs_path.path,
                     (unsigned long long)bit);
    return true;
}

void damage_flip_all(struct damage *damage, const char *file)
{
    uint64_t bit = 0;

    while (flip(damage, file, bit))
        bit++;
}

void damage_flip_some(struct damage *damage, const char *file, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct fs_path fs_path = file_of(damage, file);
        const uint64_t bits = path_length(&fs_path) * 8;
        if (bits > 0)
            flip(damage, file, hy_random_next(&damage->random) % bits);
    }
}
