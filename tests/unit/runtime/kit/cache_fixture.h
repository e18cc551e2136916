#ifndef HY_TESTS_UNIT_RUNTIME_KIT_CACHE_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_CACHE_FIXTURE_H

/* Models, directories and compilations for caching devices. */
#include "caching_device.h"
#include "model_fixture.h"
#include "runtime/compile/compile.h"
#include "runtime/execute/execution.h"

#include <ftw.h>
#include <stdlib.h>

#define EXTENT 4u

static const float cache_in[EXTENT] = {1, 2, 3, 4};
static const float cache_constant[EXTENT] = {.5f, 1.5f, 2.5f, 3.5f};
static const uint8_t app_token[HY_TOKEN_SIZE] = {4, 2};

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline void remove_dir(const char *path)
{
    (void)chmod(path, 0700);
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char state_dir[] = "/tmp/halyard-test-state-XXXXXX";

static void remove_state(void)
{
    remove_dir(state_dir);
}

/* Must run before the first reading of the environment. */
TEST_SETUP(make_state)
{
    if (!mkdtemp(state_dir) || setenv("HALYARD_STATE_DIR", state_dir, 1) != 0 ||
        atexit(remove_state) != 0)
        abort();
}

/* A separate directory for each test. */
struct cache_dir {
    char path[40];
};

static inline struct cache_dir make_dir(void)
{
    struct cache_dir dir = {"/tmp/halyard-test-cache-XXXXXX"};
    if (!mkdtemp(dir.path))
        abort();
    return dir;
}

/* y = (x + constant) * constant: ADD 0, MUL 1, or the ADD alone. */
static inline struct hy_app_model *cached_model(const float *constant_, bool with_mul)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT), k = floats(&f, EXTENT);
    uint32_t none = constant(&f, 0), z = with_mul ? floats(&f, EXTENT) : y;
    bool ok =
        set(&f, k, constant_, EXTENT * sizeof(float)) == HY_OK &&
        add_op(&f, x, k, none, y) == HY_OK &&
        (!with_mul || op(&f, ANEURALNETWORKS_MUL, 3, (const uint32_t[]){y, k, none}, z) == HY_OK) &&
        identify(&f, x, z) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

/* An unfinished compilation. Takes ownership of the model. */
static inline struct hy_compilation *
begin_compiling(struct hy_app_model *model, struct caching_device *const *devices, uint32_t count)
{
    const struct hy_runtime_device *list[4];
    struct hy_compilation *compilation = NULL;

    for (uint32_t i = 0; i < count; i++)
        list[i] = &devices[i]->device;
    if (!model || hy_compilation_create(model, list, count, true, &compilation, NULL) != HY_OK)
        compilation = NULL;
    hy_app_model_release(model);
    return compilation;
}

static inline struct hy_compilation *finish_compiling(struct hy_compilation *compilation)
{
    struct hy_error err = {0};

    if (compilation && hy_compilation_finish(compilation, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "finish: %s", err.text);
        hy_compilation_release(compilation);
        compilation = NULL;
    }
    return compilation;
}

/* Compiles the ADD model with the app's token. */
static inline struct hy_compilation *compile_in(struct caching_device *device, const char *dir)
{
    struct hy_compilation *compilation =
        begin_compiling(cached_model(cache_constant, false), &device, 1);

    if (compilation && hy_caching_set_dir(&compilation->caching, dir, app_token, NULL) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "set_folder");
    return finish_compiling(compilation);
}

/* Whether a run has the expected result; also for the model with MUL. */
static inline bool computes_correctly(struct hy_compilation *compilation, const float *constant_,
                                      bool with_mul)
{
    struct hy_execution *execution = NULL;
    float out[EXTENT] = {0};
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)cache_in,
                                          .length = sizeof cache_in};
    const struct hy_argument_source to = {.buffer = out, .length = sizeof out};

    bool ok = hy_execution_create(compilation, &execution, NULL) == HY_OK &&
              hy_execution_set(execution, false, 0, NULL, &in, NULL) == HY_OK &&
              hy_execution_set(execution, true, 0, NULL, &to, NULL) == HY_OK &&
              hy_execution_begin(execution, HY_RUN_SYNC, NULL) == HY_OK &&
              hy_execution_run(execution, NULL, HY_NO_DEADLINE, NULL) == HY_OK;
    for (uint32_t i = 0; i < EXTENT && ok; i++)
        ok = out[i] == (cache_in[i] + constant_[i]) * (with_mul ? constant_[i] : 1);
    hy_execution_release(execution);
    return ok;
}

static inline const struct hy_cache_session *outcome_of(const struct hy_compilation *compilation,
                                                        uint32_t step)
{
    return &compilation->plan->steps[step].cache;
}

/* Compiles, checks the result and the outcome of the only step, and frees. The step's reason must
 * contain `expected`. */
static inline void expect_outcome(struct caching_device *device, const char *dir,
                                  enum hy_cache_kind kind, const char *expected)
{
    struct hy_compilation *compilation = compile_in(device, dir);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, kind);
    EXPECT_CONTAINS(outcome_of(compilation, 0)->reason, expected);
    EXPECT((outcome_of(compilation, 0)->bytes > 0) ==
           (kind == HY_CACHE_HIT || kind == HY_CACHE_STORED));
    EXPECT(computes_correctly(compilation, cache_constant, false));
    hy_compilation_release(compilation);
    EXPECT_INT(device->alive, 0);
}

#endif
