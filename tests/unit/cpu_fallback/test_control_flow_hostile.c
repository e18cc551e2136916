/* Models with bodies that are wrong: refused in words, whatever the view says. */
#include <android/NeuralNetworksOEM.h>
#include <android/NeuralNetworksTypes.h>

#include "common/operations/control_flow.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"

struct refusals {
    uint32_t count;
    char last[256];
};

static void note_refusal(void *context, uint32_t operation, const char *reason)
{
    struct refusals *refusals = context;

    (void)operation;
    refusals->count++;
    snprintf(refusals->last, sizeof refusals->last, "%s", reason);
}

static int32_t ask(const struct hy_model *model, uint8_t *supported, struct refusals *refusals)
{
    const struct hy_refusals sink = {
        .struct_size = sizeof sink, .context = refusals, .refuse = note_refusal};
    struct hy_runner runner;

    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    int32_t status = runner.table->supported_operations(runner.device, model, supported, &sink);
    hy_runner_close(&runner);
    return status;
}

/* Neither the question nor prepare takes the view, and prepare says `expected`. */
static void expect_invalid(const struct hy_model *model, const char *expected)
{
    uint8_t supported[4];
    struct refusals refusals = {0};
    struct hy_runner runner;

    EXPECT_INT(ask(model, supported, &refusals), HY_STATUS_INVALID_ARGUMENT);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner.message, expected);
    hy_runner_close(&runner);
}

/* The view is sound, but operation 0 is refused for this reason, and does not prepare. */
static void expect_refused(const struct hy_model *model, const char *reason)
{
    uint8_t supported[4];
    struct refusals refusals = {0};
    struct hy_runner runner;

    EXPECT_INT(ask(model, supported, &refusals), HY_STATUS_OK);
    EXPECT_INT(supported[0], 0);
    EXPECT_INT(refusals.count, 1);
    EXPECT_STR(refusals.last, reason);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    EXPECT(hy_runner_prepare(&runner, model) != HY_STATUS_OK);
    EXPECT(runner.message[0] != '\0');
    hy_runner_close(&runner);
}

/* Main: IF over bodies 0 and 1, both y = x + c. */
static void build_if(struct hy_flow *flow)
{
    hy_flow_init(flow);
    uint32_t then_body = hy_flow_add_body(flow, 2, 1), else_body = hy_flow_add_body(flow, 2, 2);
    hy_flow_if_main(flow, 2, then_body, else_body);
}

/* Main refers to a chain of bodies, each an IF over the next; the innermost adds 1. */
static void build_chain(struct hy_flow *flow, uint32_t depth)
{
    hy_flow_init(flow);
    uint32_t body = hy_flow_add_body(flow, 2, 1);
    for (uint32_t i = 1; i < depth; i++)
        body = hy_flow_if_body(flow, 2, 1, body, body);
    hy_flow_if_main(flow, 2, body, body);
}

