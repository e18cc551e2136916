/* Tensors of a network that NNAPI does not have, or does not compute. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "libhalyard/session/io_binding.h"
#include "tests/unit/tools/kit/tflite_builder.h"

/* A network that runs once, with buffers of 64 bytes. */
struct run {
    struct hy_network *network;
    uint8_t *bytes;
    _Alignas(8) uint8_t inputs[2][64];
    _Alignas(8) uint8_t outputs[4][64];
    size_t input_lengths[2], output_lengths[4];
    struct hy_error err;
};

static bool open_network(struct run *run, struct hy_builder *builder)
{
    size_t length;
    run->bytes = hy_builder_finish(builder, &length);
    const enum hy_code code = hy_network_open(run->bytes, length, NULL, &run->network, &run->err);
    EXPECT_INT(code, HY_OK);
    return code == HY_OK;
}

static enum hy_code compute(struct run *run, const struct hy_io_binding *binding)
{
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksModel *model =
        (ANeuralNetworksModel *)hy_lowered_model_handle(run->network->model);

    EXPECT_INT(ANeuralNetworksCompilation_create(model, &compilation), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), ANEURALNETWORKS_NO_ERROR);
    enum hy_code code = hy_io_binding_set(binding, execution, &run->err);
    if (code == HY_OK)
        code = hy_io_binding_before_run(binding, &run->err);
    if (code == HY_OK)
        EXPECT_INT(ANeuralNetworksExecution_compute(execution), ANEURALNETWORKS_NO_ERROR);
    if (code == HY_OK)
        hy_io_binding_after_run(binding);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static enum hy_code run_network(struct run *run)
{
    struct hy_buffer inputs[2], outputs[4];
    struct hy_states *states = NULL;
    struct hy_io_binding *binding = NULL;

    for (int i = 0; i < 2; i++)
        inputs[i] = (struct hy_buffer){run->inputs[i], run->input_lengths[i]};
    for (int i = 0; i < 4; i++)
        outputs[i] = (struct hy_buffer){run->outputs[i], run->output_lengths[i]};
    enum hy_code code =
        hy_states_create(&run->network->graph, run->network->model, &states, &run->err);
    if (code == HY_OK)
        code = hy_io_binding_create(run->network, states, inputs, outputs, &binding, &run->err);
    if (code == HY_OK)
        code = compute(run, binding);
    hy_io_binding_destroy(binding);
    hy_states_destroy(states);
    return code;
}

static void close_network(struct run *run)
{
    hy_network_close(run->network);
    free(run->bytes);
}

static int32_t tensor(struct hy_builder *builder, enum hy_tflite_type type, const char *name)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){.name = name, .type = type, .rank = 1, .dims = {2}});
}

static void operation(struct hy_builder *builder, int op, int32_t a, int32_t b, int32_t output)
{
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {output}});
}

/* The sum of two int64 inputs. */
static struct hy_builder *wide_sum(void)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t a = tensor(builder, HY_TFLITE_INT64, "a"),
                  b = tensor(builder, HY_TFLITE_INT64, "b"),
                  sum = tensor(builder, HY_TFLITE_INT64, "sum");
    operation(builder, HY_TFLITE_OP_ADD, a, b, sum);
    hy_builder_input(builder, a);
    hy_builder_input(builder, b);
    hy_builder_output(builder, sum);
    return builder;
}

TEST(binding, int64_goes_in_and_comes_out)
{
    static const int64_t a[] = {INT64_C(1) << 40, -7}, b[] = {INT32_MAX - 5, INT64_MIN + 7};
    struct run run = {.input_lengths = {16, 16}, .output_lengths = {16}};
    int64_t sum[2];

    REQUIRE(open_network(&run, wide_sum()));
    memcpy(run.inputs[0], a, sizeof a);
    memcpy(run.inputs[1], b, sizeof b);
    EXPECT_INT(run_network(&run), HY_OK);
    memcpy(sum, run.outputs[0], sizeof sum);
    EXPECT(sum[0] == a[0] + b[0]);
    EXPECT(sum[1] == INT64_MIN);
    close_network(&run);
}

/* What changes behind the binding's back is what the run reads, and the run writes to its place. */
TEST(binding, int64_is_bound_without_a_copy)
{
    struct run run = {.input_lengths = {16, 16}, .output_lengths = {16}};
    struct hy_buffer inputs[2], output = {run.outputs[0], 16};
    struct hy_states *states = NULL;
    struct hy_io_binding *binding = NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;
    int64_t sum;

    REQUIRE(open_network(&run, wide_sum()));
    for (int i = 0; i < 2; i++)
        inputs[i] = (struct hy_buffer){run.inputs[i], 16};
    REQUIRE(hy_states_create(&run.network->graph, run.network->model, &states, &run.err) == HY_OK);
    REQUIRE(hy_io_binding_create(run.network, states, inputs, &output, &binding, &run.err) ==
            HY_OK);
    EXPECT_INT(
        ANeuralNetworksCompilation_create(
            (ANeuralNetworksModel *)hy_lowered_model_handle(run.network->model), &compilation),
        0);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), 0);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), 0);
    EXPECT_INT(hy_io_binding_set(binding, execution, &run.err), HY_OK);
    EXPECT_INT(hy_io_binding_before_run(binding, &run.err), HY_OK);
    memcpy(run.inputs[0] + 8, &(int64_t){INT64_C(3) << 40}, 8);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), 0);
    memcpy(&sum, run.outputs[0] + 8, sizeof sum);
    EXPECT(sum == INT64_C(3) << 40);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    hy_io_binding_destroy(binding);
    hy_states_destroy(states);
    close_network(&run);
}

/* Outputs: the sum, the first input, a constant, and the sum again. */
TEST(binding, outputs_that_nothing_computes_and_outputs_listed_twice_are_filled)
{
    static const float constant[] = {8, 9};
    struct hy_builder *builder = hy_builder_create();
    struct run run = {.input_lengths = {8, 8}, .output_lengths = {8, 8, 8, 8}};
    const int32_t a = tensor(builder, HY_TFLITE_FLOAT32, "a"),
                  b = tensor(builder, HY_TFLITE_FLOAT32, "b"),
                  sum = tensor(builder, HY_TFLITE_FLOAT32, "sum");
    const int32_t fixed =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "fixed",
                                                               .type = HY_TFLITE_FLOAT32,
                                                               .rank = 1,
                                                               .dims = {2},
                                                               .data = constant,
                                                               .bytes = sizeof constant});
    float outputs[4][2];

    operation(builder, HY_TFLITE_OP_ADD, a, b, sum);
    hy_builder_input(builder, a);
    hy_builder_input(builder, b);
    hy_builder_output(builder, sum);
    hy_builder_output(builder, a);
    hy_builder_output(builder, fixed);
    hy_builder_output(builder, sum);
    REQUIRE(open_network(&run, builder));
    memcpy(run.inputs[0], (const float[]){1, 2}, 8);
    memcpy(run.inputs[1], (const float[]){10, 20}, 8);
    EXPECT_INT(run_network(&run), HY_OK);
    for (int i = 0; i < 4; i++)
        memcpy(outputs[i], run.outputs[i], 8);
    EXPECT(outputs[0][0] == 11 && outputs[0][1] == 22);
    EXPECT(outputs[1][0] == 1 && outputs[1][1] == 2);
    EXPECT(outputs[2][0] == 8 && outputs[2][1] == 9);
    EXPECT(outputs[3][0] == 11 && outputs[3][1] == 22);
    close_network(&run);
}
