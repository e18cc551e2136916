/* Entries of another version of a driver, in the place of those of this one. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/damage.h"
#include "tests/scenarios/caching/forked.h"
#include "tests/scenarios/caching/state_dir.h"

#include <stdlib.h>

#define DEVICE "halyard-sample-compiled"

/* One process with one version of the driver. */
struct visit {
    const char *manifest;
    const struct fs_path *fs_path;
    struct app_result *result; /* shared */
};

static bool compile(void *context)
{
    const struct visit *visit = context;
    struct cache_model cache_model;
    struct app app;

    setenv("HALYARD_DRIVER_FILES", visit->manifest, 1);
    FORKED_CHECK(cache_model_init(&cache_model, CACHE_MODEL_DENSE8, 1));
    FORKED_CHECK(app_init(&app, &cache_model, DEVICE, visit->fs_path->path));
    *visit->result = app_compile_and_run(&app);
    cache_model_finish(&cache_model);
    return true;
}

static struct app_result visit(const char *manifest, const struct fs_path *fs_path)
{
    static struct app_result *result;
    struct visit visit = {manifest, fs_path, result ? result : (result = forked_shared(4096))};

    memset(result, 0, sizeof *result);
    EXPECT_INT(forked_run(compile, &visit), 0);
    return *result;
}

static void expect(const struct app_result *result, int32_t cache)
{
    EXPECT(app_is_good(result));
    EXPECT_INT(result->cache, cache);
}

/* Whether two entries hold the same bytes: then one is as good as the other. */
static bool are_alike(const struct fs_path *fs_path, const struct app_result *left,
                      const struct app_result *right)
{
    static const char *const names[] = {"model-0", "data-0"};
    bool alike = true;

    for (int i = 0; i < 2; i++) {
        const struct fs_path a = path_of_file(fs_path->path, left->token, names[i]);
        const struct fs_path b = path_of_file(fs_path->path, right->token, names[i]);
        uint8_t *first = NULL, *second = NULL;
        size_t first_length = 0, second_length = 0;
        alike = path_read(&a, &first, &first_length) && path_read(&b, &second, &second_length) &&
                first_length == second_length && memcmp(first, second, first_length) == 0 && alike;
        free(first);
        free(second);
    }
    return alike;
}

static void put(const struct fs_path *fs_path, const struct app_result *from,
                const struct app_result *to, bool is_vouched)
{
    const struct fs_path source = path_of_entry(fs_path->path, from->token);
    const struct fs_path target = path_of_entry(fs_path->path, to->token);

    EXPECT(path_copy(&source, &target));
    if (is_vouched)
        EXPECT(entry_fix_metadata(&target, to->token));
}

static void put_into_each_other(bool is_vouched)
{
    const struct fs_path fs_path = path_make_dir(true);
    const struct app_result this = visit(THIS_MANIFEST, &fs_path);
    expect(&this, HALYARD_CACHE_STORED);
    const struct app_result hit = visit(THIS_MANIFEST, &fs_path);
    expect(&hit, HALYARD_CACHE_HIT);
    const struct app_result next = visit(NEXT_MANIFEST, &fs_path);
    expect(&next, HALYARD_CACHE_STORED);
    EXPECT(memcmp(this.token, next.token, sizeof this.token) != 0);

    bool alike = is_vouched && are_alike(&fs_path, &this, &next);
    put(&fs_path, &this, &next, is_vouched);
    const struct app_result newer = visit(NEXT_MANIFEST, &fs_path);
    expect(&newer, alike ? HALYARD_CACHE_HIT : HALYARD_CACHE_STORED);
    const struct app_result newer_again = visit(NEXT_MANIFEST, &fs_path);
    expect(&newer_again, HALYARD_CACHE_HIT);

    /* What was recorded for this version is still there, though the next one was here. That one may
     * have chosen something else this time. */
    alike = is_vouched && are_alike(&fs_path, &this, &next);
    put(&fs_path, &next, &this, is_vouched);
    const struct app_result older = visit(THIS_MANIFEST, &fs_path);
    expect(&older, alike ? HALYARD_CACHE_HIT : HALYARD_CACHE_STORED);
    const struct app_result older_again = visit(THIS_MANIFEST, &fs_path);
    expect(&older_again, HALYARD_CACHE_HIT);
    path_remove(&fs_path);
}

/* An app that is started with one version and the other in turn. */
TEST(caching_foreign, versions_of_a_driver_that_start_in_turn_hit_from_the_second_start_on)
{
    static const char *const manifests[] = {THIS_MANIFEST, NEXT_MANIFEST};
    const struct fs_path fs_path = path_make_dir(true);

    for (int start = 0; start < 8; start++) {
        const struct app_result result = visit(manifests[start % 2], &fs_path);
        expect(&result, start < 2 ? HALYARD_CACHE_STORED : HALYARD_CACHE_HIT);
    }
    path_remove(&fs_path);
}

TEST(caching_foreign, entries_of_another_version_of_the_driver_are_misses)
{
    put_into_each_other(false);
    put_into_each_other(true);
}
