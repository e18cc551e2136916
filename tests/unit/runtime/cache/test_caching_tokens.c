/* Whose an entry is: steps and bodies of control flow have their own, and so has all that makes
 * tokens differ. */
#include "tests/kit/test.h"

#include "runtime/plan/bodies.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

static struct caching_device device;

static struct cache_dir begin(void)
{
    caching_device_init(&device, "acme-cache", ANEURALNETWORKS_ADD);
    return make_dir();
}

static void end(struct cache_dir *dir)
{
    remove_dir(dir->path);
    caching_device_finish(&device);
}

/* ---- Parts of one compilation ---------------------------------------------------------------- */

TEST(caching_tokens, each_step_has_an_entry_of_its_own)
{
    static struct caching_device other;
    struct cache_dir dir = begin();
    struct caching_device *const list[] = {&device, &other};

    caching_device_init(&other, "acme-other", ANEURALNETWORKS_MUL);
    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation =
            begin_compiling(cached_model(cache_constant, true), list, 2);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation);
        REQUIRE(compilation->plan->step_count == 2);
        for (uint32_t i = 0; i < 2; i++)
            EXPECT_INT(outcome_of(compilation, i)->kind,
                       round == 0 ? HY_CACHE_STORED : HY_CACHE_HIT);
        EXPECT(computes_correctly(compilation, cache_constant, true));
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.prepare_count + other.prepare_count, 2);
    EXPECT_INT(device.restore_count + other.restore_count, 2);
    caching_device_finish(&other);
    end(&dir);
}

/* y = IF (true) x + constant ELSE x + other. */
static struct hy_app_model *branch_model(void)
{
    static const float other[EXTENT] = {5, 6, 7, 8};
    struct hy_app_model *const bodies[] = {cached_model(cache_constant, false),
                                           cached_model(other, false)};
    struct fixture f = fixture_create();
    const uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT), one = 1;
    uint32_t inputs[] = {tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0), 0, 0, x};
    const uint8_t yes = 1;
    bool ok = set(&f, inputs[0], &yes, 1) == HY_OK;

    for (int i = 0; i < 2; i++) {
        inputs[1 + i] = scalar(&f, ANEURALNETWORKS_MODEL);
        ok = ok &&
             hy_app_model_set_value_from_model(f.model, inputs[1 + i], bodies[i], &f.err) == HY_OK;
    }
    ok = ok && op(&f, ANEURALNETWORKS_IF, 4, inputs, y) == HY_OK && identify(&f, x, y) == HY_OK &&
         finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    for (int i = 0; i < 2; i++)
        hy_app_model_release(bodies[i]);
    return f.model;
}

TEST(caching_tokens, each_body_of_control_flow_has_an_entry_of_its_own)
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;

    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation = begin_compiling(branch_model(), &list, 1);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation && compilation->plan->bodies && compilation->plan->bodies->count == 2);
        EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_UNUSED);
        for (int i = 0; i < 2; i++)
            EXPECT_INT(compilation->plan->bodies->list[i].plan->steps[0].cache.kind,
                       round == 0 ? HY_CACHE_STORED : HY_CACHE_HIT);
        EXPECT(computes_correctly(compilation, cache_constant, false));
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.prepare_count, 2);
    EXPECT_INT(device.restore_count, 2);
    end(&dir);
}

/* ---- What makes tokens differ ---------------------------------------------------------------- */

/* Stores the plain compilation, and then finds that the changed one misses. */
static void expect_miss(void (*change)(struct hy_compilation *compilation))
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;

    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation =
            begin_compiling(cached_model(cache_constant, false), &list, 1);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
        if (round == 1)
            change(compilation);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation);
        EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_STORED);
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.restore_count, 0);
    device.device.info.version = "1";
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    end(&dir);
}

static void change_preference(struct hy_compilation *compilation)
{
    compilation->preference = HY_PREFER_LOW_POWER;
}

static void change_priority(struct hy_compilation *compilation)
{
    compilation->priority = HY_PRIORITY_HIGH;
}

static void change_features(struct hy_compilation *compilation)
{
    compilation->caching.cpu_features = "another processor";
}

static void change_attributes(struct hy_compilation *compilation)
{
    EXPECT_INT(hy_attributes_add(&compilation->attributes, "com.acme.tune", 3, "fast", 4, NULL),
               HY_OK);
}

static void change_token(struct hy_compilation *compilation)
{
    compilation->caching.token[31] ^= 1;
}

static void change_version(struct hy_compilation *compilation)
{
    (void)compilation;
    device.device.info.version = "2";
}

TEST(caching_tokens, another_preference_is_a_miss)
{
    expect_miss(change_preference);
}

TEST(caching_tokens, another_priority_is_a_miss)
{
    expect_miss(change_priority);
}

TEST(caching_tokens, other_processor_features_are_a_miss)
{
    expect_miss(change_features);
}

TEST(caching_tokens, other_attributes_are_a_miss)
{
    expect_miss(change_attributes);
}

TEST(caching_tokens, another_token_of_the_app_is_a_miss)
{
    expect_miss(change_token);
}

TEST(caching_tokens, another_version_of_the_driver_is_a_miss)
{
    expect_miss(change_version);
}

TEST(caching_tokens, constants_changed_under_the_same_token_are_a_miss)
{
    static const float changed[EXTENT] = {9, 8, 7, 6};
    struct cache_dir dir = begin();
    struct caching_device *list = &device;

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = begin_compiling(cached_model(changed, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
    compilation = finish_compiling(compilation);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_STORED);
    EXPECT(computes_correctly(compilation, changed, false));
    hy_compilation_release(compilation);
    end(&dir);
}

TEST(caching_tokens, other_numbers_of_files_are_a_miss)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.device.info.data_cache_files = 2;
    /* It writes only where it has one. */
    expect_outcome(&device, dir.path, HY_CACHE_NOT_STORED, "");
    EXPECT_INT(device.restore_count, 0);
    EXPECT_INT(device.last_data_files, 2);
    end(&dir);
}
