/* The layout that the sample driver's LSTM has of its own, beside the plain one. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_cache_fixture.h"
#include "tests/unit/plugins/kit/sample_step.h"

#include <string.h>

TEST(sample_layouts, a_chain_over_buffers_computes_what_one_over_shared_memory_does)
{
    static const uint32_t batches[] = {1, 7, 8, 9, 17};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        static struct sample_step_case step;
        float on_device[SAMPLE_BUFFER_FLOATS], shared[SAMPLE_BUFFER_FLOATS];
        REQUIRE(sample_step_init(&step, batches[i]));
        sample_step_run_chain(&step, true, on_device);
        sample_step_run_chain(&step, false, shared);
        EXPECT_INT(memcmp(on_device, shared, step.sizes[OUTPUT]), 0);
        sample_step_finish(&step);
    }
}

/* What comes out of cache files knows no model: layouts and roles have to be in there. */
TEST(sample_layouts, a_prepared_model_out_of_the_cache_has_the_same_buffers)
{
    static struct sample_step_case step;
    struct cached_device device;
    struct cached_files files;
    float on_device[SAMPLE_BUFFER_FLOATS], shared[SAMPLE_BUFFER_FLOATS];
    REQUIRE(cached_device_init(&device,
                               "{\"operations\":[\"LSTM\"],\"compile\":\"at_prepare\","
                               "\"cache_files\":1,\"buffers\":4}",
                               true));
    sample_step_describe(&step, 9);
    const struct net net = {.model = step.model.model};
    cached_files_open(&device, 1, &files);
    EXPECT_INT(cached_prepare(&device, &net, &files, HY_NO_DEADLINE, &step.prepared), HY_STATUS_OK);
    device.table->prepared_destroy(step.prepared);
    EXPECT_INT(cached_restore(&device, &files, HY_NO_DEADLINE, &step.prepared), HY_STATUS_OK);
    step.fixture.table = device.table;
    step.fixture.device = device.device;
    sample_step_run_chain(&step, true, on_device);
    sample_step_run_chain(&step, false, shared);
    EXPECT_INT(memcmp(on_device, shared, step.sizes[OUTPUT]), 0);
    device.table->prepared_destroy(step.prepared);
    cached_files_close(&files);
    cached_device_finish(&device);
}

/* The roles of one want the layout of the device, those of the other the plain one. */
TEST(sample_layouts, one_buffer_serves_operations_of_different_layouts)
{
    static struct sample_step_case step;
    static struct sample_model sum;
    static struct sample_buffer buffers[ARGUMENTS], shared, doubled;
    REQUIRE(sample_step_init(&step, 9));
    const uint32_t dims[] = {9, LSTM_UNITS};
    sample_model_init(&sum);
    const int32_t f32 = ANEURALNETWORKS_TENSOR_FLOAT32;
    const uint32_t in = sample_model_tensor(&sum, f32, HY_LIFETIME_INPUT, 2, dims, 0, 0);
    const uint32_t none = sample_model_i32(&sum, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t out = sample_model_tensor(&sum, f32, HY_LIFETIME_OUTPUT, 2, dims, 0, 0);
    sample_model_operation(&sum, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){in, in, none}, out);
    void *const prepared[] = {step.prepared, sample_step_prepare(&step.fixture, &sum.model)};
    const struct hy_buffer_role roles[] = {
        {.prepared = 0, .is_output = 1, .index = OUTPUT - FIRST_OUTPUT, .frequency = 1},
        {.prepared = 1, .index = 0, .frequency = 1}};
    EXPECT_INT(sample_buffer_create(&step.fixture, prepared, 2, roles, 2, &shared), HY_STATUS_OK);

    memcpy(buffers[INPUT].bytes, step.lstm.values[0], step.sizes[INPUT]);
    memcpy(buffers[STATE_IN].bytes, step.lstm.values[18], step.sizes[STATE_IN]);
    memcpy(buffers[CELLS_IN].bytes, step.lstm.values[19], step.sizes[CELLS_IN]);
    EXPECT_INT(
        sample_step_run(&step,
                        (struct sample_buffer *[]){&buffers[0], &buffers[1], &buffers[2],
                                                   &buffers[3], &buffers[4], &buffers[5], &shared}),
        HY_STATUS_OK);
    const size_t sizes[] = {step.sizes[OUTPUT], step.sizes[OUTPUT]};
    EXPECT_INT(sample_step_execute(&step.fixture, prepared[1], 1, 1,
                                   (struct sample_buffer *[]){&shared, &doubled}, sizes),
               HY_STATUS_OK);
    for (size_t i = 0; i < 9 * LSTM_UNITS; i++)
        if (doubled.bytes[i] != 2 * buffers[STATE_OUT].bytes[i])
            hy_test_fail(__FILE__, __LINE__, "element %zu is %g, expected %g", i,
                         (double)doubled.bytes[i], 2 * (double)buffers[STATE_OUT].bytes[i]);
    sample_buffer_destroy(&step, &shared);
    step.fixture.table->prepared_destroy(prepared[1]);
    sample_step_finish(&step);
}

