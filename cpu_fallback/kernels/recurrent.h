#ifndef HY_CPU_FALLBACK_KERNELS_RECURRENT_H
#define HY_CPU_FALLBACK_KERNELS_RECURRENT_H

#include <stdbool.h>

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/reference/unary.h"

/*
 * The cells of the recurrent operations in floating point: one time step each. Vectors and states
 * are float32 here, whatever the tensors store; weight matrices are read as they are or in panels,
 * through the kernel slots that all the time goes into.
 */

/**
 * out[b][r] += sum over c of weights[r][c] * in[b][c]
 *   weights  [rows, columns]   f32, f16
 *   in       [batch, columns]  float32
 *   out      [batch, rows]     float32
 */
struct hy_matvec_shape {
    size_t batch, rows, columns;
};

typedef void hy_matvec_fn(const struct hy_matvec_shape *shape, const void *weights, const float *in,
                          float *out);

/* Slots of the kernel table: the functions are those for float32. */
struct hy_cell_kernels {
    hy_matvec_fn *matvec; /* by the type of the weights */
    hy_unary_fn *logistic, *tanh;
};

/* Applies activation 0 none, 1 RELU, 2 RELU1, 3 RELU6, 4 tanh or 6 sigmoid. */
void hy_cell_activate(const struct hy_cell_kernels *kernels, int32_t activation, size_t count,
                      float *values);

/*
 * The weights that the hidden state meets, of all gates side by side: one product in each step,
 * the FULLY_CONNECTED of [batch, outputs] that gives [batch, gates * units].
 */
struct hy_cell_panels {
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *product; /* in blocks of units / parts, where there are parts */
    const void *weights;                  /* packed */
    uint32_t gates, parts;                /* parts: 1 or more */
    const struct hy_conv_share *beside;   /* of other steps' products, one for each part, or for all
                                             of a step; NULL: none */
};

void hy_cell_panels_run(const struct hy_cell_panels *panels, const float *hidden, float *sums);

/* Of each gate the units of one part. */
void hy_cell_panels_run_part(const struct hy_cell_panels *panels, uint32_t part,
                             const float *hidden, float *sums);

/*
 * One step of a cell, number `step`: rows of the input (and of the auxiliary input, where the cell
 * has weights for it) go in, `hidden` and `state` go from the step before to this one. An RNN has
 * no `state`. The panel steps take what the input brings instead of the input: [batch, gates *
 * units], rows `in_step` apart, with the bias. They have no auxiliary input.
 */
typedef void hy_cell_fn(const void *cell, size_t step, const float *in, const float *aux,
                        float *hidden, float *state);

/*
 * One of the equal parts of a panel step, for threads that do them side by side: of the units that
 * are its own, `state` goes on, and `out` is what `hidden` is to the next step. Together the parts
 * of a step are that step to the bit.
 */
typedef void hy_cell_part_fn(const void *cell, size_t step, uint32_t part, const float *in,
                             const float *hidden, float *state, float *out);

/* What a part can do of a step while others have not come to the end of the step before: it looks
 * at what the same part has made of `hidden`, and only at that. */
typedef void hy_cell_early_fn(const void *cell, size_t step, uint32_t part, const float *hidden);

/**
 * RNN, NNAPI code 24: hidden = act(bias + weights * in + aux_weights * aux + recurrent * hidden)
 *   in  [batch, inputs]   aux  [batch, aux_inputs]   hidden  [batch, units]
 */
struct hy_rnn_cell {
    struct hy_cell_kernels kernels;
    struct hy_cell_panels panels; /* of panel steps only */
    size_t in_step;
    size_t batch, inputs, aux_inputs, units;
    int32_t activation;
    const void *weights, *aux_weights, *recurrent; /* aux_weights NULL: none */
    const float *bias;
    float *sums; /* scratch [batch, units] */
};

hy_cell_fn hy_rnn_step, hy_rnn_panel_step;
hy_cell_part_fn hy_rnn_panel_part;

/* Gates in the order of the operands. */
enum { HY_LSTM_INPUT, HY_LSTM_FORGET, HY_LSTM_CELL, HY_LSTM_OUTPUT, HY_LSTM_GATES };

/**
 * LSTM, NNAPI code 16.
 *   in  [batch, inputs]   aux  [batch, aux_inputs]   hidden  [batch, outputs]   state  [batch,
 * units] The input gate's operands are NULL where gates are coupled (input = 1 - forget). Optional
 * operands are NULL: peepholes (never one of the cell gate), norm, aux weights, the projection and
 * its bias. Without projection outputs = units. A clip of 0 does not clip.
 */
