#include "common/operations/control_flow.h"

#include <android/NeuralNetworksTypes.h>

#include "tests/kit/test.h"

#define F32  ANEURALNETWORKS_TENSOR_FLOAT32
#define U8   ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define BOOL ANEURALNETWORKS_TENSOR_BOOL8
#define MOST 6

static const uint32_t one[] = {1}, four[] = {4}, some[] = {0}, square[] = {2, 2};
static const uint32_t numbers[MOST] = {0, 1, 2, 3, 4, 5};

/* A subgraph whose first operands are its inputs, and the next its outputs. */
struct body {
    struct hy_operand operands[MOST];
    struct hy_subgraph graph;
};

static struct hy_operand tensor(int32_t type, uint32_t rank, const uint32_t *dims)
{
    return (struct hy_operand){.type = type, .rank = rank, .dims = dims};
}

static const struct hy_subgraph *close_body(struct body *body, uint32_t inputs, uint32_t outputs)
{
    body->graph = (struct hy_subgraph){
        .operand_count = inputs + outputs,
        .input_count = inputs,
        .output_count = outputs,
        .operands = body->operands,
        .inputs = numbers,
        .outputs = numbers + inputs,
    };
    return &body->graph;
}

/* WHILE with one input-output, one state-only and one input-only operand, all floats [4]. */
struct loop {
    struct hy_operand operands[MOST]; /* two models, three values, the output */
    struct hy_operation operation;
    struct body condition, body;
    uint32_t body_outputs;
};

static struct loop make_loop(void)
{
    const struct hy_operand model = {.type = ANEURALNETWORKS_MODEL}, value = tensor(F32, 1, four);

    return (struct loop){
        .operands = {model, model, value, value, value, value},
        .operation = {.type = HY_OP_WHILE,
                      .input_count = 5,
                      .output_count = 1,
                      .inputs = numbers,
                      .outputs = numbers + 5},
        .condition.operands = {value, value, value, tensor(BOOL, 1, one)},
        .body.operands = {value, value, value, value, value, value},
        .body_outputs = 2,
    };
}

static enum hy_code check(struct loop *loop, struct hy_error *err)
{
    return hy_control_flow_check(loop->operands, &loop->operation,
                                 close_body(&loop->condition, 3, 1),
                                 close_body(&loop->body, 3, loop->body_outputs), err);
}

static void expect_refused(struct loop *loop, const char *expected)
{
    struct hy_error err;

    EXPECT_INT(check(loop, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, expected);
}

TEST(control_flow_check, loop_with_all_kinds_of_operands_fits)
{
    struct loop loop = make_loop();

    EXPECT_INT(check(&loop, NULL), HY_OK);
    loop.body_outputs = 3;
    EXPECT_INT(check(&loop, NULL), HY_OK);
}

TEST(control_flow_check, number_of_loop_outputs_has_limits)
{
    struct loop loop = make_loop();

    loop.body_outputs = 0;
    expect_refused(&loop, "WHILE: the body model has 0 outputs, needs 1 to 3");
    loop.operation.input_count = 4;
    expect_refused(&loop, "WHILE: the condition model has 3 inputs, needs 2");
}

TEST(control_flow_check, answer_must_be_one_truth)
{
    struct loop loop = make_loop();

    loop.condition.operands[3] = tensor(BOOL, 1, some);
    expect_refused(&loop, "WHILE: the condition model's output must be TENSOR_BOOL8 of shape [1], "
                          "is TENSOR_BOOL8 of rank 1 and extent 0");
    loop.condition.operands[3] = tensor(BOOL, 0, NULL);
    expect_refused(&loop, "WHILE: the condition model's output must be TENSOR_BOOL8 of shape [1], "
                          "is TENSOR_BOOL8 of rank 0 and extent 0");
}

TEST(control_flow_check, unknown_extents_and_ranks_fit_everything)
{
    struct loop loop = make_loop();

    loop.body.operands[0] = tensor(F32, 1, some);
    loop.body.operands[3] = tensor(F32, 0, NULL);
    loop.condition.operands[0] = tensor(F32, 0, NULL);
    EXPECT_INT(check(&loop, NULL), HY_OK);
}

TEST(control_flow_check, types_and_shapes_must_agree)
{
    struct loop loop = make_loop();

    loop.body.operands[4] = tensor(F32, 2, square);
    expect_refused(&loop, "WHILE: input of the body model 1 has shape [4], output of the body "
                          "model 1 has [2, 2]");
    loop = make_loop();
    loop.body.operands[2] = tensor(U8, 1, four);
    expect_refused(&loop, "WHILE: input 4 is TENSOR_FLOAT32, input of the body model 2 is "
                          "TENSOR_QUANT8_ASYMM");
    loop = make_loop();
    loop.operands[2].rank = HY_MAX_RANK + 1;
    expect_refused(&loop, "WHILE: input 2 has rank 17, input of the condition model 0 has rank 1, "
                          "the limit is 16");
}

TEST(control_flow_check, quantisation_must_agree)
{
    const float scales[] = {1, 2, 3, 4}, others[] = {1, 2, 3, 5};
    struct loop loop = make_loop();

    loop.body.operands[3].scale = .5f;
    loop.body.operands[3].zero_point = 3;
    expect_refused(&loop, "WHILE: input of the body model 0 has scale 0 and zero point 0, output "
                          "of the body model 0 has 0.5 and 3");
    loop = make_loop();
    loop.body.operands[0].channel_scales = loop.body.operands[3].channel_scales = scales;
    expect_refused(
        &loop, "WHILE: input 2 and input of the body model 0 have different scales per channel");
    loop.operands[2].channel_scales = others;
    loop.operands[2].channel_count = loop.body.operands[0].channel_count = 4;
    loop.condition.operands[0] = loop.operands[2];
    expect_refused(
        &loop, "WHILE: input 2 and input of the body model 0 have different scales per channel");
}