/* Between two layouts of the device's, and within one. */
TEST(sample_layouts, copies_inside_the_device_convert_where_they_have_to)
{
    static struct sample_step_case step;
    static struct sample_buffer states[2], target;
    REQUIRE(sample_step_init(&step, 9));
    for (uint32_t i = 0; i < step.sizes[STATE_IN] / sizeof(float); i++)
        states[0].bytes[i] = (float)i;
    EXPECT_INT(sample_buffer_create_state(&step, STATE_IN, &states[0]), HY_STATUS_OK);
    EXPECT_INT(sample_buffer_create_state(&step, CELLS_IN, &states[1]), HY_STATUS_OK);
    const struct hy_pool source = {.kind = HY_POOL_BUFFER,
                                   .protection = HY_PROTECT_READ,
                                   .fd = -1,
                                   .buffer_token = states[0].token};
    EXPECT_INT(step.fixture.table->buffer_copy_from(states[1].buffer, &source, NULL, 0),
               HY_STATUS_GENERAL_FAILURE); /* nobody has written it */
    EXPECT_INT(sample_buffer_copy_in(&step, &states[0], step.sizes[STATE_IN]), HY_STATUS_OK);
    EXPECT_INT(step.fixture.table->buffer_copy_from(states[1].buffer, &source, NULL, 0),
               HY_STATUS_OK);
    EXPECT_INT(step.fixture.table->buffer_copy_from(states[0].buffer, &source, NULL, 0),
               HY_STATUS_OK); /* from itself */
    target.buffer = states[1].buffer;
    EXPECT_INT(sample_buffer_copy_out(&step, &target, step.sizes[CELLS_IN]), HY_STATUS_OK);
    EXPECT_INT(memcmp(target.bytes, states[0].bytes, step.sizes[CELLS_IN]), 0);
    sample_buffer_destroy(&step, &states[0]);
    sample_buffer_destroy(&step, &states[1]);
    sample_step_finish(&step);
}

/* ---- Tensors between operations -------------------------------------------------------------- */

/* The four outputs of the model's LSTM become tensors in between; gives the first of them. */
static uint32_t hide_outputs(struct sample_model *model)
{
    const uint32_t first = model->outputs[0];
    for (uint32_t i = 0; i < OUTPUTS; i++)
        model->operands[first + i].lifetime = HY_LIFETIME_TEMPORARY;
    model->graph.output_count = 0;
    return first;
}

/* One step after the other. */
static void run_twice(const struct sample_step_case *step, struct sample_buffer buffers[ARGUMENTS])
{
    static struct sample_buffer between[ARGUMENTS];
    sample_step_fill(step, buffers);
    EXPECT_INT(
        sample_step_run(step, (struct sample_buffer *[]){&buffers[0], &buffers[1], &buffers[2],
                                                         &between[3], &between[4], &between[5],
                                                         &between[6]}),
        HY_STATUS_OK);
    EXPECT_INT(
        sample_step_run(step, (struct sample_buffer *[]){&buffers[0], &between[4], &between[5],
                                                         &buffers[3], &buffers[4], &buffers[5],
                                                         &buffers[6]}),
        HY_STATUS_OK);
}

