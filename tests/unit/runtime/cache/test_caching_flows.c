/* Hit, miss and none: what a compilation does with a cache folder, and what devices do to it. */
#include "tests/kit/test.h"

#include "cache_store/entry_writer.h"
#include "halyard/halyard.h"
#include "runtime/compile/compile.h"
#include "tests/unit/runtime/kit/cache_fixture.h"

#include <fcntl.h>

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

TEST(caching_flows, a_miss_is_stored_and_the_next_compilation_hits)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 0);
    EXPECT_INT(device.last_model_files, 1);
    EXPECT_INT(device.last_data_files, 1);
    EXPECT_INT(device.save_status, HY_STATUS_OK);
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "prepared from files");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 1);
    EXPECT_INT(device.restore_status, HY_STATUS_OK);
    end(&dir);
}

TEST(caching_flows, nothing_is_asked_nothing_is_offered)
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;
    struct hy_compilation *compilation =
        finish_compiling(begin_compiling(cached_model(cache_constant, false), &list, 1));

    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_OFF);
    EXPECT(!device.has_token && device.last_model_files == 0 && device.last_data_files == 0);
    hy_compilation_release(compilation);
    end(&dir);
}

TEST(caching_flows, a_device_without_files_is_left_alone)
{
    struct cache_dir dir = begin();

    device.device.info.model_cache_files = device.device.info.data_cache_files = 0;
    expect_outcome(&device, dir.path, HY_CACHE_UNUSED, "does not support caching");
    EXPECT(!device.has_token);
    end(&dir);
}

/* ---- Devices that do wrong ------------------------------------------------------------------- */

TEST(caching_flows, what_a_device_does_not_take_back_is_replaced)
{
    static const enum caching_fault faults[] = {
        CACHING_RESTORE_FAILS, CACHING_RESTORE_GIVES_NOTHING, CACHING_RESTORE_DIES};
    struct cache_dir dir = begin();

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        device.fault = CACHING_HONEST;
        remove_dir(dir.path);
        REQUIRE(mkdir(dir.path, 0700) == 0);
        expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
        device.fault = faults[i];
        expect_outcome(&device, dir.path, HY_CACHE_STORED, "prepare_from_cache");
        device.fault = CACHING_HONEST;
        expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    }
    end(&dir);
}

TEST(caching_flows, an_entry_that_was_found_is_not_written)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_SAVES_AGAIN;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    EXPECT_INT(device.save_status, HY_STATUS_GENERAL_FAILURE);
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    end(&dir);
}

TEST(caching_flows, an_entry_stays_when_the_device_is_busy)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_RESTORE_IS_BUSY;
    expect_outcome(&device, dir.path, HY_CACHE_NOT_STORED, "UNAVAILABLE");
    EXPECT(!device.has_token);
    device.fault = CACHING_HONEST;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    end(&dir);
}

TEST(caching_flows, a_device_that_writes_nothing_has_no_entry)
{
    struct cache_dir dir = begin();

    device.fault = CACHING_WRITES_NOTHING;
    expect_outcome(&device, dir.path, HY_CACHE_NOT_STORED, "not stored");
    expect_outcome(&device, dir.path, HY_CACHE_NOT_STORED, "not stored");
    EXPECT_INT(device.restore_count, 0);
    end(&dir);
}

TEST(caching_flows, a_device_that_fails_to_prepare_leaves_no_entry)
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;
    struct hy_compilation *compilation;

    device.fault = CACHING_PREPARE_FAILS;
    compilation = begin_compiling(cached_model(cache_constant, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_FAILED);
    hy_compilation_release(compilation);
    device.fault = CACHING_HONEST;
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.restore_count, 0);
    end(&dir);
}

/* ---- Devices that restore inside of prepare -------------------------------------------------- */

TEST(caching_flows, a_device_without_prepare_from_cache_gets_a_copy_in_prepare)
{
    struct cache_dir dir = begin();

    device.table.prepare_from_cache = NULL;
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    EXPECT_INT(device.last_bytes, 0);
    device.fault = CACHING_WRITES_NOTHING; /* that is, it likes what it finds */
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "copied");
    EXPECT_INT(device.last_bytes, sizeof(int32_t) + sizeof cache_constant);
    device.fault = CACHING_WRITES_OTHER;
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_WRITES_NOTHING;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "copied");
    EXPECT_INT(device.last_bytes, sizeof(int32_t) + sizeof cache_constant + 1);
    end(&dir);
}

