/* Recurrent operators that have no NNAPI form: networks that are changed and lowered again. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/recurrent_network.h"

typedef void graph_change(struct hy_graph *graph);

static void expect_refused(enum hy_tflite_op op, enum hy_tflite_type type,
                           hy_recurrent_test *wanted, graph_change *change, const char *expected)
{
    struct hy_op_case made;
    struct hy_error err = {0};
    struct hy_lowered_model *model = NULL;
    struct hy_network *network = hy_recurrent_network(op, type, wanted, &made);

    if (!network)
        return;
    change(&network->graph);
    EXPECT_INT(hy_lower(&network->graph, &model, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_CONTAINS(err.text, hy_tflite_op_name(op));
    hy_lowered_model_destroy(model);
    hy_network_close(network);
    hy_op_case_finish(&made);
}

/* ---- Activations and types ------------------------------------------------------------------- */

static void set_sign_bit(struct hy_graph *graph)
{
    graph->nodes[0].attributes.rnn.activation = HY_ACTIVATION_SIGN_BIT;
}

static void set_int32(struct hy_graph *graph)
{
    hy_recurrent_input(graph, 0)->element = HY_ELEMENT_INT32;
}

static void drop_states(struct hy_graph *graph)
{
    graph->nodes[0].output_count = graph->nodes[0].output_count > 2 ? 2 : 0;
}

TEST(recurrent, activations_that_cells_of_nnapi_have_not_are_refused)
{
    expect_refused(HY_TFLITE_OP_RNN, HY_TFLITE_FLOAT32, hy_recurrent_any, set_sign_bit,
                   "the activation of a recurrent cell has no NNAPI form");
}

TEST(recurrent, other_types_of_input_are_refused)
{
    for (size_t i = 1; i < HY_RECURRENT_OPS; i++)
        expect_refused(hy_recurrent_ops[i], HY_TFLITE_FLOAT32, hy_recurrent_any, set_int32,
                       "the type of the input has no NNAPI form");
}

static bool has_matrix_per_gate(const struct hy_graph *graph)
{
    return !graph->nodes[0].attributes.lstm.is_basic;
}

TEST(recurrent, a_cell_with_some_of_its_states_is_refused)
{
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_FLOAT32, has_matrix_per_gate, drop_states,
                   "the number of outputs or states of a cell has no NNAPI form");
}

/* ---- One matrix for all gates ---------------------------------------------------------------- */

static bool is_basic(const struct hy_graph *graph)
{
    return graph->nodes[0].attributes.lstm.is_basic;
}

static void add_row(struct hy_graph *graph)
{
    hy_recurrent_input(graph, 2)->extents[0]++;
}

static void compute_weights(struct hy_graph *graph)
{
    hy_recurrent_input(graph, 2)->data = NULL;
}

TEST(recurrent, a_basic_lstm_needs_constant_weights_of_its_shapes)
{
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_FLOAT32, is_basic, add_row,
                   "the combination of shapes of a basic LSTM has no NNAPI form");
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_UINT8, is_basic, compute_weights,
                   "a basic LSTM with computed weights has no NNAPI form");
}

/* ---- Integer cells --------------------------------------------------------------------------- */

static void clear_hidden_scale(struct hy_graph *graph)
{
    graph->nodes[0].attributes.lstm.intermediates.hidden_scale = 0.0f;
}

static void clear_gate_scales(struct hy_graph *graph)
{
    graph->nodes[0].attributes.lstm.intermediates.gate_scales[3] = 0.0f;
}

static void set_state_scale(struct hy_graph *graph)
{
    static const float scale = 0.001f;
    hy_recurrent_input(graph, 19)->quantisation.scales = &scale;
}

static void set_weight_zero_point(struct hy_graph *graph)
{
    static const int32_t zero_point = 1;
    hy_recurrent_input(graph, 2)->quantisation.zero_points = &zero_point;
}

static bool is_normalised(const struct hy_graph *graph)
{
    return hy_graph_node_input(&graph->nodes[0], 23) != HY_NO_TENSOR;
}

TEST(recurrent, an_integer_lstm_needs_the_scales_of_intermediate_values)
{
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_INT8, hy_recurrent_any, clear_hidden_scale,
                   "an integer cell without a scale has no NNAPI form");
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_INT8, is_normalised, clear_gate_scales,
                   "a normalised gate without a scale has no NNAPI form");
}

TEST(recurrent, an_integer_lstm_of_another_quantisation_is_refused)
{
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_INT8, hy_recurrent_any, set_state_scale,
                   "the type or scale of the cell state has no NNAPI form");
    expect_refused(HY_TFLITE_OP_LSTM, HY_TFLITE_INT8, hy_recurrent_any, set_weight_zero_point,
                   "an integer cell whose weights are not symmetric int8 has no NNAPI form");
}

/* ---- Integer SVDF ---------------------------------------------------------------------------- */

static void set_state_type(struct hy_graph *graph)
{
    hy_recurrent_input(graph, 4)->element = HY_ELEMENT_FLOAT32;
}

static void set_features_zero_point(struct hy_graph *graph)
{
    static const int32_t zero_point = 1;
    hy_recurrent_input(graph, 1)->quantisation.zero_points = &zero_point;
}

TEST(recurrent, an_integer_svdf_of_other_types_is_refused)
{
    expect_refused(HY_TFLITE_OP_SVDF, HY_TFLITE_INT8, hy_recurrent_any, set_state_type,
                   "the type of the weights or state of an integer SVDF has no NNAPI form");
    expect_refused(HY_TFLITE_OP_SVDF, HY_TFLITE_INT8, hy_recurrent_any, set_features_zero_point,
                   "the type of the weights or state of an integer SVDF has no NNAPI form");
}
