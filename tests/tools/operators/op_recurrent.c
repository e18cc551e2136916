/* Operators with a state: RNN and SVDF. */
#include "tests/tools/operators/op_recurrent.h"

void hy_op_take_weights(struct hy_op_draft *draft, uint32_t rank, int32_t rows, int32_t columns)
{
    const struct hy_op_tensor values =
        hy_op_of(draft, HY_TFLITE_FLOAT32, rank, (const int32_t[]){rows, columns});
    hy_op_weights(draft, &values);
}

void hy_op_take_vector(struct hy_op_draft *draft, int32_t count)
{
    const struct hy_op_tensor values =
        hy_op_of(draft, HY_TFLITE_FLOAT32, 1, (const int32_t[]){count});
    hy_op_constant(draft, &values);
}

void hy_op_take_nothing(struct hy_op_draft *draft, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hy_op_nothing(draft);
}

struct hy_op_sequence hy_op_any_sequence(struct hy_op_draft *draft)
{
    struct hy_op_sequence sequence = {
        .batch = hy_op_between(draft, 1, 3),
        .steps = hy_op_between(draft, 1, 5),
        .features = hy_op_between(draft, 1, 20),
        .time_major = hy_op_pick(draft, 2),
    };
    return sequence;
}

struct hy_op_tensor hy_op_sequence_of(struct hy_op_draft *draft,
                                      const struct hy_op_sequence *sequence, int32_t features)
{
    const int32_t rows = sequence->time_major ? sequence->steps : sequence->batch;
    const int32_t columns = sequence->time_major ? sequence->batch : sequence->steps;
    return hy_op_of(draft, draft->type, 3, (const int32_t[]){rows, columns, features});
}

/* TANH more often than the others. */
enum hy_tflite_activation hy_op_cell_activation(struct hy_op_draft *draft)
{
    static const enum hy_tflite_activation activations[] = {
        HY_TFLITE_ACTIVATION_TANH, HY_TFLITE_ACTIVATION_TANH,  HY_TFLITE_ACTIVATION_NONE,
        HY_TFLITE_ACTIVATION_RELU, HY_TFLITE_ACTIVATION_RELU6,
    };
    return activations[hy_op_pick(draft, 5)];
}

/* ---- RNN ------------------------------------------------------------------------------------- */

static void take_rnn_cell(struct hy_op_draft *draft, int32_t batch, int32_t features, int32_t units)
{
    const struct hy_op_tensor state =
        hy_op_of(draft, HY_TFLITE_FLOAT32, 2, (const int32_t[]){batch, units});

    hy_op_take_weights(draft, 2, units, features);
    hy_op_take_weights(draft, 2, units, units);
    hy_op_take_vector(draft, units);
    hy_op_state(draft, &state);
}

void hy_op_rnn(struct hy_op_draft *draft)
{
    const int32_t batch = hy_op_between(draft, 1, 3), features = hy_op_between(draft, 1, 20);
    const int32_t units = hy_op_between(draft, 1, 20);
    const struct hy_op_tensor x =
        hy_op_of(draft, draft->type, 2, (const int32_t[]){batch, features});
    const struct hy_op_tensor y = hy_op_shaped(&x, 2, (const int32_t[]){batch, units});

    hy_op_input(draft, &x);
    take_rnn_cell(draft, batch, features, units);
    hy_op_options(draft, HY_TFLITE_OPTIONS_RNN);
    hy_op_option(draft, 0, 1,
                 hy_op_pick(draft, 6) ? hy_op_cell_activation(draft)
                                      : HY_TFLITE_ACTIVATION_RELU_N1_TO_1);
    hy_op_output(draft, &y);
}

void hy_op_sequence_rnn(struct hy_op_draft *draft)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(draft);
    const int32_t units = hy_op_between(draft, 1, 20);
    const struct hy_op_tensor x = hy_op_sequence_of(draft, &sequence, sequence.features);
    const struct hy_op_tensor y = hy_op_sequence_of(draft, &sequence, units);

    hy_op_input(draft, &x);
    take_rnn_cell(draft, sequence.batch, sequence.features, units);
    hy_op_options(draft, HY_TFLITE_OPTIONS_SEQUENCE_RNN);
    hy_op_option(draft, 0, 1, sequence.time_major);
    hy_op_option(draft, 1, 1, hy_op_cell_activation(draft));
    hy_op_output(draft, &y);
}

