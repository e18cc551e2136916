/* Operators with a state: RNN and SVDF. */
#include "tests/unit/tools/operators/op_recurrent.h"

void hy_op_add_weights(struct hy_op_builder *op_builder, uint32_t rank, int32_t rows,
                       int32_t columns)
{
    const struct hy_op_tensor values =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, rank, (const int32_t[]){rows, columns});
    hy_op_weights(op_builder, &values);
}

void hy_op_add_vector(struct hy_op_builder *op_builder, int32_t count)
{
    const struct hy_op_tensor values =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 1, (const int32_t[]){count});
    hy_op_constant(op_builder, &values);
}

void hy_op_omit_inputs(struct hy_op_builder *op_builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hy_op_nothing(op_builder);
}

struct hy_op_sequence hy_op_any_sequence(struct hy_op_builder *op_builder)
{
    struct hy_op_sequence sequence = {
        .batch = hy_op_between(op_builder, 1, 3),
        .steps = hy_op_between(op_builder, 1, 5),
        .features = hy_op_between(op_builder, 1, 20),
        .time_major = hy_op_pick(op_builder, 2),
    };
    return sequence;
}

struct hy_op_tensor hy_op_sequence_of(struct hy_op_builder *op_builder,
                                      const struct hy_op_sequence *sequence, int32_t features)
{
    const int32_t rows = sequence->time_major ? sequence->steps : sequence->batch;
    const int32_t columns = sequence->time_major ? sequence->batch : sequence->steps;
    return hy_op_of(op_builder, op_builder->type, 3, (const int32_t[]){rows, columns, features});
}

/* TANH more often than the others. */
enum hy_tflite_activation hy_op_cell_activation(struct hy_op_builder *op_builder)
{
    static const enum hy_tflite_activation activations[] = {
        HY_TFLITE_ACTIVATION_TANH, HY_TFLITE_ACTIVATION_TANH,  HY_TFLITE_ACTIVATION_NONE,
        HY_TFLITE_ACTIVATION_RELU, HY_TFLITE_ACTIVATION_RELU6,
    };
    return activations[hy_op_pick(op_builder, 5)];
}

/* ---- RNN ------------------------------------------------------------------------------------- */

static void add_rnn_cell(struct hy_op_builder *op_builder, int32_t batch, int32_t features,
                         int32_t units)
{
    const struct hy_op_tensor state =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2, (const int32_t[]){batch, units});

    hy_op_add_weights(op_builder, 2, units, features);
    hy_op_add_weights(op_builder, 2, units, units);
    hy_op_add_vector(op_builder, units);
    hy_op_state(op_builder, &state);
}

void hy_op_rnn(struct hy_op_builder *op_builder)
{
    const int32_t batch = hy_op_between(op_builder, 1, 3),
                  features = hy_op_between(op_builder, 1, 20);
    const int32_t units = hy_op_between(op_builder, 1, 20);
    const struct hy_op_tensor x =
        hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){batch, features});
    const struct hy_op_tensor y = hy_op_shaped(&x, 2, (const int32_t[]){batch, units});

    hy_op_input(op_builder, &x);
    add_rnn_cell(op_builder, batch, features, units);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_RNN);
    hy_op_option(op_builder, 0, 1,
                 hy_op_pick(op_builder, 6) ? hy_op_cell_activation(op_builder)
                                           : HY_TFLITE_ACTIVATION_RELU_N1_TO_1);
    hy_op_output(op_builder, &y);
}

void hy_op_sequence_rnn(struct hy_op_builder *op_builder)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(op_builder);
    const int32_t units = hy_op_between(op_builder, 1, 20);
    const struct hy_op_tensor x = hy_op_sequence_of(op_builder, &sequence, sequence.features);
    const struct hy_op_tensor y = hy_op_sequence_of(op_builder, &sequence, units);

    hy_op_input(op_builder, &x);
    add_rnn_cell(op_builder, sequence.batch, sequence.features, units);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SEQUENCE_RNN);
    hy_op_option(op_builder, 0, 1, sequence.time_major);
    hy_op_option(op_builder, 1, 1, hy_op_cell_activation(op_builder));
    hy_op_output(op_builder, &y);
}

/* Another layer's result is left out, weighed beside the input, or what the backward cell reads. */
void hy_op_bidirectional_rnn(struct hy_op_builder *op_builder)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(op_builder);
    const int32_t forward = hy_op_between(op_builder, 1, 20),
                  backward = hy_op_between(op_builder, 1, 20);
    /* TensorFlow Lite's backward cell reads the first input in sequences that begin with batches.
     */
    const uint32_t auxiliary = hy_op_pick(op_builder, sequence.time_major ? 3 : 2);
    const bool merged = hy_op_pick(op_builder, 2);
    const struct hy_op_tensor x = hy_op_sequence_of(op_builder, &sequence, sequence.features);

    hy_op_input(op_builder, &x);
    add_rnn_cell(op_builder, sequence.batch, sequence.features, forward);
    add_rnn_cell(op_builder, sequence.batch, sequence.features, backward);
    if (auxiliary)
        hy_op_input(op_builder, &x);
    if (auxiliary == 1) {
        hy_op_add_weights(op_builder, 2, forward, sequence.features);
        hy_op_add_weights(op_builder, 2, backward, sequence.features);
    } else {
        hy_op_omit_inputs(op_builder, auxiliary ? 2 : 3);
    }
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_BIDIRECTIONAL_SEQUENCE_RNN);
    hy_op_option(op_builder, 0, 1, sequence.time_major);
    hy_op_option(op_builder, 1, 1, hy_op_cell_activation(op_builder));
    hy_op_option(op_builder, 2, 1, merged);
    hy_op_both_outputs(op_builder, &sequence, merged, forward, backward);
}

