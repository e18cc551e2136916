/* Sub-graphs that no operator can run. */
#include "tests/kit/test.h"

#include "tests/unit/libhalyard/kit/flow_parts.h"

static const float one = 1;

/* Sub-graphs that call the next, and the last one calls `back`. */
static struct hy_builder *chain(uint32_t count, uint32_t back)
{
    struct hy_builder *builder = hy_builder_create();
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            hy_builder_subgraph(builder);
        const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
        struct hy_builder_operator call = hy_flow_operator(
            HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, i + 1 < count ? i + 1 : back, 0);
        call.option_count = 1;
        hy_flow_add_input(&call, x);
        hy_flow_give(&call, y);
        hy_builder_operator(builder, &call);
        hy_builder_input(builder, x);
        hy_builder_output(builder, y);
    }
    return builder;
}

TEST(flow, a_subgraph_that_runs_itself_is_named)
{
    HY_FLOW_EXPECT_REFUSAL(chain(3, 0), "subgraph 0 (main) runs itself");
    HY_FLOW_EXPECT_REFUSAL(chain(3, 1), "subgraph 1 (main) runs itself");
    HY_FLOW_EXPECT_REFUSAL(chain(3, 2), "subgraph 2 (main) runs itself");
    HY_FLOW_EXPECT_REFUSAL(chain(3, 3), "option subgraph is 3, the model has 3 subgraphs");
}

TEST(flow, subgraphs_that_are_nested_too_deep_are_refused)
{
    HY_FLOW_EXPECT_REFUSAL(chain(100, 0), "subgraphs call each other more than 64 levels deep");
}

/* Each sub-graph calls the next twice. */
TEST(flow, subgraphs_that_multiply_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    enum { DEPTH = 40 };
    for (uint32_t i = 0; i <= DEPTH; i++) {
        if (i > 0)
            hy_builder_subgraph(builder);
        const int32_t x = hy_flow_vector(builder, "x");
        int32_t last = x;
        for (int j = 0; i < DEPTH && j < 2; j++) {
            struct hy_builder_operator call =
                hy_flow_operator(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, i + 1, 0);
            call.option_count = 1;
            hy_flow_add_input(&call, last);
            last = hy_flow_vector(builder, "y");
            hy_flow_give(&call, last);
            hy_builder_operator(builder, &call);
        }
        hy_builder_input(builder, x);
        hy_builder_output(builder, last);
    }
    HY_FLOW_EXPECT_REFUSAL(builder,
                           "the subgraphs run by operators together have more than 16 times");
}

TEST(flow, bodies_that_do_not_fit_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = hy_flow_scalar(builder, HY_TFLITE_BOOL, "condition");
    const int32_t y = hy_flow_vector(builder, "y");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 1);
    hy_flow_add_input(&operator_, condition);
    hy_flow_give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    HY_FLOW_EXPECT_REFUSAL(builder, "operator 0 IF: subgraph 1 has 1 inputs, the operator 0");

    builder = hy_builder_create();
    const int32_t x = hy_flow_vector(builder, "x");
    struct hy_builder_operator call =
        hy_flow_operator(HY_TFLITE_OP_CALL, HY_TFLITE_OPTIONS_CALL, 1, 0);
    call.option_count = 1;
    hy_flow_add_input(&call, x);
    hy_builder_operator(builder, &call);
    hy_builder_input(builder, x);
    hy_builder_output(builder, x);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    HY_FLOW_EXPECT_REFUSAL(builder, "operator 0 CALL: subgraph 1 has 1 outputs, needs 0");
}

/* A body has tensors of its own: the number of a tensor outside is another tensor inside. */
TEST(flow, a_body_that_reads_a_tensor_that_it_has_not_is_refused)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t condition = hy_flow_scalar(builder, HY_TFLITE_BOOL, "condition");
    const int32_t x = hy_flow_vector(builder, "x"), y = hy_flow_vector(builder, "y");
    struct hy_builder_operator operator_ =
        hy_flow_operator(HY_TFLITE_OP_IF, HY_TFLITE_OPTIONS_IF, 1, 2);
    hy_flow_add_input(&operator_, condition);
    hy_flow_add_input(&operator_, x);
    hy_flow_give(&operator_, y);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_input(builder, condition);
    hy_builder_output(builder, y);
    hy_flow_elementwise_subgraph(builder, HY_TFLITE_OP_ADD, &one);
    hy_builder_subgraph(builder);
    const int32_t inner = hy_flow_vector(builder, "inner"),
                  outer = hy_flow_vector(builder, "outer"), sum = hy_flow_vector(builder, "sum");
    hy_flow_binary(builder, HY_TFLITE_OP_ADD, inner, outer, sum);
    hy_builder_input(builder, inner);
    hy_builder_output(builder, sum);
    HY_FLOW_EXPECT_REFUSAL(
        builder, "operator 0 IF: subgraph 2: operator 0 ADD: tensor 1 (outer), float32 of rank 1: "
                 "no operator computes the tensor, and it is neither an input nor a constant");
}
