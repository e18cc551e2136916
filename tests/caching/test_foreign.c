/* Entries of another version of a driver, in the place of those of this one. */
#include "tests/test.h"

#include "tests/caching/apart.h"
#include "tests/caching/damage.h"
#include "tests/caching/state.h"

#include <stdlib.h>

#define DEVICE "halyard-sample-compiled"

/* One process with one version of the driver. */
struct visit {
    const char *manifest;
    const struct place *place;
    struct app_result *result; /* shared */
};

static bool compile(void *context)
{
    const struct visit *visit = context;
    struct subject subject;
    struct app app;

    setenv("HALYARD_DRIVER_FILES", visit->manifest, 1);
    APART_CHECK(subject_init(&subject, SUBJECT_DENSE8, 1));
    APART_CHECK(app_init(&app, &subject, DEVICE, visit->place->path));
    *visit->result = app_compile_and_run(&app);
    subject_finish(&subject);
    return true;
}

static struct app_result visit(const char *manifest, const struct place *place)
{
    static struct app_result *result;
    struct visit visit = {manifest, place, result ? result : (result = apart_shared(4096))};

    memset(result, 0, sizeof *result);
    EXPECT_INT(apart_run(compile, &visit), 0);
    return *result;
}

static void expect(const struct app_result *result, int32_t cache)
{
    EXPECT(app_is_good(result));
    EXPECT_INT(result->cache, cache);
}

/* Whether two entries hold the same bytes: then one is as good as the other. */
static bool are_alike(const struct place *place, const struct app_result *left,
                      const struct app_result *right)
{
    static const char *const names[] = {"model-0", "data-0"};
    bool alike = true;

    for (int i = 0; i < 2; i++) {
        const struct place a = place_of_file(place->path, left->token, names[i]);
        const struct place b = place_of_file(place->path, right->token, names[i]);
        uint8_t *first = NULL, *second = NULL;
        size_t first_length = 0, second_length = 0;
        alike = place_read(&a, &first, &first_length) && place_read(&b, &second, &second_length) &&
                first_length == second_length && memcmp(first, second, first_length) == 0 && alike;
        free(first);
        free(second);
    }
    return alike;
}

static void put(const struct place *place, const struct app_result *from,
                const struct app_result *to, bool is_vouched)
{
    const struct place source = place_of_entry(place->path, from->token);
    const struct place target = place_of_entry(place->path, to->token);

    EXPECT(place_copy(&source, &target));
    if (is_vouched)
        EXPECT(place_vouch(&target, to->token));
}

static void put_into_each_other(bool is_vouched)
{
    const struct place place = place_make(true);
    const struct app_result this = visit(THIS_MANIFEST, &place);
    expect(&this, HALYARD_CACHE_STORED);
    const struct app_result hit = visit(THIS_MANIFEST, &place);
    expect(&hit, HALYARD_CACHE_HIT);
    const struct app_result next = visit(NEXT_MANIFEST, &place);
    expect(&next, HALYARD_CACHE_STORED);
    EXPECT(memcmp(this.token, next.token, sizeof this.token) != 0);

    bool alike = is_vouched && are_alike(&place, &this, &next);
    put(&place, &this, &next, is_vouched);
    const struct app_result newer = visit(NEXT_MANIFEST, &place);
    expect(&newer, alike ? HALYARD_CACHE_HIT : HALYARD_CACHE_STORED);
    const struct app_result newer_again = visit(NEXT_MANIFEST, &place);
    expect(&newer_again, HALYARD_CACHE_HIT);

    /* What was recorded for this version is still there, though the next one was here. That one may
     * have chosen something else this time. */
    alike = is_vouched && are_alike(&place, &this, &next);
    put(&place, &next, &this, is_vouched);
    const struct app_result older = visit(THIS_MANIFEST, &place);
    expect(&older, alike ? HALYARD_CACHE_HIT : HALYARD_CACHE_STORED);
    const struct app_result older_again = visit(THIS_MANIFEST, &place);
    expect(&older_again, HALYARD_CACHE_HIT);
    place_remove(&place);
}

/* An app that is started with one version and the other in turn. */
TEST(caching_foreign, versions_of_a_driver_that_start_in_turn_hit_from_the_second_start_on)
{
    static const char *const manifests[] = {THIS_MANIFEST, NEXT_MANIFEST};
    const struct place place = place_make(true);

    for (int start = 0; start < 8; start++) {
        const struct app_result result = visit(manifests[start % 2], &place);
        expect(&result, start < 2 ? HALYARD_CACHE_STORED : HALYARD_CACHE_HIT);
    }
    place_remove(&place);
}

TEST(caching_foreign, entries_of_another_version_of_the_driver_are_misses)
{
    put_into_each_other(false);
    put_into_each_other(true);
}
