#ifndef HY_TESTS_UNIT_RUNTIME_KIT_PLAN_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_PLAN_FIXTURE_H

/* Finished models and compilations for fake devices. */
#include "fake_device.h"
#include "halyard/halyard.h"
#include "model_fixture.h"
#include "runtime/compile/compile.h"
#include "runtime/execute/execution.h"
#include "runtime/support_library/observer.h"

#define EXTENT 4u

/* y = FLOOR(RELU(x) * 3 + 0.5), in four operations: RELU 0, MUL 1, ADD 2, FLOOR 3. */
static inline struct hy_app_model *chain_model(void)
{
    static const float three[EXTENT] = {3, 3, 3, 3}, half[EXTENT] = {.5f, .5f, .5f, .5f};
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), b = floats(&f, EXTENT);
    uint32_t c = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t k = floats(&f, EXTENT), h = floats(&f, EXTENT), none = constant(&f, 0);
    bool ok = set(&f, k, three, sizeof three) == HY_OK && set(&f, h, half, sizeof half) == HY_OK &&
              relu(&f, x, a) == HY_OK &&
              op(&f, ANEURALNETWORKS_MUL, 3, (const uint32_t[]){a, k, none}, b) == HY_OK &&
              add_op(&f, b, h, none, c) == HY_OK &&
              op(&f, ANEURALNETWORKS_FLOOR, 1, &c, y) == HY_OK && identify(&f, x, y) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

static inline float chain_result(float x)
{
    return (float)(long)((x > 0 ? x : 0) * 3 + .5f);
}

/* y0 = RELU(x), y1 = FLOOR(y0): output y0 is also an input of FLOOR. */
static inline struct hy_app_model *shared_output_model(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y0 = floats(&f, EXTENT), y1 = floats(&f, EXTENT);
    const uint32_t outputs[] = {y0, y1};
    bool ok = relu(&f, x, y0) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &y0, y1) == HY_OK &&
              hy_app_model_identify(f.model, 1, &x, 2, outputs, &f.err) == HY_OK &&
              finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

/* y = FLOOR(RELU(x)) with optionally unknown extents; `middle` is the extent of RELU's result. */
static inline struct hy_app_model *dynamic_model(uint32_t in, uint32_t middle, uint32_t out)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, in), a = floats(&f, middle), y = floats(&f, out);
    bool ok = relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, y) == HY_OK &&
              identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

/* An unfinished compilation. Takes ownership of the model. */
static inline struct hy_compilation *compile_start(struct hy_app_model *model,
                                                   struct fake_device *const *fakes, uint32_t count,
                                                   bool explicit_devices)
{
    const struct hy_runtime_device *devices[8];
    struct hy_compilation *compilation = NULL;

    for (uint32_t i = 0; i < count; i++)
        devices[i] = &fakes[i]->device;
    if (!model ||
        hy_compilation_create(model, devices, count, explicit_devices, &compilation, NULL) != HY_OK)
        compilation = NULL;
    if (compilation)
        hy_compilation_set_observer(compilation, &hy_app_observer);
    hy_app_model_release(model);
    return compilation;
}

/* A finished compilation, or NULL with the text in `err`. */
static inline struct hy_compilation *compile(struct hy_app_model *model,
                                             struct fake_device *const *fakes, uint32_t count,
                                             bool explicit_devices, struct hy_error *err)
{
    struct hy_compilation *compilation = compile_start(model, fakes, count, explicit_devices);
    if (compilation && hy_compilation_finish(compilation, err) != HY_OK) {
        hy_compilation_release(compilation);
        compilation = NULL;
    }
    return compilation;
}

/* An execution with every argument in a buffer of EXTENT floats. */
static inline struct hy_execution *execution_of(struct hy_compilation *compilation,
                                                const float *input, float *const *outputs)
{
    struct hy_execution *execution = NULL;
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                          .length = EXTENT * sizeof(float)};

    if (hy_execution_create(compilation, &execution, NULL) != HY_OK)
        return NULL;
    bool ok = hy_execution_set(execution, false, 0, NULL, &in, NULL) == HY_OK;
    for (uint32_t i = 0; i < execution->output_count; i++) {
        const struct hy_argument_source out = {.buffer = outputs[i],
                                               .length = EXTENT * sizeof(float)};
        ok = ok && hy_execution_set(execution, true, i, NULL, &out, NULL) == HY_OK;
    }
    if (!ok) {
        hy_execution_release(execution);
        execution = NULL;
    }
    return execution;
}

static inline enum hy_code compute(struct hy_execution *execution, struct hy_error *err)
{
    enum hy_code code = hy_execution_begin(execution, HY_RUN_SYNC, err);
    return code == HY_OK ? hy_execution_run(execution, NULL, HY_NO_DEADLINE, err) : code;
}

#endif
