/* What operations are predicted to take, and from what. */
#include "common/operations/operand_type.h"
#include "halyard/halyard.h"
#include "runtime/extension/extension.h"
#include "runtime/plan/cost/cost.h"
#include "runtime/plan/cost/cost_model.h"
#include "runtime/plan/cost/nearest_type.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/fake_device.h"

#include <android/NeuralNetworks.h>
#include <math.h>

enum { EXTENT = 1024 };

enum { IN, OUT, CONSTANT, SHORT_BODY, LONG_BODY, PAIRS, OPERAND_COUNT };

static const uint32_t dims[] = {EXTENT};
static const uint32_t in[] = {IN}, out[] = {OUT}, constant[] = {CONSTANT}, pairs[] = {PAIRS};
static const uint32_t branches[] = {IN, SHORT_BODY, LONG_BODY}, loop[] = {SHORT_BODY, LONG_BODY};

static struct hy_operand operands[OPERAND_COUNT] = {
    [IN] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
            .rank = 1,
            .dims = dims,
            .lifetime = HY_LIFETIME_INPUT},
    [OUT] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
             .rank = 1,
             .dims = dims,
             .lifetime = HY_LIFETIME_OUTPUT},
    [CONSTANT] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                  .rank = 1,
                  .dims = dims,
                  .lifetime = HY_LIFETIME_CONSTANT_POOL},
    [SHORT_BODY] = {.lifetime = HY_LIFETIME_SUBGRAPH, .location = {.offset = 0}},
    [LONG_BODY] = {.lifetime = HY_LIFETIME_SUBGRAPH, .location = {.offset = 1}},
    [PAIRS] = {.rank = 1, .dims = dims, .lifetime = HY_LIFETIME_INPUT}, /* of an extension */
};

static const struct hy_operation relu = {.type = ANEURALNETWORKS_RELU,
                                         .input_count = 1,
                                         .output_count = 1,
                                         .inputs = in,
                                         .outputs = out};

static const struct hy_profile_key relu_key = {.operation = ANEURALNETWORKS_RELU,
                                               .type = ANEURALNETWORKS_TENSOR_FLOAT32};

static struct fake_device npu;

static struct hy_cost_basis init_npu(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    npu.performance.performance.power_usage = .25f;
    return (struct hy_cost_basis){.capabilities = &npu.device.capabilities,
                                  .preference = HY_PREFER_SUSTAINED_SPEED};
}

struct prediction {
    double time;
    double cost;
};

/* Of one operation, in a model whose bodies have one RELU and three. */
static struct prediction predict(const struct hy_operation *operation, bool is_relaxed,
                                 struct hy_cost_basis basis)
{
    const struct hy_operation relus[] = {relu, relu, relu};
    const struct hy_subgraph graph = {.operand_count = OPERAND_COUNT,
                                      .operands = operands,
                                      .operation_count = 1,
                                      .operations = operation};
    struct hy_subgraph one = graph, three = graph;
    const struct hy_subgraph *const referenced[] = {&one, &three};
    const struct hy_model model = {.main = &graph,
                                   .referenced = referenced,
                                   .referenced_count = 2,
                                   .relaxed_float = is_relaxed};
    const struct hy_work_estimate estimate = hy_work_estimate_of(&graph, operation);
    struct prediction ret = {NAN, NAN};
    struct hy_arena arena = {0};

    one.operations = three.operations = relus;
    three.operation_count = 3;
    basis.estimate = &estimate;
    EXPECT_INT(hy_plan_costs(&basis, &model, &arena, &ret.time, &ret.cost, NULL), HY_OK);
    hy_arena_finish(&arena);
    return ret;
}

static double relu_ns(void)
{
    const struct hy_subgraph graph = {.operand_count = OPERAND_COUNT, .operands = operands};
    return hy_work_estimate_of(&graph, &relu).ns;
}

TEST(planner_costs, without_measurements_the_declared_figure_counts)
{
    const struct hy_cost_basis basis = init_npu();
    const struct prediction fast = predict(&relu, false, basis);

    EXPECT(fast.time == .5 * relu_ns());
    EXPECT(fast.cost == fast.time);
}

TEST(planner_costs, low_power_counts_energy_but_predicts_time)
{
    struct hy_cost_basis basis = init_npu();
    basis.preference = HY_PREFER_LOW_POWER;
    const struct prediction saving = predict(&relu, false, basis);

    EXPECT(saving.time == .5 * relu_ns());
    EXPECT(saving.cost == .25 * relu_ns());
}

