#ifndef HY_CPU_FALLBACK_KERNELS_RECURRENT_H
#define HY_CPU_FALLBACK_KERNELS_RECURRENT_H

#include <stdbool.h>

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/reference/unary.h"

/*
 * One time step of each recurrent operation in floating point. Vectors and states are float32 here
 * for every tensor type. Weight matrices are read unpacked or in panels, through slots of the
 * kernel table, because nearly all the time goes into the matrix products.
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

/* Slots of the kernel table; `logistic` and `tanh` are the float32 functions. */
struct hy_cell_kernels {
    hy_matvec_fn *matvec; /* by the type of the weights */
    hy_unary_fn *logistic, *tanh;
};

/* Applies activation 0 none, 1 RELU, 2 RELU1, 3 RELU6, 4 tanh or 6 sigmoid. */
void hy_cell_activate(const struct hy_cell_kernels *kernels, int32_t activation, size_t count,
                      float *values);

/*
 * The recurrent weights of all gates side by side. Each step needs one product: the FULLY_CONNECTED
 * of [batch, outputs] to [batch, gates * units].
 */
struct hy_cell_panels {
    const struct hy_conv_kernel *kernel;
    const struct hy_conv_params *product; /* in blocks of units / parts if parts > 1 */
    const void *weights;                  /* packed */
    uint32_t gates, parts;                /* parts: 1 or more */
    const struct hy_conv_partition
        *interleaved; /* products of other steps (per part or step), or NULL */
};

void hy_cell_panels_run(const struct hy_cell_panels *panels, const float *hidden, float *sums);

/* Computes the units of one part in each gate. */
void hy_cell_panels_run_part(const struct hy_cell_panels *panels, uint32_t part,
                             const float *hidden, float *sums);

/*
 * Step `step` of a cell. Inputs are rows of the input, and of the auxiliary input if the cell has
 * weights for it. `hidden` and `state` are read and overwritten with the values of this step. An
 * RNN has no `state`. The panel steps take a finished product of input and input weights plus bias
 * instead of the input: [batch, gates * units], rows `in_step` apart. Panel steps have no auxiliary
 * input.
 */
typedef void hy_cell_fn(const void *cell, size_t step, const float *in, const float *aux,
                        float *hidden, float *state);

/*
 * One of the equal parts of a panel step, for threads in parallel. The part updates `state` of its
 * own units and writes their hidden values to `out`, the `hidden` of the next step. All parts
 * together give the same bits as the whole step.
 */
typedef void hy_cell_part_fn(const void *cell, size_t step, uint32_t part, const float *in,
                             const float *hidden, float *state, float *out);

/* The work of a part that can start before the other parts finish the previous step. The function
 * reads only the units of `hidden` computed by the same part. */
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
 *   in      [batch, inputs]     aux    [batch, aux_inputs]
 *   hidden  [batch, outputs]    state  [batch, units]
 * The input gate's operands are NULL if gates are coupled (input = 1 - forget). Absent optional
 * operands are NULL: peepholes (the cell gate never has a peephole), norm, aux weights, the
 * projection and its bias. Without projection outputs = units. A clip of 0 does not clip.
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
 * The rest of a step of an LSTM after the products, for one row of the batch. The LSTM has no layer
 * normalisation, and its activation is tanh. Vectors have `units` elements. The sum of a gate is
 * `in` (the product of the input, with bias) plus `hidden` (the product of the hidden state).
 *   state  [units]  read, and overwritten with the state of this step
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
 * A step of an LSTM as for hy_lstm_row, for a batch of one row, products and gates at once. The
 * step computes `count` units from `first` on. `units`, `first` and `count` are multiples of the
 * panel of the convolution kernel that owns the functions.
 *   hidden   [depth], of the previous step
 *   in       [gates * units], the product of the input, with bias
 *   weights  packed; gates are HY_LSTM_GATES, or HY_LSTM_GATES - 1 if coupled
 */
struct hy_lstm_units {
    size_t units, depth, first, count;
    int half;          /* half of the hidden state for hy_lstm_half_fn: 0 or 1 */
    bool is_backwards; /* order of panels. Callers alternate the order, so a step starts with the
                          weights of the end of the previous step */
    bool is_coupled;
    float cell_clip; /* 0: does not clip */
    const void *weights;
    const float *peephole[HY_LSTM_GATES]; /* [units], NULL: none */
    const float *in, *hidden;
};

/* Bytes of the packed weights. `pack` packs the matrix [units, depth] of each gate. */
typedef size_t hy_lstm_packed_bytes_fn(const struct hy_lstm_units *units);
typedef void hy_lstm_pack_fn(const struct hy_lstm_units *units, const float *const *matrices,
                             void *packed);

/* Computes the products of one half of the hidden state for the gates of the first panel of units,
 * while another thread still computes the other half. Half 0 is the first depth / 2 elements, half
 * 1 the rest. Result: sums [gates * units]. */
typedef void hy_lstm_half_fn(const struct hy_lstm_units *units, float *sums);

/* Updates state [units] and writes output gate * tanh(state) to out [units]; `out` is not `hidden`.
 * `known` is NULL or the sums of hy_lstm_half_fn for `half`. If `beside` is not NULL, the function
 * also computes the share, as `run_interleaved` of a convolution does. Results are the same to the
 * bit in all cases. */
typedef void hy_lstm_units_fn(const struct hy_lstm_units *units, const float *known,
                              const struct hy_conv_partition *interleaved, float *state,
                              float *out);

struct hy_lstm_kernel {
    hy_lstm_packed_bytes_fn *packed_bytes;
    hy_lstm_pack_fn *pack;
    hy_lstm_half_fn *half;
    hy_lstm_units_fn *units;
};

/* An LSTM without layer normalisation and with tanh activation, in panel steps. The functions do
 * not read the operands of `cell` already contained in the panels and in the input's products. */
struct hy_lstm_panel_cell {
    struct hy_lstm_cell cell;
    struct hy_cell_panels panels;
    hy_lstm_row_fn *row;
    const struct hy_lstm_kernel *kernel; /* for a batch of one, used by hy_lstm_units_* */
    size_t in_step;
    bool is_coupled; /* there is no input gate */
    float *values;   /* scratch [batch, units] */
};

hy_cell_fn hy_lstm_panel_step, hy_lstm_units_step;
hy_cell_part_fn hy_lstm_panel_part, hy_lstm_units_part; /* without projection */
hy_cell_early_fn hy_lstm_units_early;                   /* for two parts */

/**
 * SVDF, NNAPI code 27: the newest value of every filter follows the `memory - 1` values before it.
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