/* Another layer's result is left out, weighed beside the input, or what the backward cell reads. */
void hy_op_bidirectional_rnn(struct hy_op_draft *draft)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(draft);
    const int32_t forward = hy_op_between(draft, 1, 20), backward = hy_op_between(draft, 1, 20);
    /* TensorFlow Lite's backward cell reads the first input in sequences that begin with batches.
     */
    const uint32_t auxiliary = hy_op_pick(draft, sequence.time_major ? 3 : 2);
    const bool merged = hy_op_pick(draft, 2);
    const struct hy_op_tensor x = hy_op_sequence_of(draft, &sequence, sequence.features);

    hy_op_input(draft, &x);
    take_rnn_cell(draft, sequence.batch, sequence.features, forward);
    take_rnn_cell(draft, sequence.batch, sequence.features, backward);
    if (auxiliary)
        hy_op_input(draft, &x);
    if (auxiliary == 1) {
        hy_op_take_weights(draft, 2, forward, sequence.features);
        hy_op_take_weights(draft, 2, backward, sequence.features);
    } else {
        hy_op_take_nothing(draft, auxiliary ? 2 : 3);
    }
    hy_op_options(draft, HY_TFLITE_OPTIONS_BIDIRECTIONAL_SEQUENCE_RNN);
    hy_op_option(draft, 0, 1, sequence.time_major);
    hy_op_option(draft, 1, 1, hy_op_cell_activation(draft));
    hy_op_option(draft, 2, 1, merged);
    hy_op_both_outputs(draft, &sequence, merged, forward, backward);
}

void hy_op_both_outputs(struct hy_op_draft *draft, const struct hy_op_sequence *sequence,
                        bool merged, int32_t forward, int32_t backward)
{
    const struct hy_op_tensor first =
        hy_op_sequence_of(draft, sequence, merged ? forward + backward : forward);
    const struct hy_op_tensor second = hy_op_sequence_of(draft, sequence, backward);

    hy_op_output(draft, &first);
    if (!merged)
        hy_op_output(draft, &second);
}

/* ---- SVDF ------------------------------------------------------------------------------------ */

struct svdf {
    int32_t batch, features, units, rank, memory, filters;
    bool biased;
    float feature_scale, time_scale, state_scale; /* of an SVDF of integers */
};

static void take_float_svdf(struct hy_op_draft *draft, const struct svdf *svdf)
{
    const struct hy_op_tensor state = hy_op_of(
        draft, HY_TFLITE_FLOAT32, 2, (const int32_t[]){svdf->batch, svdf->filters * svdf->memory});

    hy_op_take_weights(draft, 2, svdf->filters, svdf->features);
    hy_op_take_weights(draft, 2, svdf->filters, svdf->memory);
    if (svdf->biased)
        hy_op_take_vector(draft, svdf->units);
    else
        hy_op_nothing(draft);
    hy_op_state(draft, &state);
}

/* Weights of int8 and int16, a bias of int32, a state of int16. */
static void take_integer_svdf(struct hy_op_draft *draft, const struct svdf *svdf)
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
    hy_op_constant(draft, &features);
    hy_op_constant(draft, &times);
    hy_op_constant(draft, &bias);
    hy_op_state(draft, &state);
}

/* An SVDF of int8 has no activation beside the output's range. */
static enum hy_tflite_activation svdf_activation(struct hy_op_draft *draft)
{
    return draft->type == HY_TFLITE_INT8 ? HY_TFLITE_ACTIVATION_RELU
                                         : hy_op_pick(draft, HY_TFLITE_ACTIVATION_TANH + 1);
}

void hy_op_svdf(struct hy_op_draft *draft)
{
    struct svdf svdf = {
        .batch = hy_op_between(draft, 1, 3),
        .features = hy_op_between(draft, 1, 20),
        .units = hy_op_between(draft, 1, 12),
        .rank = hy_op_between(draft, 1, 3),
        .memory = hy_op_between(draft, 1, 10),
        .biased = hy_op_pick(draft, 3),
    };
    svdf.filters = svdf.units * svdf.rank;
    const struct hy_op_tensor x =
        hy_op_of(draft, draft->type, 2, (const int32_t[]){svdf.batch, svdf.features});
    struct hy_op_tensor y =
        hy_op_of(draft, draft->type, 2, (const int32_t[]){svdf.batch, svdf.units});
    /* States of some ten thousand steps, outputs of some ten steps. */
    svdf.feature_scale = hy_op_real(draft, 0.001f, 0.1f);
    svdf.time_scale = hy_op_real(draft, 1e-6f, 1e-4f);
    svdf.state_scale = x.scale * svdf.feature_scale * hy_op_real(draft, 0.2f, 4.0f);
    y = hy_op_scaled(&y, svdf.state_scale * svdf.time_scale * hy_op_real(draft, 2e6f, 2e7f),
                     y.zero_point);

    hy_op_input(draft, &x);
    if (draft->type == HY_TFLITE_INT8)
        take_integer_svdf(draft, &svdf);
    else
        take_float_svdf(draft, &svdf);
    hy_op_options(draft, HY_TFLITE_OPTIONS_SVDF);
    hy_op_option(draft, 0, 4, svdf.rank);
    hy_op_option(draft, 1, 1, svdf_activation(draft));
    hy_op_output(draft, &y);
}