TEST(planner_costs, relaxed_models_use_relaxed_figures)
{
    const struct hy_cost_basis basis = init_npu();

    npu.device.capabilities.relaxed_tensor.exec_time = .125f;
    EXPECT(predict(&relu, true, basis).time == .125 * relu_ns());
}

TEST(planner_costs, type_that_is_not_listed_is_as_slow_as_can_be)
{
    const struct hy_cost_basis basis = init_npu();

    npu.performance.type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(predict(&relu, false, basis).time == HY_SLOWEST_RATIO * relu_ns());
}

/* ---- Types of extensions --------------------------------------------------------------------- */

/* Makes PAIRS a tensor of an extension's, with elements of so many bytes. */
static void set_pairs(const char *extension, uint32_t bytes)
{
    const struct hy_extension_operand_type type = {.code = 1, .is_tensor = 1, .byte_size = bytes};
    const struct hy_extension offered = {
        .name = extension, .operand_types = &type, .operand_type_count = 1};
    const struct hy_device_info info = {
        .name = "acme-npu", .extensions = &offered, .extension_count = 1};
    uint32_t prefix = 0;

    EXPECT_INT(hy_extensions_learn(&info, NULL), HY_OK);
    EXPECT_INT(hy_extension_prefix(extension, &prefix, NULL), HY_OK);
    operands[PAIRS].type = (int32_t)(prefix << 16 | 1);
}

static double ns_on_pairs(void)
{
    const struct hy_subgraph graph = {.operand_count = OPERAND_COUNT, .operands = operands};
    const struct hy_operation operation = {
        .input_count = 1, .output_count = 1, .inputs = pairs, .outputs = out};
    return hy_work_estimate_of(&graph, &operation).ns;
}

TEST(planner_costs, type_of_an_extension_counts_as_the_nearest_type)
{
    struct hy_cost_basis basis = init_npu();
    struct hy_operation own = relu;

    set_pairs("com.acme.pairs", 8);
    own.inputs = pairs;
    own.type = operands[PAIRS].type;
    EXPECT(predict(&own, false, basis).time == .5 * ns_on_pairs()); /* as float32 */
    basis.preference = HY_PREFER_LOW_POWER;
    EXPECT(predict(&own, false, basis).cost == .25 * ns_on_pairs());
    npu.performance.type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(predict(&own, false, basis).time == ns_on_pairs()); /* no figure: as halyard-cpu */
}

TEST(planner_costs, operation_of_an_extension_counts_as_measured)
{
    struct hy_cost_basis basis = init_npu();
    struct hy_profile profile = {0};
    struct hy_operation own = relu;

    set_pairs("com.acme.pairs", 8);
    own.inputs = pairs;
    own.type = operands[PAIRS].type;
    const struct hy_profile_key key = {.operation = own.type, .type = own.type};
    REQUIRE(hy_profile_set(&profile, key, EXTENT, 7000, NULL) == HY_OK);
    basis.profile = &profile;
    EXPECT(predict(&own, false, basis).time == 7000);
    hy_profile_finish(&profile);
}

