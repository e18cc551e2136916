#include "tests/caching/damage.h"

#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOLD 5 /* failures in words */

bool damage_begin(struct damage *damage, const struct app *app)
{
    *damage = (struct damage){.app = app, .random = {42}};
    struct app_result result = app_compile_and_run(app);
    for (int i = 0; i < 2 && app_is_good(&result) && result.cache != HALYARD_CACHE_HIT; i++)
        result = app_compile_and_run(app);
    memcpy(damage->token, result.token, sizeof damage->token);
    if (app_is_good(&result) && result.cache == HALYARD_CACHE_HIT)
        return true;
    hy_test_fail(__FILE__, __LINE__, "no entry to damage: %s", app_words(app, &result));
    return false;
}

static void tell(struct damage *damage, const char *what, uint64_t where, const char *when,
                 const struct app_result *result)
{
    if (damage->failures++ < TOLD)
        hy_test_fail(__FILE__, __LINE__, "%s %llu, %s: %s", what, (unsigned long long)where, when,
                     app_words(damage->app, result));
}

void damage_check(struct damage *damage, const char *what, uint64_t where)
{
    const struct app_result first = app_compile_and_run(damage->app);
    const bool is_told = first.reason[0] && !strstr(first.reason, "there is none");
    damage->count++;
    if (!app_is_good(&first) || first.cache == HALYARD_CACHE_HIT || !is_told)
        tell(damage, what, where, "damaged", &first);
    const struct app_result second = app_compile_and_run(damage->app);
    if (!app_is_good(&second) || second.cache != HALYARD_CACHE_HIT)
        tell(damage, what, where, "afterwards", &second);
}

/* ---- Kinds of damage ------------------------------------------------------------------------- */

static struct place file_of(const struct damage *damage, const char *file)
{
    return place_of_file(damage->app->folder, damage->token, file);
}

void damage_cut_all(struct damage *damage, const char *file, uint64_t step)
{
    const struct place place = file_of(damage, file);

    for (uint64_t length = step > 1 ? hy_random_next(&damage->random) % step : 0;
         length < place_length(&place); length += step) {
        if (truncate(place.path, (off_t)length) != 0) {
            hy_test_fail(__FILE__, __LINE__, "%s cannot be cut", place.path);
            return;
        }
        damage_check(damage, file, length);
    }
}

/* False: the file has no such bit. A driver that searches for what is fastest may well write files
 * of another length the next time. */
static bool flip(struct damage *damage, const char *file, uint64_t bit)
{
    const struct place place = file_of(damage, file);

    if (bit >= place_length(&place) * 8)
        return false;
    if (place_flip(&place, bit))
        damage_check(damage, file, bit);
    else
        hy_test_fail(__FILE__, __LINE__, "%s, bit %llu, cannot be changed", place.path,
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
        const struct place place = file_of(damage, file);
        const uint64_t bits = place_length(&place) * 8;
        if (bits > 0)
            flip(damage, file, hy_random_next(&damage->random) % bits);
    }
}
