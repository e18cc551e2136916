#include <android/NeuralNetworksTypes.h>
#include <stdlib.h>

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/*
 * Views with one or two wrong numbers in them: whatever happens is a status, never a crash. Counts
 * and pointers are only changed in ways that a caller could mean (a view cannot say how long its
 * arrays really are).
 */

#define ROUNDS 4000

/* A number that is small, huge, negative, or close to what it was. */
static uint32_t odd_number(uint32_t *state, uint32_t old)
{
    static const uint32_t odd[] = {0,          1,          2,          3,        7,         8,
                                   9,          255,        256,        65535,    65536,     0x10001,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0xffff00, 0x40000000};

    switch (hy_sample_random(state) % 3) {
    case 0:
        return old + hy_sample_random(state) % 5 - 2;
    case 1:
        return hy_sample_random(state) % 64;
    default:
        return odd[hy_sample_random(state) % (sizeof odd / sizeof *odd)];
    }
}

static void corrupt_operand(struct hy_operand *operand, uint32_t *state)
{
    uint32_t *dims = (uint32_t *)operand->dims;

    switch (hy_sample_random(state) % 10) {
    case 0:
        operand->type = (int32_t)odd_number(state, (uint32_t)operand->type);
        break;
    case 1:
        operand->lifetime = (int32_t)odd_number(state, (uint32_t)operand->lifetime) % 8;
        break;
    case 2:
        if (operand->rank > 0)
            operand->rank -= 1;
        break;
    case 3:
        operand->scale = hy_sample_random(state) % 2 ? -1.0f : 1e30f;
        break;
    case 4:
        operand->zero_point = (int32_t)odd_number(state, (uint32_t)operand->zero_point);
        break;
    case 5:
        operand->location.offset = odd_number(state, (uint32_t)operand->location.offset);
        break;
    case 6:
        operand->location.length = odd_number(state, (uint32_t)operand->location.length);
        break;
    case 7:
        operand->location.pool = odd_number(state, operand->location.pool);
        break;
    default:
        if (operand->rank > 0) {
            uint32_t at = hy_sample_random(state) % operand->rank;
            dims[at] = odd_number(state, dims[at]);
        }
    }
}

static void corrupt_operation(struct hy_operation *operation, uint32_t *state)
{
    uint32_t *inputs = (uint32_t *)operation->inputs, *outputs = (uint32_t *)operation->outputs;
    uint32_t at;

    switch (hy_sample_random(state) % 5) {
    case 0:
        operation->type = (int32_t)odd_number(state, (uint32_t)operation->type);
        break;
    case 1:
        operation->input_count -= operation->input_count > 0;
        break;
    case 2:
        operation->output_count -= operation->output_count > 0;
        break;
    case 3:
        outputs[0] = odd_number(state, outputs[0]);
        break;
    default:
        if (operation->input_count == 0)
            break;
        at = hy_sample_random(state) % operation->input_count;
        inputs[at] = odd_number(state, inputs[at]);
    }
}

static void corrupt(struct hy_builder *builder, uint32_t *state)
{
    uint32_t at;

    switch (hy_sample_random(state) % 8) {
    case 0:
    case 1:
    case 2:
        at = hy_sample_random(state) % builder->operand_count;
        corrupt_operand(&builder->operands[at], state);
        break;
    case 3:
    case 4:
        at = hy_sample_random(state) % builder->operation_count;
        corrupt_operation(&builder->operations[at], state);
        break;
    case 5:
        builder->inputs[0] = odd_number(state, builder->inputs[0]);
        break;
    case 6:
        builder->outputs[0] = odd_number(state, builder->outputs[0]);
        break;
    default: /* a stride, an activation, a shape */
        at = hy_sample_random(state) % (uint32_t)(builder->values_size / 4);
        ((uint32_t *)builder->values)[at] = odd_number(state, ((uint32_t *)builder->values)[at]);
    }
}

static void count_refusal(void *context, uint32_t operation, const char *reason)
{
    (void)operation;
    *(uint32_t *)context += reason[0] != '\0';
}

/* Asks, prepares and runs. Returns the status of the last call that was made. */
static int32_t try_model(struct hy_runner *runner, struct hy_builder *builder)
{
    static float in[HY_SAMPLE_PIXELS * 2], out[HY_SAMPLE_PIXELS * 2];
    const uint32_t dims[] = {2, 8, 8, 3};
    const struct hy_model *model = hy_builder_model(builder);
    uint32_t reasons = 0, refused = 0;
    const struct hy_refusals sink = {
        .struct_size = sizeof sink, .context = &reasons, .refuse = count_refusal};
    uint8_t supported[64];

    int32_t status = runner->table->supported_operations(runner->device, model, supported, &sink);
    for (uint32_t i = 0; status == HY_STATUS_OK && i < builder->operation_count; i++)
        refused += !supported[i];
    EXPECT_INT(reasons, refused);
    int32_t prepared = hy_runner_prepare(runner, model);
    EXPECT((prepared == HY_STATUS_OK) == (runner->message[0] == '\0'));
    if (status == HY_STATUS_OK && refused == 0)
        EXPECT_INT(prepared, HY_STATUS_OK);
    if (prepared != HY_STATUS_OK)
        return prepared;
    hy_runner_clear(runner);
    hy_runner_input(runner, in, sizeof in, 4, dims);
    hy_runner_output(runner, out, sizeof out, 0, NULL);
    status = hy_runner_execute(runner);
    EXPECT((status == HY_STATUS_OK) == (runner->message[0] == '\0'));
    return status;
}

static void run_rounds(uint32_t device, uint32_t batch)
{
    uint32_t tally[HY_STATUS_DEAD_OBJECT + 1] = {0};
    struct hy_runner runner;

    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), device) == HY_STATUS_OK);
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        struct hy_builder builder;
        uint32_t state = seed;
        hy_builder_init(&builder);
        hy_sample_network(&builder, batch);
        for (uint32_t i = hy_sample_random(&state) % 2; i < 2; i++)
            corrupt(&builder, &state);
        int32_t status = try_model(&runner, &builder);
        REQUIRE(status >= HY_STATUS_OK && status <= HY_STATUS_DEAD_OBJECT);
        tally[status]++;
        if (runner.prepared)
            runner.table->prepared_destroy(runner.prepared);
        runner.prepared = NULL;
        hy_builder_finish(&builder);
    }
    EXPECT(tally[HY_STATUS_OK] > 0);
    EXPECT(tally[HY_STATUS_INVALID_ARGUMENT] > ROUNDS / 4);
    hy_runner_close(&runner);
}

TEST(cpu_hostile, spoiled_models_never_crash)
{
    run_rounds(0, 2);
}

TEST(cpu_hostile, spoiled_models_of_unknown_shapes_never_crash)
{
    run_rounds(0, 0);
}

TEST(cpu_hostile, spoiled_models_never_crash_the_reference)
{
    run_rounds(1, 2);
}

TEST(cpu_hostile, views_without_arrays_are_refused)
{
    struct hy_runner runner;
    struct hy_subgraph main = {.struct_size = sizeof main, .operation_count = 1, .output_count = 1};
    struct hy_model model = {.struct_size = sizeof model, .main = &main};

    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, NULL), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_runner_prepare(&runner, &model), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(runner.message, "a count above 0 and no array");
    model.main = NULL;
    EXPECT_INT(hy_runner_prepare(&runner, &model), HY_STATUS_INVALID_ARGUMENT);
    model.struct_size = 8;
    EXPECT_INT(hy_runner_prepare(&runner, &model), HY_STATUS_INVALID_ARGUMENT);
    hy_runner_close(&runner);
}