struct hy_lstm_cell {
    struct hy_cell_kernels kernels;
    size_t batch, inputs, aux_inputs, units, outputs;
    int32_t activation;
    float cell_clip, projection_clip;
    const void *weights[HY_LSTM_GATES], *aux_weights[HY_LSTM_GATES], *recurrent[HY_LSTM_GATES];
    const float *peephole[HY_LSTM_GATES], *norm[HY_LSTM_GATES], *bias[HY_LSTM_GATES];
    const void *projection;
    const float *projection_bias;
    float *gates; /* scratch [HY_LSTM_GATES, batch, units] */
};

hy_cell_fn hy_lstm_step;

/**
 * What is left of a step of an LSTM without layer normalisation, whose activation is tanh, once the
 * products are there: for one row of the batch. Vectors of `units`; in two parts, whose sum goes
 * into a gate: what input and bias bring, and what the hidden state brings.
 *   state  [units]  from the step before to this one
 *   out    [units]  output gate * tanh(state)
 */
struct hy_lstm_row {
    size_t units;
    float cell_clip;                                        /* 0: does not clip */
    const float *in[HY_LSTM_GATES], *hidden[HY_LSTM_GATES]; /* input gate NULL: coupled */
    const float *peephole[HY_LSTM_GATES];                   /* NULL: none */
};

typedef void hy_lstm_row_fn(const struct hy_lstm_row *row, float *state, float *out);

/**
 * A step of such an LSTM for a batch of one row, products and gates at once: of units `first` and
 * following, `count` of them. All three are whole panels of the convolution kernel that has the
 * functions.
 *   hidden   [depth], of the step before        in  [gates * units], what input and bias bring
 *   weights  packed; gates are HY_LSTM_GATES, or one less where they are coupled
 */
struct hy_lstm_units {
    size_t units, depth, first, count;
    int half;          /* of the hidden state, 0 or 1: see below */
    bool is_backwards; /* the order of panels: a step begins with the weights that the last one
                          ended with, if they take turns */
    bool is_coupled;
    float cell_clip; /* 0: does not clip */
    const void *weights;
    const float *peephole[HY_LSTM_GATES]; /* [units], NULL: none */
    const float *in, *hidden;
};

/* Bytes that `pack` fills, from the matrix [units, depth] of each gate. */
typedef size_t hy_lstm_packed_bytes_fn(const struct hy_lstm_units *units);
typedef void hy_lstm_pack_fn(const struct hy_lstm_units *units, const float *const *matrices,
                             void *packed);

/* What the first depth / 2 of the hidden state or the rest, as `half` says, bring to the gates of
 * the first panel of units, while another thread still makes the other half: sums [gates * units].
 */
typedef void hy_lstm_half_fn(const struct hy_lstm_units *units, float *sums);

/* state [units] goes on; out [units] is output gate * tanh(state), not where `hidden` lies. `known`
 * is NULL, or what the function above gave for `half`. Unless it is NULL, `beside` is computed,
 * too, as a convolution's `run_beside` does. The result is the same to the bit. */
typedef void hy_lstm_units_fn(const struct hy_lstm_units *units, const float *known,
                              const struct hy_conv_share *beside, float *state, float *out);

struct hy_lstm_kernel {
    hy_lstm_packed_bytes_fn *packed_bytes;
    hy_lstm_pack_fn *pack;
    hy_lstm_half_fn *half;
    hy_lstm_units_fn *units;
};

/* An LSTM that such rows suffice for, in panel steps. Of the cell's operands, those are not looked
 * at that the panels and the input's products have. */
struct hy_lstm_panel_cell {
    struct hy_lstm_cell cell;
    struct hy_cell_panels panels;
    hy_lstm_row_fn *row;
    const struct hy_lstm_kernel *kernel; /* of a batch of one, for the steps of units */
    size_t in_step;
    bool is_coupled; /* no input gate */
    float *values;   /* scratch [batch, units] */
};

hy_cell_fn hy_lstm_panel_step, hy_lstm_units_step;
hy_cell_part_fn hy_lstm_panel_part, hy_lstm_units_part; /* without projection */
hy_cell_early_fn hy_lstm_units_early;                   /* of two parts */

/**
 * SVDF, NNAPI code 27: the newest value of every filter joins the `memory - 1` before it.
 *   in     [batch, inputs]           weights  [filters, inputs], f32 or f16 as matvec takes
 *   times  [filters, memory]         bias     [filters / rank] or NULL
 *   state  [batch, filters, memory], shifted by one       out  [batch, filters / rank]
 */
struct hy_svdf_params {
    struct hy_cell_kernels kernels;
    size_t batch, inputs, filters, memory, rank;
    int32_t activation;
    const void *weights;
    const float *times, *bias;
    float *newest; /* scratch [batch, filters] */
};

void hy_svdf(const struct hy_svdf_params *params, const float *in, float *state, float *out);

#endif