TEST(caching_flows, a_device_that_writes_the_same_bytes_again_has_stored_them)
{
    struct cache_dir dir = begin();

    device.table.prepare_from_cache = NULL;
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    for (int i = 0; i < 3; i++) /* it compiles, whatever it finds */
        expect_outcome(&device, dir.path, HY_CACHE_STORED, "rewrote the files");
    device.fault = CACHING_WRITES_NOTHING;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "copied");
    end(&dir);
}

TEST(caching_flows, a_device_that_dies_or_fails_of_the_copy_gets_empty_files)
{
    static const struct {
        enum caching_fault fault;
        const char *expected;
    } cases[] = {
        {CACHING_PREPARE_DIES_OF_FILES, "prepare with a private copy of the entry failed: DEAD"},
        {CACHING_PREPARE_FAILS_OF_FILES,
         "prepare with a private copy of the entry failed: OP_FAILED"}};
    struct cache_dir dir = begin();

    device.table.prepare_from_cache = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        remove_dir(dir.path);
        REQUIRE(mkdir(dir.path, 0700) == 0);
        device.fault = CACHING_HONEST;
        expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
        device.fault = cases[i].fault;
        expect_outcome(&device, dir.path, HY_CACHE_STORED, cases[i].expected);
        EXPECT_INT(device.last_bytes, 0);
        device.fault = CACHING_WRITES_NOTHING;
        expect_outcome(&device, dir.path, HY_CACHE_HIT, "copied");
    }
    end(&dir);
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
    struct cache_dir dir = begin();
    struct hy_compilation *alive[COUNT];

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    const int before = open_files();
    for (int i = 0; i < COUNT; i++) {
        alive[i] = compile_in(&device, dir.path);
        REQUIRE(alive[i]);
        EXPECT_INT(outcome_of(alive[i], 0)->kind, HY_CACHE_HIT);
    }
    EXPECT_INT(open_files(), before);
    for (int i = 0; i < COUNT; i++) {
        EXPECT(computes_correctly(alive[i], cache_constant, false)); /* from what is mapped */
        hy_compilation_release(alive[i]);
    }
    end(&dir);
}

/* ---- Folders that cannot be used ------------------------------------------------------------- */

TEST(caching_flows, a_folder_that_is_missing_fails_nothing)
{
    struct cache_dir dir = begin();

    remove_dir(dir.path);
    expect_outcome(&device, dir.path, HY_CACHE_NOT_STORED, dir.path);
    end(&dir);
}

TEST(caching_flows, a_folder_that_was_replaced_is_used_anew)
{
    struct cache_dir dir = begin();

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    remove_dir(dir.path);
    REQUIRE(mkdir(dir.path, 0700) == 0);
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    end(&dir);
}

TEST(caching_flows, a_file_in_place_of_the_folder_fails_nothing)
{
    struct cache_dir dir = begin();
    char path[64];

    snprintf(path, sizeof path, "%s/file", dir.path);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    EXPECT(fd >= 0);
    close(fd);
    expect_outcome(&device, path, HY_CACHE_NOT_STORED, "");
    end(&dir);
}

TEST(caching_flows, a_missed_deadline_of_the_cache_is_none_of_the_compilation)
{
    struct cache_dir dir = begin();
    struct caching_device *list = &device;

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, false), &list, 1);
    REQUIRE(compilation);
    EXPECT_INT(hy_caching_set_dir(&compilation->caching, dir.path, app_token, NULL), HY_OK);
    compilation->timeout = 1; /* over before anything is looked up; this device does not mind */
    compilation = finish_compiling(compilation);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_NOT_STORED);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, "the deadline has passed");
    hy_compilation_release(compilation);
    end(&dir);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

TEST(caching_flows, the_step_of_the_report_tells_what_happened)
{
    struct cache_dir dir = begin();
    struct halyard_plan_step step = {.struct_size = sizeof step};

    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    REQUIRE(compilation);
    EXPECT_INT(
        halyard_compilation_get_step((const ANeuralNetworksCompilation *)compilation, 0, &step),
        ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(step.cache, HALYARD_CACHE_HIT);
    EXPECT_STR(step.cache_reason, "prepared from files");
    EXPECT_INT(step.cache_bytes, sizeof(int32_t) + sizeof cache_constant);
    EXPECT(memcmp(step.token, device.last_token, sizeof step.token) == 0);
    hy_compilation_release(compilation);
    end(&dir);
}