TEST(planner_costs, nearest_type_has_the_same_kind_of_numbers)
{
    static const int32_t cases[][2] = {
        {HY_TENSOR_INT8, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED},
        {HY_TENSOR_UINT8, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
        {HY_TENSOR_INT16, ANEURALNETWORKS_TENSOR_QUANT16_SYMM},
        {HY_TENSOR_UINT16, ANEURALNETWORKS_TENSOR_QUANT16_ASYMM},
        {HY_TENSOR_UINT32, ANEURALNETWORKS_TENSOR_INT32},
        {HY_TENSOR_INT64, ANEURALNETWORKS_TENSOR_INT32},
        {HY_TENSOR_UINT64, ANEURALNETWORKS_TENSOR_INT32},
        {HY_TENSOR_BFLOAT16, ANEURALNETWORKS_TENSOR_FLOAT16},
        {HY_TENSOR_FLOAT64, ANEURALNETWORKS_TENSOR_FLOAT32},
    };

    EXPECT_INT(sizeof cases / sizeof *cases, HALYARD_OPERAND_TYPE_COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_type_info type_info;
        EXPECT(hy_type_info_find(cases[i][0], &type_info));
        EXPECT_INT(hy_nearest_type(cases[i][0], &type_info), cases[i][1]);
    }
}

TEST(planner_costs, nearest_type_of_other_extensions_has_the_same_size)
{
    static const struct {
        uint32_t bytes;
        int32_t tensor, scalar;
    } cases[] = {
        {1, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, ANEURALNETWORKS_BOOL},
        {2, ANEURALNETWORKS_TENSOR_FLOAT16, ANEURALNETWORKS_FLOAT16},
        {4, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_FLOAT32},
        {6, ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_FLOAT32},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_type_info type_info = {.element_bytes = cases[i].bytes};
        EXPECT_INT(hy_nearest_type(0x10001, &type_info), cases[i].tensor);
        type_info.is_scalar = true;
        EXPECT_INT(hy_nearest_type(0x10001, &type_info), cases[i].scalar);
    }
}

/* ---- Control flow, constants, measurements --------------------------------------------------- */

TEST(planner_costs, control_flow_takes_what_its_bodies_take)
{
    const struct hy_cost_basis basis = init_npu();
    const struct hy_operation select_operation = {
        .type = ANEURALNETWORKS_IF, .input_count = 3, .inputs = branches};
    const struct hy_operation repetition = {
        .type = ANEURALNETWORKS_WHILE, .input_count = 2, .inputs = loop};
    const double one = .5 * relu_ns(), three = 3 * one;

    npu.device.capabilities.if_overhead.exec_time = 10;
    npu.device.capabilities.while_overhead.exec_time = 20;
    EXPECT(fabs(predict(&select_operation, false, basis).time -
                (10 * HY_CONTROL_FLOW_NS + (one + three) / 2)) < 1e-6);
    EXPECT(fabs(predict(&repetition, false, basis).time -
                (20 * HY_CONTROL_FLOW_NS + (HY_ASSUMED_ITERATIONS + 1) * one +
                 HY_ASSUMED_ITERATIONS * three)) < 1e-6);
}

TEST(planner_costs, what_reads_constants_alone_takes_nothing)
{
    const struct hy_cost_basis basis = init_npu();
    struct hy_operation folded = relu;

    folded.inputs = constant;
    EXPECT(predict(&folded, false, basis).time == 0);
}

TEST(planner_costs, measured_times_come_before_declared_ones)
{
    struct hy_cost_basis basis = init_npu();
    struct hy_profile profile = {0};

    REQUIRE(hy_profile_set(&profile, relu_key, EXTENT, 7000, NULL) == HY_OK);
    basis.profile = &profile;
    EXPECT(predict(&relu, false, basis).time == 7000);
    EXPECT(predict(&relu, true, basis).time == .5 * relu_ns()); /* measured without relaxing */

    /* What the device draws goes with the time: half the power of halyard-cpu. */
    basis.preference = HY_PREFER_LOW_POWER;
    EXPECT(predict(&relu, false, basis).cost == 3500);
    hy_profile_finish(&profile);
}

TEST(planner_costs, times_measured_on_the_cpu_are_what_figures_multiply)
{
    struct hy_cost_basis basis = init_npu();
    struct hy_profile cpu = {0}, own = {0};

    REQUIRE(hy_profile_set(&cpu, relu_key, EXTENT, 1000, NULL) == HY_OK);
    REQUIRE(hy_profile_set(&own, relu_key, 4 * EXTENT, 1, NULL) == HY_OK); /* of another size */
    basis.cpu_profile = &cpu;
    basis.profile = &own;
    EXPECT(predict(&relu, false, basis).time == 500);
    hy_profile_finish(&own);
    hy_profile_finish(&cpu);
}

/* ---- Efforts --------------------------------------------------------------------------------- */

/* The units of an operation with up to three operands: its inputs, then its output. */
static double units_of(int32_t type, uint32_t inputs, const uint32_t (*shapes)[4],
                       const uint32_t *ranks)
{
    static const uint32_t numbers[] = {0, 1, 2, 3};
    struct hy_operand local[4];
    const struct hy_operation operation = {.type = type,
                                           .input_count = inputs,
                                           .output_count = 1,
                                           .inputs = numbers,
                                           .outputs = &numbers[inputs]};
    const struct hy_subgraph graph = {.operand_count = inputs + 1, .operands = local};

    for (uint32_t i = 0; i <= inputs; i++)
        local[i] = (struct hy_operand){
            .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = ranks[i], .dims = shapes[i]};
    return hy_work_estimate_of(&graph, &operation).units;
}

TEST(planner_costs, work_estimates_follow_from_shapes)
{
    static const struct {
        int32_t type;
        uint32_t inputs;
        uint32_t shapes[4][4];
        uint32_t ranks[4];
        double units;
    } cases[] = {
        {ANEURALNETWORKS_CONV_2D,
         2,
         {{1, 8, 8, 3}, {16, 3, 3, 3}, {1, 4, 4, 16}},
         {4, 4, 4},
         4 * 4 * 16 * 27},
        {ANEURALNETWORKS_DEPTHWISE_CONV_2D,
         2,
         {{1, 8, 8, 3}, {1, 3, 3, 6}, {1, 8, 8, 6}},
         {4, 4, 4},
         8 * 8 * 6 * 9},
        {ANEURALNETWORKS_TRANSPOSE_CONV_2D,
         2,
         {{1, 4, 4, 3}, {16, 2, 2, 3}, {1, 8, 8, 16}},
         {4, 4, 4},
         4 * 4 * 3 * 16 * 4},
        {ANEURALNETWORKS_FULLY_CONNECTED, 2, {{2, 64}, {10, 64}, {2, 10}}, {2, 2, 2}, 2 * 10 * 64},
        {ANEURALNETWORKS_BATCH_MATMUL,
         2,
         {{3, 4, 5}, {3, 5, 6}, {3, 4, 6}},
         {3, 3, 3},
         3 * 4 * 5 * 6},
        {ANEURALNETWORKS_RNN,
         3,
         {{2, 8}, {16, 8}, {16, 16}, {2, 16}},
         {2, 2, 2, 2},
         2 * (16 * 8 + 16 * 16)},
        {ANEURALNETWORKS_GATHER, 2, {{1000, 4}, {3}, {3, 4}}, {2, 1, 2}, 12},
        {ANEURALNETWORKS_ARGMAX, 1, {{30, 4}, {30}}, {2, 1}, 120},
        {ANEURALNETWORKS_RELU, 1, {{0, 4}, {0, 4}}, {2, 2}, HY_UNKNOWN_ELEMENTS},
        {ANEURALNETWORKS_RELU, 1, {{0}, {0}}, {0, 0}, HY_UNKNOWN_ELEMENTS},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double units =
            units_of(cases[i].type, cases[i].inputs, cases[i].shapes, cases[i].ranks);
        if (units != cases[i].units)
            hy_test_fail(__FILE__, __LINE__, "case %zu: %g units, expected %g", i, units,
                         cases[i].units);
    }
}

/* ---- Prices ---------------------------------------------------------------------------------- */

TEST(planner_costs, launch_and_link_are_priced_as_measured_or_declared)
{
    struct hy_profile profile = {.launch_ns = 300};

    init_npu();
    EXPECT(hy_launch_cost(&npu.device) == 0);
    EXPECT(hy_byte_cost(&npu.device) == 0);
    npu.device.capabilities.launch_ns = 5000;
    npu.device.capabilities.bytes_per_second = 2000000000;
    EXPECT(hy_launch_cost(&npu.device) == 5000);
    EXPECT(hy_byte_cost(&npu.device) == .5);
    npu.device.profile = &profile;
    EXPECT(hy_launch_cost(&npu.device) == 300);
}

/* The same profile is that of a driver in the app and of one in a process of its own. */
TEST(planner_costs, launch_in_another_process_costs_what_the_process_boundary_does_at_least)
{
    struct hy_profile profile = {.launch_ns = 300};
    char process;

    init_npu();
    npu.device.service = (struct hy_service *)(void *)&process; /* nobody looks at it */
    npu.device.capabilities.launch_ns = 5000;
    npu.device.profile = &profile;
    EXPECT(hy_launch_cost(&npu.device) == 5000);
    profile.launch_ns = 7000;
    EXPECT(hy_launch_cost(&npu.device) == 7000);
}

TEST(planner_costs, the_last_resort_is_priced_only_where_nobody_else_can)
{
    enum { OPERATIONS = 2 };
    struct fake_device reference, cpu;
    init_npu();
    fake_device_init(&reference, "nnapi-reference", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    const struct hy_runtime_device *const devices[] = {&npu.device, &reference.device, &cpu.device};
    uint8_t supported[] = {1, 0, 1, 1, 0, 0};
    double costs[] = {50, 0, 1, 40, 0, 0};
    bool excluded[3] = {false};
    const struct hy_support_matrix support_matrix = {.device_count = 3,
                                                     .operation_count = OPERATIONS,
                                                     .devices = devices,
                                                     .supported = supported,
                                                     .costs = costs,
                                                     .excluded = excluded};
    struct hy_arena arena = {0};
    struct hy_cost_model cost_model;

    REQUIRE(hy_cost_model_make(&support_matrix, &arena, &cost_model, NULL) == HY_OK);
    EXPECT(cost_model.least == 90);
    EXPECT(hy_cost_model_extra(&cost_model, 0, 0) == 0);
    EXPECT(hy_cost_model_extra(&cost_model, 1, 0) == INFINITY);
    EXPECT(hy_cost_model_extra(&cost_model, 1, 1) == 0);
    EXPECT_INT(cost_model.ranking[0], 2); /* halyard-cpu wins ties */
    EXPECT_INT(cost_model.ranking[1], 0);
    hy_arena_finish(&arena);
}