/* Two in one model hand on their states in the layout of the device. */
TEST(sample_layouts, two_steps_of_one_model_compute_what_one_does_twice)
{
    static struct sample_step_case step;
    static struct sample_buffer twice[ARGUMENTS], at_once[ARGUMENTS];
    static struct sample_model both;
    REQUIRE(sample_step_init(&step, 9));
    run_twice(&step, twice);

    lstm_case_model(&step.lstm, &both);
    const uint32_t between = hide_outputs(&both);
    uint32_t inputs[LSTM_INPUTS], outputs[OUTPUTS];
    memcpy(inputs, both.operation_inputs[0], sizeof inputs);
    inputs[18] = between + STATE_OUT - FIRST_OUTPUT;
    inputs[19] = between + CELLS_OUT - FIRST_OUTPUT;
    for (uint32_t i = 0; i < OUTPUTS; i++)
        outputs[i] = sample_model_tensor(&both, ANEURALNETWORKS_TENSOR_FLOAT32, HY_LIFETIME_OUTPUT,
                                         2, both.dims[between + i], 0, 0);
    sample_model_lstm(&both, LSTM_INPUTS, inputs, outputs);
    void *const prepared = sample_step_prepare(&step.fixture, &both.model);
    sample_step_fill(&step, at_once);
    EXPECT_INT(sample_step_execute(&step.fixture, prepared, FIRST_OUTPUT, OUTPUTS,
                                   (struct sample_buffer *[]){&at_once[0], &at_once[1], &at_once[2],
                                                              &at_once[3], &at_once[4], &at_once[5],
                                                              &at_once[6]},
                                   step.sizes),
               HY_STATUS_OK);
    for (uint32_t i = STATE_OUT; i < ARGUMENTS; i++)
        EXPECT_INT(memcmp(at_once[i].bytes, twice[i].bytes, step.sizes[i]), 0);
    step.fixture.table->prepared_destroy(prepared);
    sample_step_finish(&step);
}

/* An operation that knows no other layout than the plain one reads what LSTM writes. */
TEST(sample_layouts, operations_of_different_layouts_follow_one_another)
{
    static struct sample_step_case step;
    static struct sample_buffer buffers[ARGUMENTS], sum;
    static struct sample_model both;
    REQUIRE(sample_step_init(&step, 9));
    sample_step_fill(&step, buffers);
    EXPECT_INT(
        sample_step_run(&step, (struct sample_buffer *[]){&buffers[0], &buffers[1], &buffers[2],
                                                          &buffers[3], &buffers[4], &buffers[5],
                                                          &buffers[6]}),
        HY_STATUS_OK);

    lstm_case_model(&step.lstm, &both);
    const uint32_t between = hide_outputs(&both);
    const uint32_t state = between + STATE_OUT - FIRST_OUTPUT;
    const uint32_t none = sample_model_i32(&both, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t out = sample_model_tensor(&both, ANEURALNETWORKS_TENSOR_FLOAT32,
                                             HY_LIFETIME_OUTPUT, 2, both.dims[state], 0, 0);
    sample_model_operation(&both, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){state, state, none},
                           out);
    void *const prepared = sample_step_prepare(&step.fixture, &both.model);
    const size_t sizes[] = {step.sizes[INPUT], step.sizes[STATE_IN], step.sizes[CELLS_IN],
                            step.sizes[STATE_OUT]};
    EXPECT_INT(sample_step_execute(
                   &step.fixture, prepared, FIRST_OUTPUT, 1,
                   (struct sample_buffer *[]){&buffers[0], &buffers[1], &buffers[2], &sum}, sizes),
               HY_STATUS_OK);
    for (size_t i = 0; i < 9 * LSTM_UNITS; i++)
        if (sum.bytes[i] != 2 * buffers[STATE_OUT].bytes[i])
            hy_test_fail(__FILE__, __LINE__, "element %zu is %g, expected %g", i,
                         (double)sum.bytes[i], 2 * (double)buffers[STATE_OUT].bytes[i]);
    step.fixture.table->prepared_destroy(prepared);
    sample_step_finish(&step);
}
