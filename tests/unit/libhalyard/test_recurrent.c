/* Recurrent operators: forms of weights and states. */
#include "tests/kit/test.h"

#include <stdlib.h>
#include <string.h>

#include "bench/inference.h"
#include "libhalyard/session/states.h"
#include "tests/unit/libhalyard/kit/recurrent_network.h"

enum { SEEDS = 12 };

/* ---- Weights of 8 bits under float32 --------------------------------------------------------- */

static struct hy_inference *open_case(const struct hy_op_case *model)
{
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};

    if (hy_inference_create(model->model, model->length, &(struct hy_inference_options){0},
                            &inference, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return NULL;
    }
    for (uint32_t i = 0; i < model->input_count; i++)
        memcpy(hy_inference_input(inference, i), model->inputs[i].bytes, model->inputs[i].count);
    return inference;
}

/* Both models give the same bytes in several runs. */
static void expect_same(const struct hy_op_case *a, const struct hy_op_case *b)
{
    struct hy_inference *first = open_case(a), *second = open_case(b);

    for (uint32_t run = 0; first && second && run < a->runs; run++) {
        EXPECT_INT(hy_inference_run(first, HY_INFERENCE_SYNC, NULL), HY_OK);
        EXPECT_INT(hy_inference_run(second, HY_INFERENCE_SYNC, NULL), HY_OK);
        for (uint32_t i = 0; i < hy_inference_output_count(first); i++) {
            const size_t bytes = hy_inference_output_tensor(first, i)->bytes;
            EXPECT(memcmp(hy_inference_output(first, i), hy_inference_output(second, i), bytes) ==
                   0);
        }
    }
    hy_inference_destroy(first);
    hy_inference_destroy(second);
}

static void expect_same_numbers(const struct hy_op_row *row, enum hy_op_weights weights,
                                uint64_t seed)
{
    struct hy_op_case stored, real;

    hy_op_case_make_weights(row, weights, seed, &stored);
    hy_op_case_make_weights(row, HY_OP_WEIGHTS_DEQUANTISED, seed, &real);
    expect_same(&stored, &real);
    hy_op_case_finish(&stored);
    hy_op_case_finish(&real);
}

TEST(recurrent, weights_of_8_bits_are_the_real_numbers_that_they_stand_for)
{
    for (size_t i = 0; i < HY_RECURRENT_OPS; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            expect_same_numbers(hy_recurrent_row(hy_recurrent_ops[i]), HY_OP_WEIGHTS_INT8, seed);
            expect_same_numbers(hy_recurrent_row(hy_recurrent_ops[i]), HY_OP_WEIGHTS_UINT8, seed);
        }
    }
}

/* ---- Forms of constants ---------------------------------------------------------------------- */

enum { MOST_BYTES = 4096, MOST_UNITS = 20 };

/* One run of a graph whose inputs are all ones: the bytes of output 0. */
static void run_graph(const struct hy_graph *graph, uint8_t to[MOST_BYTES])
{
    static float ones[MOST_BYTES / sizeof(float)], rest[MOST_BYTES / sizeof(float)];
    struct hy_lowered_model *model = NULL;
    struct hy_error err = {0};
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksExecution *execution = NULL;

    if (hy_lower(graph, &model, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1.0f;
    ANeuralNetworksModel *handle = (ANeuralNetworksModel *)hy_lowered_model_handle(model);
    EXPECT_INT(ANeuralNetworksCompilation_create(handle, &compilation), 0);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), 0);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), 0);
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        const bool is_input = i < graph->input_count;
        const uint32_t index = is_input ? i : i - graph->input_count;
        const struct hy_graph_tensor *tensor =
            &graph->tensors[is_input ? graph->inputs[index] : graph->outputs[index]];
        uint64_t bytes = 0;
        EXPECT(hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes) &&
               bytes <= MOST_BYTES);
        if (is_input)
            ANeuralNetworksExecution_setInput(execution, (int32_t)index, NULL, ones, bytes);
        else
            ANeuralNetworksExecution_setOutput(execution, (int32_t)index, NULL,
                                               index == 0 ? (void *)to : rest, bytes);
    }
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), 0);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    hy_lowered_model_destroy(model);
}

