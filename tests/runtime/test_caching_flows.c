/* Hit, miss and none: what a compilation does with a cache folder, and what devices do to it. */
#include "test.h"

#include "cache_fixture.h"
#include "halyard/halyard.h"
#include "runtime/plan/bodies.h"

#include <fcntl.h>

/* Compiles, checks the answer and the outcome of the only step, and frees. */
static void expect(struct caching_device *device, const char *folder, enum hy_cache_kind kind,
                   const char *words)
{
    struct hy_compilation *compilation = compile_in(device, folder);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, kind);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, words);
    EXPECT((outcome_of(compilation, 0)->bytes > 0) ==
           (kind == HY_CACHE_HIT || kind == HY_CACHE_STORED));
    EXPECT(answers_right(compilation, cache_constant, false));
    hy_compilation_release(compilation);
    EXPECT_INT(device->alive, 0);
}

static struct caching_device device;

static struct cache_folder begin(void)
{
    caching_device_init(&device, "acme-cache", ANEURALNETWORKS_ADD);
    return make_folder();
}

static void end(struct cache_folder *folder)
{
    remove_folder(folder->path);
    caching_device_finish(&device);
}

TEST(caching_flows, a_miss_is_stored_and_the_next_compilation_hits)
{
    struct cache_folder folder = begin();

    expect(&device, folder.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 0);
    EXPECT_INT(device.last_model_files, 1);
    EXPECT_INT(device.last_data_files, 1);
    EXPECT_INT(device.save_status, HY_STATUS_OK);
    expect(&device, folder.path, HY_CACHE_HIT, "prepared from files");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 1);
    EXPECT_INT(device.restore_status, HY_STATUS_OK);
    end(&folder);
}

TEST(caching_flows, nothing_is_asked_nothing_is_offered)
{
    struct cache_folder folder = begin();
    struct caching_device *list = &device;
    struct hy_compilation *compilation =
        finish_compiling(begin_compiling(cached_model(cache_constant, false), &list, 1));

    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_OFF);
    EXPECT(!device.has_token && device.last_model_files == 0 && device.last_data_files == 0);
    hy_compilation_release(compilation);
    end(&folder);
}

TEST(caching_flows, a_device_without_files_is_left_alone)
{
    struct cache_folder folder = begin();

    device.device.info.model_cache_files = device.device.info.data_cache_files = 0;
    expect(&device, folder.path, HY_CACHE_UNUSED, "does not cache");
    EXPECT(!device.has_token);
    end(&folder);
}

TEST(caching_flows, each_step_has_an_entry_of_its_own)
{
    static struct caching_device other;
    struct cache_folder folder = begin();
    struct caching_device *const list[] = {&device, &other};

    caching_device_init(&other, "acme-other", ANEURALNETWORKS_MUL);
    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation =
            begin_compiling(cached_model(cache_constant, true), list, 2);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL),
                   HY_OK);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation);
        REQUIRE(compilation->plan->step_count == 2);
        for (uint32_t i = 0; i < 2; i++)
            EXPECT_INT(outcome_of(compilation, i)->kind,
                       round == 0 ? HY_CACHE_STORED : HY_CACHE_HIT);
        EXPECT(answers_right(compilation, cache_constant, true));
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.prepare_count + other.prepare_count, 2);
    EXPECT_INT(device.restore_count + other.restore_count, 2);
    caching_device_finish(&other);
    end(&folder);
}

/* y = IF (true) x + constant ELSE x + other. */
static struct hy_app_model *choice_model(void)
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

TEST(caching_flows, each_body_of_control_flow_has_an_entry_of_its_own)
{
    struct cache_folder folder = begin();
    struct caching_device *list = &device;

    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation = begin_compiling(choice_model(), &list, 1);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL),
                   HY_OK);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation && compilation->plan->bodies && compilation->plan->bodies->count == 2);
        EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_UNUSED);
        for (int i = 0; i < 2; i++)
            EXPECT_INT(compilation->plan->bodies->list[i].plan->steps[0].cache.kind,
                       round == 0 ? HY_CACHE_STORED : HY_CACHE_HIT);
        EXPECT(answers_right(compilation, cache_constant, false));
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.prepare_count, 2);
    EXPECT_INT(device.restore_count, 2);
    end(&folder);
}

/* ---- Devices that do wrong ------------------------------------------------------------------- */

