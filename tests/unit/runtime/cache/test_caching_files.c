/* Caching in files that the app has opened. */
#include "tests/kit/test.h"

#include "tests/unit/runtime/kit/cache_fixture.h"

#include <fcntl.h>

static struct caching_device device;

struct app_files {
    int model, data;
};

static struct app_files begin(void)
{
    caching_device_init(&device, "acme-files", ANEURALNETWORKS_ADD);
    return (struct app_files){memfd_create("model", MFD_CLOEXEC),
                              memfd_create("data", MFD_CLOEXEC)};
}

static void end(struct app_files *files)
{
    EXPECT_INT(device.alive, 0);
    close(files->model);
    close(files->data);
    caching_device_finish(&device);
}

/* With the files, the data file `data_count` times; the model has MUL too if there is `other`. */
static struct hy_compilation *compile_with(const struct app_files *files, uint32_t data_count,
                                           struct caching_device *other)
{
    const int data[] = {files->data, files->data};
    const struct hy_caching_files given = {.model_files = &files->model,
                                           .model_file_count = 1,
                                           .data_files = data,
                                           .data_file_count = data_count};
    struct caching_device *const list[] = {&device, other};
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, other != NULL), list, other ? 2 : 1);

    if (compilation &&
        hy_caching_set_files(&compilation->caching, &given, app_token, NULL) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "set_files");
    return finish_compiling(compilation);
}

static void expect(const struct app_files *files, enum hy_cache_kind kind, const char *expected)
{
    struct hy_compilation *compilation = compile_with(files, 1, NULL);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, kind);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, expected);
    EXPECT(computes_correctly(compilation, cache_constant, false));
    hy_compilation_release(compilation);
}

TEST(caching_files, empty_files_are_written_and_then_restored_from)
{
    struct app_files files = begin();

    expect(&files, HY_CACHE_STORED, "empty");
    EXPECT_INT(device.restore_count, 0); /* from nothing there is nothing to restore */
    expect(&files, HY_CACHE_HIT, "");
    EXPECT_INT(device.prepare_count, 1);
    EXPECT_INT(device.restore_count, 1);
    end(&files);
}

TEST(caching_files, a_changed_file_is_written_anew)
{
    struct app_files files = begin();

    expect(&files, HY_CACHE_STORED, "");
    EXPECT(pwrite(files.data, "x", 1, 2) == 1);
    expect(&files, HY_CACHE_STORED, "prepare_from_cache");
    expect(&files, HY_CACHE_HIT, "");
    EXPECT(ftruncate(files.model, 1) == 0);
    expect(&files, HY_CACHE_STORED, "prepare_from_cache");
    expect(&files, HY_CACHE_HIT, "");
    end(&files);
}

TEST(caching_files, what_is_mapped_of_them_is_a_copy)
{
    struct app_files files = begin();

    expect(&files, HY_CACHE_STORED, "");
    struct hy_compilation *compilation = compile_with(&files, 1, NULL);
    REQUIRE(compilation);
    EXPECT(ftruncate(files.data, 0) == 0); /* a mapping of it would end the process now */
    EXPECT(computes_correctly(compilation, cache_constant, false));
    hy_compilation_release(compilation);
    end(&files);
}

TEST(caching_files, other_numbers_are_told_and_not_used)
{
    struct app_files files = begin();
    struct hy_compilation *compilation = compile_with(&files, 2, NULL);

    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_NOT_STORED);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, "1 model and 2 data cache files");
    EXPECT(!device.has_token && device.last_data_files == 0);
    hy_compilation_release(compilation);
    end(&files);
}

TEST(caching_files, a_plan_of_two_steps_does_not_use_them)
{
    static struct caching_device other;
    struct app_files files = begin();

    caching_device_init(&other, "acme-mul", ANEURALNETWORKS_MUL);
    struct hy_compilation *compilation = compile_with(&files, 1, &other);
    REQUIRE(compilation);
    EXPECT(!device.has_token && !other.has_token);
    EXPECT_INT(outcome_of(compilation, 1)->kind, HY_CACHE_NOT_STORED);
    EXPECT_CONTAINS(outcome_of(compilation, 1)->reason, "one step");
    hy_compilation_release(compilation);
    caching_device_finish(&other);
    end(&files);
}

TEST(caching_files, a_device_that_writes_nothing_stores_nothing)
{
    struct app_files files = begin();

    device.fault = CACHING_WRITES_NOTHING;
    expect(&files, HY_CACHE_NOT_STORED, "the driver wrote nothing");
    end(&files);
}

TEST(caching_files, files_that_cannot_be_written_fail_nothing)
{
    struct app_files files = begin();
    int ends[2];

    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    const struct app_files pipes = {ends[1], ends[0]};
    expect(&pipes, HY_CACHE_NOT_STORED, "the driver wrote nothing");
    close(ends[0]);
    close(ends[1]);
    end(&files);
}

TEST(caching_files, no_later_update_replaces_them)
{
    struct app_files files = begin();
    const struct hy_host *host = device.host;
    struct hy_compilation *compilation = compile_with(&files, 1, NULL);
    int32_t model, data;
    void *update;

    REQUIRE(compilation);
    EXPECT_INT(host->cache_begin(host->context, device.last_token, &model, &data, &update),
               HY_STATUS_GENERAL_FAILURE);
    hy_compilation_release(compilation);
    end(&files);
}