TEST(control_flow_hostile, deep_nesting_has_a_limit)
{
    struct hy_flow flow;
    uint8_t supported;
    struct refusals refusals = {0};

    build_chain(&flow, HY_CONTROL_FLOW_DEPTH);
    EXPECT_INT(ask(hy_flow_model(&flow), &supported, &refusals), HY_STATUS_OK);
    EXPECT_INT(supported, 1);
    hy_flow_finish(&flow);

    build_chain(&flow, HY_CONTROL_FLOW_DEPTH + 1);
    expect_invalid(hy_flow_model(&flow), "models nest deeper than 16");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, deep_nesting_is_seen_by_every_way)
{
    struct hy_flow flow;

    /* The then-model is met first at depth 1, then once more below a chain of 15. */
    build_chain(&flow, HY_CONTROL_FLOW_DEPTH);
    uint32_t shallow = flow.body_count - 2;
    uint32_t deep = hy_flow_if_body(&flow, 2, 1, shallow, shallow + 1);
    hy_builder_finish(&flow.main);
    hy_flow_if_main(&flow, 2, shallow, deep);
    expect_invalid(hy_flow_model(&flow), "models nest deeper than 16");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, model_that_contains_itself_is_refused)
{
    struct hy_flow flow;

    hy_flow_init(&flow);
    (void)hy_flow_if_body(&flow, 2, 1, 0, 0);
    hy_flow_if_main(&flow, 2, 0, 0);
    expect_invalid(hy_flow_model(&flow), "model 0 contains itself");
    hy_flow_finish(&flow);

    hy_flow_init(&flow);
    (void)hy_flow_if_body(&flow, 2, 1, 1, 1);
    (void)hy_flow_if_body(&flow, 2, 1, 0, 0);
    hy_flow_if_main(&flow, 2, 0, 1);
    expect_invalid(hy_flow_model(&flow), "model 0 contains itself");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, reference_that_leads_nowhere_is_refused)
{
    struct hy_flow flow;

    build_if(&flow);
    struct hy_model *model = hy_flow_model(&flow);
    model->referenced_count = 1;
    expect_invalid(model, "model 1 does not exist, there are 1");
    model->referenced_count = 2;
    flow.list[1] = NULL;
    expect_invalid(model, "a referenced model is NULL");
    model->referenced = NULL;
    expect_invalid(model, "a count above 0 and no array");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, operand_whose_type_and_lifetime_disagree_is_refused)
{
    struct hy_flow flow;

    build_if(&flow);
    const struct hy_model *model = hy_flow_model(&flow);
    struct hy_operand *then_model = &flow.main.operands[flow.main.operations[0].inputs[1]];
    then_model->type = ANEURALNETWORKS_TENSOR_FLOAT32;
    expect_invalid(model, "TENSOR_FLOAT32 with lifetime 6");
    then_model->type = ANEURALNETWORKS_MODEL;
    then_model->lifetime = HY_LIFETIME_NO_VALUE;
    expect_invalid(model, "MODEL with lifetime 5");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, broken_body_is_refused)
{
    struct hy_flow flow;

    build_if(&flow);
    const struct hy_model *model = hy_flow_model(&flow);
    flow.bodies[1].operations[0].input_count = 99;
    flow.bodies[1].operations[0].inputs = NULL;
    expect_invalid(model, "operation 0 ADD");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, bodies_that_do_not_fit_are_refused)
{
    struct hy_flow flow;

    hy_flow_init(&flow);
    uint32_t then_body = hy_flow_add_body(&flow, 2, 1), else_body = hy_flow_add_body(&flow, 3, 2);
    hy_flow_if_main(&flow, 2, then_body, else_body);
    expect_refused(hy_flow_model(&flow),
                   "operation 0 IF: IF: input 3 has shape [2], input of the else-model 0 has [3]");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, condition_that_is_no_single_truth_is_refused)
{
    struct hy_flow flow;

    hy_flow_init(&flow);
    uint32_t body = hy_flow_add_body(&flow, 1, 1);
    hy_flow_while_main(&flow, 1, body, body);
    expect_refused(hy_flow_model(&flow),
                   "operation 0 WHILE: WHILE: the condition model's output must be TENSOR_BOOL8 of "
                   "shape [1], is TENSOR_FLOAT32 of rank 1 and extent 1");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, body_without_a_kernel_is_named)
{
    struct hy_flow flow;

    build_chain(&flow, 2);
    flow.bodies[0].operations[0].type = ANEURALNETWORKS_OEM_OPERATION;
    expect_refused(hy_flow_model(&flow), "operation 0 IF: model 1: operation 0 IF: model 0: "
                                         "operation 0 OEM_OPERATION: no kernel");
    hy_flow_finish(&flow);
}

TEST(control_flow_hostile, body_that_nobody_refers_to_is_not_looked_at)
{
    struct hy_flow flow;
    uint8_t supported = 0;
    struct refusals refusals = {0};

    build_if(&flow);
    uint32_t unused = hy_flow_add_body(&flow, 2, 1);
    flow.bodies[unused].operations[0].type = -5;
    EXPECT_INT(ask(hy_flow_model(&flow), &supported, &refusals), HY_STATUS_OK);
    EXPECT_INT(supported, 1);
    hy_flow_finish(&flow);
}