TEST(caching_flows, what_a_device_does_not_take_back_is_replaced)
{
    static const enum caching_fault faults[] = {CACHING_RESTORE_FAILS,
                                                CACHING_RESTORE_GIVES_NOTHING};
    struct cache_folder folder = begin();

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        device.fault = CACHING_HONEST;
        remove_folder(folder.path);
        REQUIRE(mkdir(folder.path, 0700) == 0);
        expect(&device, folder.path, HY_CACHE_STORED, "");
        device.fault = faults[i];
        expect(&device, folder.path, HY_CACHE_STORED, "prepare_from_cache");
        device.fault = CACHING_HONEST;
        expect(&device, folder.path, HY_CACHE_HIT, "");
    }
    end(&folder);
}

TEST(caching_flows, an_entry_that_was_found_is_not_written)
{
    struct cache_folder folder = begin();

    expect(&device, folder.path, HY_CACHE_STORED, "");
    device.fault = CACHING_SAVES_AGAIN;
    expect(&device, folder.path, HY_CACHE_HIT, "");
    EXPECT_INT(device.save_status, HY_STATUS_GENERAL_FAILURE);
    expect(&device, folder.path, HY_CACHE_HIT, "");
    end(&folder);
}

TEST(caching_flows, an_entry_stays_when_the_device_is_busy)
{
    struct cache_folder folder = begin();

    expect(&device, folder.path, HY_CACHE_STORED, "");
    device.fault = CACHING_RESTORE_IS_BUSY;
    expect(&device, folder.path, HY_CACHE_NOT_STORED, "UNAVAILABLE");
    EXPECT(!device.has_token);
    device.fault = CACHING_HONEST;
    expect(&device, folder.path, HY_CACHE_HIT, "");
    end(&folder);
}

TEST(caching_flows, a_device_that_writes_nothing_has_no_entry)
{
    struct cache_folder folder = begin();

    device.fault = CACHING_WRITES_NOTHING;
    expect(&device, folder.path, HY_CACHE_NOT_STORED, "not kept");
    expect(&device, folder.path, HY_CACHE_NOT_STORED, "not kept");
    EXPECT_INT(device.restore_count, 0);
    end(&folder);
}

TEST(caching_flows, a_device_that_fails_to_prepare_leaves_no_entry)
{
    struct cache_folder folder = begin();
    struct caching_device *list = &device;
    struct hy_compilation *compilation;

    device.fault = CACHING_PREPARE_FAILS;
    compilation = begin_compiling(cached_model(cache_constant, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_FAILED);
    hy_compilation_release(compilation);
    device.fault = CACHING_HONEST;
    expect(&device, folder.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.restore_count, 0);
    end(&folder);
}

TEST(caching_flows, other_numbers_of_files_are_a_miss)
{
    struct cache_folder folder = begin();

    expect(&device, folder.path, HY_CACHE_STORED, "");
    device.device.info.data_cache_files = 2;
    expect(&device, folder.path, HY_CACHE_NOT_STORED, ""); /* it writes only where it has one */
    EXPECT_INT(device.restore_count, 0);
    EXPECT_INT(device.last_data_files, 2);
    end(&folder);
}

/* ---- Devices that restore inside of prepare -------------------------------------------------- */

TEST(caching_flows, a_device_without_prepare_from_cache_gets_a_copy_in_prepare)
{
    struct cache_folder folder = begin();

    device.table.prepare_from_cache = NULL;
    expect(&device, folder.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.last_bytes, 0);
    device.fault = CACHING_WRITES_NOTHING; /* that is, it likes what it finds */
    expect(&device, folder.path, HY_CACHE_HIT, "copy");
    EXPECT_INT(device.last_bytes, sizeof(int32_t) + sizeof cache_constant);
    device.fault = CACHING_WRITES_OTHER;
    expect(&device, folder.path, HY_CACHE_STORED, "");
    device.fault = CACHING_WRITES_NOTHING;
    expect(&device, folder.path, HY_CACHE_HIT, "copy");
    EXPECT_INT(device.last_bytes, sizeof(int32_t) + sizeof cache_constant + 1);
    end(&folder);
}

static int open_files(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(caching_flows, models_that_live_hold_no_descriptors)
{
    enum { COUNT = 10 };
    struct cache_folder folder = begin();
    struct hy_compilation *alive[COUNT];

    expect(&device, folder.path, HY_CACHE_STORED, "");
    const int before = open_files();
    for (int i = 0; i < COUNT; i++) {
        alive[i] = compile_in(&device, folder.path);
        REQUIRE(alive[i]);
        EXPECT_INT(outcome_of(alive[i], 0)->kind, HY_CACHE_HIT);
    }
    EXPECT_INT(open_files(), before);
    for (int i = 0; i < COUNT; i++) {
        EXPECT(answers_right(alive[i], cache_constant, false)); /* from what is mapped */
        hy_compilation_release(alive[i]);
    }
    end(&folder);
}

/* ---- What makes tokens differ ---------------------------------------------------------------- */

/* Stores the plain compilation, and then finds that the changed one misses. */
static void expect_miss(void (*change)(struct hy_compilation *compilation))
{
    struct cache_folder folder = begin();
    struct caching_device *list = &device;

    for (int round = 0; round < 2; round++) {
        struct hy_compilation *compilation =
            begin_compiling(cached_model(cache_constant, false), &list, 1);
        REQUIRE(compilation);
        EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL),
                   HY_OK);
        if (round == 1)
            change(compilation);
        compilation = finish_compiling(compilation);
        REQUIRE(compilation);
        EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_STORED);
        hy_compilation_release(compilation);
    }
    EXPECT_INT(device.restore_count, 0);
    device.device.info.version = "1";
    expect(&device, folder.path, HY_CACHE_HIT, "");
    end(&folder);
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