static bool has_recurrent_square(const struct hy_graph *graph)
{
    return hy_graph_node_input(&graph->nodes[0], 5) != HY_NO_TENSOR &&
           hy_graph_node_input(&graph->nodes[0], 16) == HY_NO_TENSOR;
}

static void set_constant(struct hy_graph *graph, uint32_t input, uint32_t rank, int32_t rows,
                         int32_t columns, const float *data)
{
    struct hy_graph_tensor *tensor = hy_recurrent_input(graph, input);

    tensor->rank = rank;
    tensor->extents[0] = rows;
    tensor->extents[1] = columns;
    tensor->data = data;
    tensor->bytes = sizeof *data * (uint64_t)rows * (uint64_t)columns;
}

TEST(recurrent, a_diagonal_of_recurrent_weights_stands_for_a_matrix)
{
    static float diagonal[MOST_UNITS], matrix[MOST_UNITS * MOST_UNITS];
    uint8_t expected[MOST_BYTES] = {0}, found[MOST_BYTES] = {0};
    struct hy_op_case made;
    struct hy_network *network = hy_recurrent_network(
        HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, HY_TFLITE_FLOAT32, has_recurrent_square, &made);
    REQUIRE(network);
    struct hy_graph *graph = &network->graph;
    const int32_t units = hy_recurrent_input(graph, 5)->extents[0];

    for (int32_t i = 0; i < units; i++)
        matrix[i * units + i] = diagonal[i] = 0.25f * (float)(i + 1);
    for (uint32_t i = 5; i < 9; i++)
        set_constant(graph, i, 2, units, units, matrix);
    run_graph(graph, expected);
    for (uint32_t i = 5; i < 9; i++)
        set_constant(graph, i, 1, units, 1, diagonal);
    graph->nodes[0].attributes.lstm.diagonal_recurrent = true;
    run_graph(graph, found);
    EXPECT(memcmp(expected, found, sizeof found) == 0);
    EXPECT(found[0] || found[1] || found[2] || found[3]);
    hy_network_close(network);
    hy_op_case_finish(&made);
}

TEST(recurrent, sparse_weights_stand_for_dense_ones)
{
    static float column[MOST_UNITS], matrix[MOST_UNITS * MOST_UNITS];
    static int32_t segments[MOST_UNITS + 1], level_indices[MOST_UNITS]; /* the first column alone */
    uint8_t expected[MOST_BYTES] = {0}, found[MOST_BYTES] = {0};
    struct hy_op_case made;
    struct hy_network *network = hy_recurrent_network(
        HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, HY_TFLITE_FLOAT32, has_recurrent_square, &made);
    REQUIRE(network);
    struct hy_graph *graph = &network->graph;
    const int32_t units = hy_recurrent_input(graph, 5)->extents[0];
    const struct hy_sparse_level levels[] = {
        {.dimension = 0, .extent = (uint32_t)units},
        {.is_sparse = true,
         .dimension = 1,
         .segment_count = (uint32_t)units + 1,
         .index_count = (uint32_t)units,
         .segments = segments,
         .level_indices = level_indices},
    };
    const struct hy_sparsity sparsity = {.level_count = 2, .levels = levels};

    for (int32_t i = 0; i < units; i++) {
        matrix[i * units] = column[i] = 0.25f * (float)(i + 1);
        segments[i + 1] = i + 1;
    }
    set_constant(graph, 6, 2, units, units, matrix);
    run_graph(graph, expected);
    set_constant(graph, 6, 2, units, units, column);
    hy_recurrent_input(graph, 6)->bytes = sizeof *column * (uint64_t)units;
    hy_recurrent_input(graph, 6)->sparsity = &sparsity;
    run_graph(graph, found);
    EXPECT(memcmp(expected, found, sizeof found) == 0);
    hy_network_close(network);
    hy_op_case_finish(&made);
}

/* ---- Integer sequences ------------------------------------------------------------------------
 */

