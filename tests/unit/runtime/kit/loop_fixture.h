#ifndef HY_TESTS_UNIT_RUNTIME_KIT_LOOP_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_LOOP_FIXTURE_H

/* Models with IF and WHILE, and executions of them. */
#include "plan_fixture.h"
#include "runtime/compile/compile.h"

static inline uint32_t bools(struct fixture *f, uint32_t count)
{
    return tensor(f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &count, 0);
}

/* A float constant of EXTENT or 1 elements. */
static inline uint32_t float_constant(struct fixture *f, uint32_t count, float value)
{
    const float values[EXTENT] = {value, value, value, value};
    uint32_t operand = floats(f, count);
    return set(f, operand, values, count * sizeof *values) == HY_OK ? operand : UINT32_MAX;
}

static inline uint32_t model_operand(struct fixture *f, struct hy_app_model *model)
{
    uint32_t operand = scalar(f, ANEURALNETWORKS_MODEL);
    return hy_app_model_set_value_from_model(f->model, operand, model, &f->err) == HY_OK
               ? operand
               : UINT32_MAX;
}

static inline struct hy_app_model *finished(struct fixture *f, bool ok, uint32_t input_count,
                                            const uint32_t *inputs, uint32_t output_count,
                                            const uint32_t *outputs)
{
    if (!ok ||
        hy_app_model_identify(f->model, input_count, inputs, output_count, outputs, &f->err) !=
            HY_OK ||
        finish(f) != HY_OK)
        fixture_free(f);
    return f->model;
}

/* (x, i, k, limit) -> i < limit */
static inline struct hy_app_model *count_condition(void)
{
    struct fixture f = fixture_create();
    const uint32_t in[] = {floats(&f, EXTENT), floats(&f, 1), floats(&f, EXTENT), floats(&f, 1)};
    const uint32_t out = bools(&f, 1);
    const bool ok = op(&f, ANEURALNETWORKS_LESS, 2, (const uint32_t[]){in[1], in[3]}, out) == HY_OK;
    return finished(&f, ok, 4, in, 1, &out);
}

/* y = x < k ? x * k : x + k; a model of (x, k) for each branch. */
static inline struct hy_app_model *branch(int32_t operation)
{
    struct fixture f = fixture_create();
    const uint32_t in[] = {floats(&f, EXTENT), floats(&f, EXTENT)};
    const uint32_t out = floats(&f, EXTENT), none = constant(&f, 0);
    const bool ok = op(&f, operation, 3, (const uint32_t[]){in[0], in[1], none}, out) == HY_OK;
    return finished(&f, ok, 2, in, 1, &out);
}

/*
 * (x, i, k, limit) -> (x', i + 1); x' = x * k + k. With `nested` the product is replaced by an IF:
 * product if i < 2, else sum.
 */
static inline struct hy_app_model *count_body(bool nested)
{
    struct hy_app_model *product = branch(ANEURALNETWORKS_MUL), *sum = branch(ANEURALNETWORKS_ADD);
    struct fixture f = fixture_create();
    const uint32_t in[] = {floats(&f, EXTENT), floats(&f, 1), floats(&f, EXTENT), floats(&f, 1)};
    const uint32_t out[] = {floats(&f, EXTENT), floats(&f, 1)};
    const uint32_t middle = floats(&f, EXTENT), none = constant(&f, 0);
    const uint32_t one = float_constant(&f, 1, 1), two = float_constant(&f, 1, 2);
    bool ok = add_op(&f, middle, in[2], none, out[0]) == HY_OK &&
              add_op(&f, in[1], one, none, out[1]) == HY_OK;

    if (nested) {
        const uint32_t early = bools(&f, 1);
        const uint32_t inputs[] = {early, model_operand(&f, product), model_operand(&f, sum), in[0],
                                   in[2]};
        ok = ok &&
             op(&f, ANEURALNETWORKS_LESS, 2, (const uint32_t[]){in[1], two}, early) == HY_OK &&
             op(&f, ANEURALNETWORKS_IF, 5, inputs, middle) == HY_OK;
    } else {
        ok = ok && op(&f, ANEURALNETWORKS_MUL, 3, (const uint32_t[]){in[0], in[2], none}, middle) ==
                       HY_OK;
    }
    hy_app_model_release(product);
    hy_app_model_release(sum);
    return finished(&f, ok, 4, in, 2, out);
}