TEST(caching_flows, another_preference_is_a_miss)
{
    expect_miss(change_preference);
}

TEST(caching_flows, another_priority_is_a_miss)
{
    expect_miss(change_priority);
}

TEST(caching_flows, other_processor_features_are_a_miss)
{
    expect_miss(change_features);
}

TEST(caching_flows, other_attributes_are_a_miss)
{
    expect_miss(change_attributes);
}

TEST(caching_flows, another_token_of_the_app_is_a_miss)
{
    expect_miss(change_token);
}

TEST(caching_flows, another_version_of_the_driver_is_a_miss)
{
    expect_miss(change_version);
}

TEST(caching_flows, constants_changed_under_the_same_token_are_a_miss)
{
    static const float changed[EXTENT] = {9, 8, 7, 6};
    struct cache_folder folder = begin();
    struct caching_device *list = &device;

    expect(&device, folder.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = begin_compiling(cached_model(changed, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL), HY_OK);
    compilation = finish_compiling(compilation);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_STORED);
    EXPECT(answers_right(compilation, changed, false));
    hy_compilation_release(compilation);
    end(&folder);
}

/* ---- Folders that cannot be used ------------------------------------------------------------- */

TEST(caching_flows, a_folder_that_is_missing_fails_nothing)
{
    struct cache_folder folder = begin();

    remove_folder(folder.path);
    expect(&device, folder.path, HY_CACHE_NOT_STORED, folder.path);
    end(&folder);
}

TEST(caching_flows, a_folder_that_was_replaced_is_used_anew)
{
    struct cache_folder folder = begin();

    expect(&device, folder.path, HY_CACHE_STORED, "");
    remove_folder(folder.path);
    REQUIRE(mkdir(folder.path, 0700) == 0);
    expect(&device, folder.path, HY_CACHE_STORED, "");
    expect(&device, folder.path, HY_CACHE_HIT, "");
    end(&folder);
}

TEST(caching_flows, a_file_in_place_of_the_folder_fails_nothing)
{
    struct cache_folder folder = begin();
    char path[64];

    snprintf(path, sizeof path, "%s/file", folder.path);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    EXPECT(fd >= 0);
    close(fd);
    expect(&device, path, HY_CACHE_NOT_STORED, "");
    end(&folder);
}

TEST(caching_flows, a_missed_deadline_of_the_cache_is_none_of_the_compilation)
{
    struct cache_folder folder = begin();
    struct caching_device *list = &device;

    expect(&device, folder.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_folder(&compilation->caching, folder.path, app_token, NULL), HY_OK);
    compilation->timeout = 1; /* over before anything is looked up; this device does not mind */
    compilation = finish_compiling(compilation);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_NOT_STORED);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, "no time");
    hy_compilation_release(compilation);
    end(&folder);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

TEST(caching_flows, the_step_of_the_report_tells_what_happened)
{
    struct cache_folder folder = begin();
    struct halyard_plan_step step = {.struct_size = sizeof step};

    expect(&device, folder.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = compile_in(&device, folder.path);
    REQUIRE(compilation);
    EXPECT_INT(
        halyard_compilation_get_step((const ANeuralNetworksCompilation *)compilation, 0, &step),
        ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(step.cache, HALYARD_CACHE_HIT);
    EXPECT_STR(step.cache_reason, "prepared from files");
    EXPECT_INT(step.cache_bytes, sizeof(int32_t) + sizeof cache_constant);
    EXPECT(memcmp(step.token, device.last_token, sizeof step.token) == 0);
    hy_compilation_release(compilation);
    end(&folder);
}