TEST(recurrent, an_integer_sequence_of_any_length_is_one_operation)
{
    struct hy_lowered_model *model = NULL;
    struct hy_op_case made;
    struct hy_network *network = hy_recurrent_network(HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM,
                                                      HY_TFLITE_INT8, hy_recurrent_any, &made);
    REQUIRE(network);
    struct hy_graph *graph = &network->graph;
    const uint32_t time = graph->nodes[0].attributes.lstm.time_major ? 0 : 1;

    hy_recurrent_input(graph, 0)->extents[time] = 9999;
    graph->tensors[graph->nodes[0].outputs[0]].extents[time] = 9999;
    EXPECT_INT(hy_lower(graph, &model, NULL), HY_OK);
    EXPECT_INT(hy_lowered_model_operation_count(model), 1);
    hy_lowered_model_destroy(model);
    hy_network_close(network);
    hy_op_case_finish(&made);
}

static void make_short(struct hy_graph_tensor *tensor)
{
    static const int32_t zero_point = 0;

    tensor->element = HY_ELEMENT_INT16;
    tensor->quantisation.zero_points = &zero_point;
}

/* The biases of all gates as int64. */
static void widen_biases(struct hy_graph *graph)
{
    static int64_t wide[4][MOST_UNITS];

    for (uint32_t i = 0; i < 4; i++) {
        if (hy_graph_node_input(&graph->nodes[0], 12 + i) == HY_NO_TENSOR)
            continue;
        struct hy_graph_tensor *bias = hy_recurrent_input(graph, 12 + i);
        for (int32_t j = 0; j < bias->extents[0]; j++)
            wide[i][j] = ((const int32_t *)bias->data)[j];
        bias->element = HY_ELEMENT_INT64;
        bias->data = wide[i];
        bias->bytes *= 2;
    }
}

static bool has_no_projection(const struct hy_graph *graph)
{
    return hy_graph_node_input(&graph->nodes[0], 16) == HY_NO_TENSOR;
}

static void expect_biases_of_both_widths(enum hy_tflite_op op)
{
    uint8_t expected[MOST_BYTES] = {0}, found[MOST_BYTES] = {0};
    struct hy_op_case made;
    struct hy_network *network = hy_recurrent_network(op, HY_TFLITE_INT8, has_no_projection, &made);
    REQUIRE(network);
    struct hy_graph *graph = &network->graph;

    make_short(hy_recurrent_input(graph, 0));
    make_short(hy_recurrent_input(graph, 18));
    make_short(&graph->tensors[graph->nodes[0].outputs[0]]);
    make_short(&graph->tensors[graph->nodes[0].outputs[1]]);
    run_graph(graph, expected);
    widen_biases(graph);
    run_graph(graph, found);
    EXPECT(memcmp(expected, found, sizeof found) == 0);
    EXPECT(found[0] || found[1] || found[2] || found[3]);
    hy_network_close(network);
    hy_op_case_finish(&made);
}

TEST(recurrent, an_lstm_of_int16_has_biases_of_32_or_64_bits)
{
    expect_biases_of_both_widths(HY_TFLITE_OP_LSTM);
    expect_biases_of_both_widths(HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM);
}

/* ---- States ---------------------------------------------------------------------------------- */

TEST(recurrent, a_state_of_int8_begins_as_its_zero_point)
{
    struct hy_op_case made;
    struct hy_states *states = NULL;
    int8_t contents[64] = {0};
    struct hy_network *network =
        hy_recurrent_network(HY_TFLITE_OP_LSTM, HY_TFLITE_INT8, hy_recurrent_any, &made);

    REQUIRE(network && hy_states_create(&network->graph, network->model, &states, NULL) == HY_OK);
    const struct hy_graph_tensor *output = hy_states_tensor(states, 0);
    const uint32_t count = (uint32_t)(output->extents[0] * output->extents[1]);
    REQUIRE(output->element == HY_ELEMENT_INT8 && count <= sizeof contents);
    EXPECT_INT(hy_states_read(states, 0, contents, count, NULL), HY_OK);
    for (uint32_t i = 0; i < count; i++)
        EXPECT_INT(contents[i], output->quantisation.zero_points[0]);
    EXPECT(output->quantisation.zero_points[0] != 0);
    hy_states_destroy(states);
    hy_network_close(network);
    hy_op_case_finish(&made);
}