/* (x, limit) -> x after `limit` rounds. i, the round counter, is an internal state. k is an input
 * only. */
static inline struct hy_app_model *count_model(bool nested)
{
    struct hy_app_model *condition = count_condition(), *body = count_body(nested);
    struct fixture f = fixture_create();
    const uint32_t in[] = {floats(&f, EXTENT), floats(&f, 1)};
    const uint32_t out = floats(&f, EXTENT);
    const uint32_t inputs[] = {
        model_operand(&f, condition), model_operand(&f, body),          in[0],
        float_constant(&f, 1, 0),     float_constant(&f, EXTENT, 1.1f), in[1]};
    const bool ok = op(&f, ANEURALNETWORKS_WHILE, 6, inputs, out) == HY_OK;

    hy_app_model_release(condition);
    hy_app_model_release(body);
    return finished(&f, ok, 2, in, 1, &out);
}

/* (x, c) -> c ? RELU(x) * k : RELU(x) + k, with k = 1.1 */
static inline struct hy_app_model *if_model(void)
{
    struct hy_app_model *product = branch(ANEURALNETWORKS_MUL), *sum = branch(ANEURALNETWORKS_ADD);
    struct fixture f = fixture_create();
    const uint32_t in[] = {floats(&f, EXTENT), bools(&f, 1)};
    const uint32_t a = floats(&f, EXTENT), out = floats(&f, EXTENT);
    const uint32_t inputs[] = {in[1], model_operand(&f, product), model_operand(&f, sum), a,
                               float_constant(&f, EXTENT, 1.1f)};
    const bool ok =
        relu(&f, in[0], a) == HY_OK && op(&f, ANEURALNETWORKS_IF, 5, inputs, out) == HY_OK;

    hy_app_model_release(product);
    hy_app_model_release(sum);
    return finished(&f, ok, 2, in, 1, &out);
}

static inline struct hy_compilation *compile_on(struct hy_app_model *model,
                                                const struct hy_runtime_device *const *devices,
                                                uint32_t count, struct hy_error *err)
{
    struct hy_compilation *compilation = NULL;

    if (!model || hy_compilation_create(model, devices, count, true, &compilation, err) != HY_OK)
        compilation = NULL;
    hy_app_model_release(model);
    if (compilation && hy_compilation_finish(compilation, err) != HY_OK) {
        hy_compilation_release(compilation);
        compilation = NULL;
    }
    return compilation;
}

/* An execution of a model with x and a second input of `size` bytes. */
static inline struct hy_execution *execution_with(struct hy_compilation *compilation,
                                                  const float *x, const void *second, size_t size,
                                                  float *out)
{
    struct hy_execution *execution = NULL;
    const struct hy_argument_source sources[] = {
        {.buffer = (void *)(uintptr_t)x, .length = EXTENT * sizeof *x},
        {.buffer = (void *)(uintptr_t)second, .length = size},
        {.buffer = out, .length = EXTENT * sizeof *out}};

    if (hy_execution_create(compilation, &execution, NULL) != HY_OK)
        return NULL;
    if (hy_execution_set(execution, false, 0, NULL, &sources[0], NULL) != HY_OK ||
        hy_execution_set(execution, false, 1, NULL, &sources[1], NULL) != HY_OK ||
        hy_execution_set(execution, true, 0, NULL, &sources[2], NULL) != HY_OK) {
        hy_execution_release(execution);
        execution = NULL;
    }
    return execution;
}

/* Creates an execution, runs once and releases the execution. */
static inline enum hy_code run_with(struct hy_compilation *compilation, const float *x,
                                    const void *second, size_t size, float *out,
                                    struct hy_error *err)
{
    struct hy_execution *execution = execution_with(compilation, x, second, size, out);
    const enum hy_code code = execution ? compute(execution, err) : HY_OUT_OF_MEMORY;

    hy_execution_release(execution);
    return code;
}

#endif
