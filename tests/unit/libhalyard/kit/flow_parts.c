#include "tests/unit/libhalyard/kit/flow_parts.h"

#include "tests/kit/test.h"

/* ---- Tensors and operators ------------------------------------------------------------------- */

int32_t hy_flow_vector(struct hy_builder *builder, const char *name)
{
    return hy_builder_tensor(builder,
                             &(struct hy_builder_tensor){
                                 .name = name, .type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {2}});
}

int32_t hy_flow_scalar(struct hy_builder *builder, enum hy_tflite_type type, const char *name)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name, .type = type});
}

int32_t hy_flow_float(struct hy_builder *builder, const float *value)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "constant",
                                                                  .type = HY_TFLITE_FLOAT32,
                                                                  .data = value,
                                                                  .bytes = sizeof *value});
}

int32_t hy_flow_int(struct hy_builder *builder, const int32_t *value)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "whole",
                                                                  .type = HY_TFLITE_INT32,
                                                                  .data = value,
                                                                  .bytes = sizeof *value});
}

void hy_flow_binary(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {output}});
}

/* One sub-graph or two as options of the operator. */
struct hy_builder_operator hy_flow_operator(int op, unsigned kind, uint32_t first, uint32_t second)
{
    return (struct hy_builder_operator){.op = op,
                                        .options_kind = kind,
                                        .option_count = 2,
                                        .options = {{0, 4, first}, {1, 4, second}}};
}

void hy_flow_add_input(struct hy_builder_operator *operator_, int32_t input)
{
    operator_->inputs[operator_->input_count++] = input;
}

void hy_flow_give(struct hy_builder_operator *operator_, int32_t output)
{
    operator_->outputs[operator_->output_count++] = output;
}

/* A sub-graph of one vector that gives `op` of the vector and of a constant. */
void hy_flow_elementwise_subgraph(struct hy_builder *builder, int op, const float *value)
{
    hy_builder_subgraph(builder);
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    hy_flow_binary(builder, op, x, hy_flow_float(builder, value), y);
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
}

/* Adds the sub-graph "count < limit" of a count, a vector and, if asked for, what stays. */
void hy_flow_condition_subgraph(struct hy_builder *builder, bool more)
{
    hy_builder_subgraph(builder);
    const int32_t count = hy_flow_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t x = hy_flow_vector(builder, "x");
    const int32_t limit = hy_flow_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t result = hy_flow_scalar(builder, HY_TFLITE_BOOL, "result");
    hy_flow_binary(builder, HY_TFLITE_OP_LESS, count, limit, result);
    hy_builder_input(builder, count);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    if (more)
        hy_builder_input(builder, hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "factor"));
    hy_builder_output(builder, result);
}

static const int32_t next = 1;

/* A sub-graph of x and limit: while (count < limit) { count += 1; x = x * factor; } */
int32_t hy_flow_loop(struct hy_builder *builder, uint32_t condition, uint32_t body,
                     const float *factor)
{
    static const int32_t zero = 0;
    const int32_t limit = hy_flow_scalar(builder, HY_TFLITE_INT32, "limit");
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_WHILE, HY_TFLITE_OPTIONS_WHILE, condition, body);
    hy_flow_add_input(&operator_, hy_flow_int(builder, &zero));
    hy_flow_add_input(&operator_, x);
    hy_flow_add_input(&operator_, limit);
    hy_flow_add_input(&operator_, hy_flow_float(builder, factor));
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_INT32, "count after"));
    hy_flow_give(&operator_, y);
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_INT32, "limit after"));
    hy_flow_give(&operator_, hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "factor after"));
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, limit);
    hy_builder_output(builder, y);
    hy_builder_output(builder, operator_.outputs[0]);
    hy_builder_output(builder, operator_.outputs[3]);
    return y;
}

/* Condition and body of the loop. */
void hy_flow_loop_subgraphs(struct hy_builder *builder)
{
    hy_flow_condition_subgraph(builder, true);
    hy_builder_subgraph(builder);
    const int32_t count = hy_flow_scalar(builder, HY_TFLITE_INT32, "count");
    const int32_t more = hy_flow_scalar(builder, HY_TFLITE_INT32, "more");
    const int32_t before = hy_flow_vector(builder, "before"),
                  after = hy_flow_vector(builder, "after");
    const int32_t stays = hy_flow_scalar(builder, HY_TFLITE_INT32, "stays");
    const int32_t by = hy_flow_scalar(builder, HY_TFLITE_FLOAT32, "by");
    hy_flow_binary(builder, HY_TFLITE_OP_ADD, count, hy_flow_int(builder, &next), more);
    hy_flow_binary(builder, HY_TFLITE_OP_MUL, before, by, after);
    hy_builder_input(builder, count);
    hy_builder_input(builder, before);
    hy_builder_input(builder, stays);
    hy_builder_input(builder, by);
    hy_builder_output(builder, more);
    hy_builder_output(builder, after);
    hy_builder_output(builder, stays);
    hy_builder_output(builder, by);
}

void hy_flow_set_int(struct hy_network_run *run, uint32_t input, int32_t value)
{
    memcpy(run->inputs[input], &value, sizeof value);
}

void hy_flow_run(struct hy_network_run *run, uint32_t input, float first, float second)
{
    const float x[] = {first, second};
    memcpy(run->inputs[input], x, sizeof x);
    if (hy_network_run(run) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", run->err.text);
}

void hy_flow_expect_floats(const struct hy_network_run *run, float first, float second, int line)
{
    float found[2];
    memcpy(found, run->outputs[0], sizeof found);
    if (found[0] != first || found[1] != second)
        hy_test_fail(__FILE__, line, "%g, %g instead of %g, %g", (double)found[0], (double)found[1],
                     (double)first, (double)second);
    else
        hy_test_pass(__FILE__, line);
}

void hy_flow_expect_refusal(struct hy_builder *builder, const char *expected, int line)
{
    struct hy_network_run run;
    if (hy_network_run_try(&run, builder) != HY_BAD_DATA || !strstr(run.err.text, expected))
        hy_test_fail(__FILE__, line, "\"%s\" instead of \"%s\"", run.err.text, expected);
    else
        hy_test_pass(__FILE__, line);
    hy_network_run_close(&run);
}