void hy_op_both_outputs(struct hy_op_builder *op_builder, const struct hy_op_sequence *sequence,
                        bool merged, int32_t forward, int32_t backward)
{
    const struct hy_op_tensor first =
        hy_op_sequence_of(op_builder, sequence, merged ? forward + backward : forward);
    const struct hy_op_tensor second = hy_op_sequence_of(op_builder, sequence, backward);

    hy_op_output(op_builder, &first);
    if (!merged)
        hy_op_output(op_builder, &second);
}

/* ---- SVDF ------------------------------------------------------------------------------------ */

struct svdf {
    int32_t batch, features, units, rank, memory, filters;
    bool biased;
    float feature_scale, time_scale, state_scale; /* of an SVDF of integers */
};

static void add_float_svdf(struct hy_op_builder *op_builder, const struct svdf *svdf)
{
    const struct hy_op_tensor state =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2,
                 (const int32_t[]){svdf->batch, svdf->filters * svdf->memory});

    hy_op_add_weights(op_builder, 2, svdf->filters, svdf->features);
    hy_op_add_weights(op_builder, 2, svdf->filters, svdf->memory);
    if (svdf->biased)
        hy_op_add_vector(op_builder, svdf->units);
    else
        hy_op_nothing(op_builder);
    hy_op_state(op_builder, &state);
}

/* Weights of int8 and int16, a bias of int32, a state of int16. */
static void add_integer_svdf(struct hy_op_builder *op_builder, const struct svdf *svdf)
{
    struct hy_op_tensor features = {.type = HY_TFLITE_INT8,
                                    .rank = 2,
                                    .dims = {svdf->filters, svdf->features},
                                    .scale = svdf->feature_scale};
    const struct hy_op_tensor times = {.type = HY_TFLITE_INT16,
                                       .rank = 2,
                                       .dims = {svdf->filters, svdf->memory},
                                       .scale = svdf->time_scale};
    const struct hy_op_tensor bias = {.type = HY_TFLITE_INT32,
                                      .rank = 1,
                                      .dims = {svdf->units},
                                      .scale = svdf->state_scale * svdf->time_scale,
                                      .low = -1e8f,
                                      .high = 1e8f};
    const struct hy_op_tensor state = {.type = HY_TFLITE_INT16,
                                       .rank = 2,
                                       .dims = {svdf->batch, svdf->filters * svdf->memory},
                                       .scale = svdf->state_scale};

    features.low = -127.0f;
    features.high = 127.0f;
    hy_op_constant(op_builder, &features);
    hy_op_constant(op_builder, &times);
    hy_op_constant(op_builder, &bias);
    hy_op_state(op_builder, &state);
}

/* An SVDF of int8 has no activation beside the output's range. */
static enum hy_tflite_activation svdf_activation(struct hy_op_builder *op_builder)
{
    return op_builder->type == HY_TFLITE_INT8
               ? HY_TFLITE_ACTIVATION_RELU
               : hy_op_pick(op_builder, HY_TFLITE_ACTIVATION_TANH + 1);
}

void hy_op_svdf(struct hy_op_builder *op_builder)
{
    struct svdf svdf = {
        .batch = hy_op_between(op_builder, 1, 3),
        .features = hy_op_between(op_builder, 1, 20),
        .units = hy_op_between(op_builder, 1, 12),
        .rank = hy_op_between(op_builder, 1, 3),
        .memory = hy_op_between(op_builder, 1, 10),
        .biased = hy_op_pick(op_builder, 3),
    };
    svdf.filters = svdf.units * svdf.rank;
    const struct hy_op_tensor x =
        hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){svdf.batch, svdf.features});
    struct hy_op_tensor y =
        hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){svdf.batch, svdf.units});
    /* States of some ten thousand steps, outputs of some ten steps. */
    svdf.feature_scale = hy_op_real(op_builder, 0.001f, 0.1f);
    svdf.time_scale = hy_op_real(op_builder, 1e-6f, 1e-4f);
    svdf.state_scale = x.scale * svdf.feature_scale * hy_op_real(op_builder, 0.2f, 4.0f);
    y = hy_op_scaled(&y, svdf.state_scale * svdf.time_scale * hy_op_real(op_builder, 2e6f, 2e7f),
                     y.zero_point);

    hy_op_input(op_builder, &x);
    if (op_builder->type == HY_TFLITE_INT8)
        add_integer_svdf(op_builder, &svdf);
    else
        add_float_svdf(op_builder, &svdf);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SVDF);
    hy_op_option(op_builder, 0, 4, svdf.rank);
    hy_op_option(op_builder, 1, 1, svdf_activation(op_builder));
    hy_op_output(op_builder, &y);
}
