/* Operators that run sub-graphs of elementwise operators. */
#include "tests/unit/tools/operators/op_builder.h"

/* The first two keep the quantisation. */
static const enum hy_tflite_op steps[] = {HY_TFLITE_OP_MAXIMUM, HY_TFLITE_OP_MINIMUM,
                                          HY_TFLITE_OP_ADD, HY_TFLITE_OP_SUB};

enum { STEPS = sizeof steps / sizeof *steps, QUANTISED_STEPS = 2 };

/* A tensor of a sub-graph. The last tensor outside has the quantisation of all. */
static int32_t add_tensor(struct hy_op_builder *op_builder, const struct hy_op_tensor *like,
                          struct hy_builder_tensor built)
{
    built.type = (int)like->type;
    if (hy_op_is_quantised(like->type)) {
        built.scale_count = built.zero_point_count = 1;
        built.scales = &op_builder->scales[op_builder->tensor_count - 1];
        built.zero_points = &op_builder->zero_points[op_builder->tensor_count - 1];
    }
    return hy_builder_tensor(op_builder->builder, &built);
}

static int32_t tensor(struct hy_op_builder *op_builder, const struct hy_op_tensor *like)
{
    struct hy_builder_tensor built = {.name = "inner", .rank = like->rank};
    for (uint32_t i = 0; i < like->rank; i++)
        built.dims[i] = like->dims[i];
    return add_tensor(op_builder, like, built);
}

/* A constant of one element, a few steps from the middle of the type. */
static int32_t number(struct hy_op_builder *op_builder, const struct hy_op_tensor *like,
                      int32_t value)
{
    void *data = hy_op_memory(op_builder, sizeof(int64_t));
    if (like->type == HY_TFLITE_FLOAT32)
        *(float *)data = (float)value * 0.25f;
    else if (hy_op_is_quantised(like->type))
        *(uint8_t *)data = (uint8_t)(8 * value + (like->type == HY_TFLITE_UINT8 ? 128 : 0));
    else if (like->type == HY_TFLITE_INT64)
        *(int64_t *)data = value * ((INT64_C(1) << 33) + 1);
    else
        *(int32_t *)data = value;
    return add_tensor(op_builder, like,
                      (struct hy_builder_tensor){.name = "number",
                                                 .data = data,
                                                 .bytes = hy_tflite_type_bits(like->type) / 8});
}

static int32_t add_binary(struct hy_op_builder *op_builder, enum hy_tflite_op op, int32_t a,
                          int32_t b, int32_t result)
{
    hy_builder_operator(op_builder->builder, &(struct hy_builder_operator){.op = (int)op,
                                                                           .input_count = 2,
                                                                           .inputs = {a, b},
                                                                           .output_count = 1,
                                                                           .outputs = {result}});
    return result;
}

/* A random step of two values. */
static int32_t add_step(struct hy_op_builder *op_builder, const struct hy_op_tensor *like,
                        int32_t a, int32_t b)
{
    const bool quantised = hy_op_is_quantised(like->type);
    const enum hy_tflite_op op = steps[hy_op_pick(op_builder, quantised ? QUANTISED_STEPS : STEPS)];
    return add_binary(op_builder, op, a, b, tensor(op_builder, like));
}

/* Some steps from one value to another, each with a constant. */
static int32_t add_steps(struct hy_op_builder *op_builder, const struct hy_op_tensor *like,
                         int32_t value, int32_t most)
{
    for (int32_t i = hy_op_between(op_builder, 0, most); i > 0; i--) {
        const int32_t constant = number(op_builder, like, hy_op_between(op_builder, -9, 9));
        value = add_step(op_builder, like, value, constant);
    }
    return value;
}

/* Of two values: each goes through some steps, or comes out in the place of the other. */
static void branch(struct hy_op_builder *op_builder, const struct hy_op_tensor *like)
{
    hy_op_subgraph(op_builder);
    const int32_t x = tensor(op_builder, like), y = tensor(op_builder, like);
    const bool exchanged = hy_op_pick(op_builder, 3) == 0;
    hy_builder_input(op_builder->builder, x);
    hy_builder_input(op_builder->builder, y);
    hy_builder_output(op_builder->builder, add_steps(op_builder, like, exchanged ? y : x, 3));
    hy_builder_output(op_builder->builder, add_steps(op_builder, like, exchanged ? x : y, 3));
}

void hy_op_if(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor condition = {.type = HY_TFLITE_BOOL};
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);

    hy_op_input(op_builder, &condition);
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
    hy_op_output(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_IF);
    hy_op_option(op_builder, 0, 4, 1);
    hy_op_option(op_builder, 1, 4, 2);
    branch(op_builder, &x);
    branch(op_builder, &x);
}

/* The inputs of condition and body: a count, a value that changes and one that stays. */
struct loop {
    int32_t count, value, stays;
};

static struct loop start_body(struct hy_op_builder *op_builder, const struct hy_op_tensor *like)
{
    static const struct hy_op_tensor whole = {.type = HY_TFLITE_INT32};
    hy_op_subgraph(op_builder);
    const struct loop loop = {tensor(op_builder, &whole), tensor(op_builder, like),
                              tensor(op_builder, like)};
    hy_builder_input(op_builder->builder, loop.count);
    hy_builder_input(op_builder->builder, loop.value);
    hy_builder_input(op_builder->builder, loop.stays);
    return loop;
}

/* while (count < limit) { count += 1; value = steps(value op stays); } */
void hy_op_while(struct hy_op_builder *op_builder)
{
    static const struct hy_op_tensor whole = {.type = HY_TFLITE_INT32},
                                     truth = {.type = HY_TFLITE_BOOL};
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);

    hy_op_int(op_builder, 0);
    hy_op_input(op_builder, &x);
    if (hy_op_pick(op_builder, 2) == 0)
        hy_op_constant(op_builder, &x);
    else
        hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &whole);
    hy_op_output(op_builder, &x);
    hy_op_output(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_WHILE);
    hy_op_option(op_builder, 0, 4, 1);
    hy_op_option(op_builder, 1, 4, 2);

    struct loop loop = start_body(op_builder, &x);
    const int32_t limit = number(op_builder, &whole, hy_op_between(op_builder, 0, 7));
    const int32_t goes_on = tensor(op_builder, &truth);
    hy_builder_output(op_builder->builder,
                      add_binary(op_builder, HY_TFLITE_OP_LESS, loop.count, limit, goes_on));
    loop = start_body(op_builder, &x);
    const int32_t one = number(op_builder, &whole, 1), more = tensor(op_builder, &whole);
    hy_builder_output(op_builder->builder,
                      add_binary(op_builder, HY_TFLITE_OP_ADD, loop.count, one, more));
    const int32_t value = add_step(op_builder, &x, loop.value, loop.stays);
    hy_builder_output(op_builder->builder, add_steps(op_builder, &x, value, 2));
    hy_builder_output(op_builder->builder, loop.stays);
}
