/*
 * What the sample device can compute. A step is one operation with all its facts worked out, so
 * that running it is nothing but arithmetic. Steps are made in operations.c, which has checked
 * every size: kernels trust them.
 *
 * Tensors come as bytes: an app may place them at any address, so elements wider than a byte are
 * read and written with memcpy (which compiles to a plain load or store).
 */
#ifndef SAMPLE_KERNELS_H
#define SAMPLE_KERNELS_H

#include "driver_kit/activation.h"
#include "driver_kit/fixed_point.h"
#include "driver_kit/lstm.h"
#include "driver_kit/window.h"

#include <stdint.h>

#define SAMPLE_MAX_INPUTS  HY_LSTM_INPUTS /* of one step */
#define SAMPLE_MAX_OUTPUTS HY_LSTM_OUTPUTS

/* input [batches, depth], weights [units, depth], bias [units] -> output [batches, units]. The
 * weights are in panels of `panel` units, each panel [depth, panel], zeros behind the last. */
struct sample_fully_connected {
    uint32_t batches, depth, units, panel;
    int32_t input_zero, weight_zero, output_zero;
    struct hy_multiplier rescale;
    struct hy_value_range range;
};

/* Elements of one sum are `inner` apart: input [outer, count, inner] */
struct sample_softmax {
    uint32_t outer, count, inner;
    float beta;
    float table[256]; /* quantised: exp(-beta * scale * distance from the maximum) */
};

#define SAMPLE_ADD_SHIFT 20 /* bits that a quantised ADD gains for its sum */

/* output [4 dims]; a stride of 0 broadcasts */
struct sample_add {
    uint32_t dims[4], a_strides[4], b_strides[4];
    int32_t a_zero, b_zero, output_zero;
    struct hy_multiplier a_rescale, b_rescale, output_rescale;
    struct hy_value_range range;
};

/* input [batches, height, width, channels] */
struct sample_average_pool {
    uint32_t batches, channels;
    struct hy_window_side height, width;
    struct hy_value_range range;
};

struct sample_leaky_relu {
    uint64_t count;
    float slope;
};

struct sample_lstm {
    struct hy_lstm_form form;
    uint8_t places[HY_LSTM_INPUTS]; /* of the operation's inputs among those of the step */
};

/* Operations go by number, so that a step means the same in every process: see artefact.h. */
enum sample_operation {
    SAMPLE_ADD,
    SAMPLE_AVERAGE_POOL_2D,
    SAMPLE_FULLY_CONNECTED,
    SAMPLE_SOFTMAX,
    SAMPLE_LEAKY_RELU, /* the extension's */
    SAMPLE_LSTM,
    SAMPLE_OPERATION_COUNT
};

/* Plain bytes without a pointer. */
struct sample_step {
    uint32_t operation;    /* SAMPLE_* */
    uint32_t is_quantised; /* 8-bit tensors, else float32 */
    uint32_t input_count, output_count;
    uint32_t inputs[SAMPLE_MAX_INPUTS]; /* operand indices */
    uint32_t outputs[SAMPLE_MAX_OUTPUTS];
    uint32_t optional_inputs;    /* a bit for each that a request may leave out */
    uint32_t inputs_in_columns;  /* a bit for each that the kernel takes in columns */
    uint32_t outputs_in_columns; /* a bit for each that it makes in columns */
    union {
        struct sample_fully_connected fully_connected;
        struct sample_softmax softmax;
        struct sample_add add;
        struct sample_average_pool average_pool;
        struct sample_leaky_relu leaky_relu;
        struct sample_lstm lstm;
    } as;
};

/* Runs a step; inputs and outputs in its order, NULL for inputs that are left out. `work`: memory
 * of sample_step_work_bytes (operations.h) for the kernel, aligned for floats. */
typedef void sample_kernel(const struct sample_step *step, const uint8_t *const *inputs,
                           uint8_t *const *outputs, void *work);
sample_kernel sample_add, sample_average_pool, sample_fully_connected, sample_softmax,
    sample_leaky_relu;

/* ---- Layouts --------------------------------------------------------------------------------- */

/*
 * How the bytes of a tensor are ordered. LSTM computes in columns, where the rows of a batch lie
 * side by side. Nobody outside of this driver knows that layout: tensors in shared memory are
 * converted on their way, those in buffers of the device (buffer.h) stay as they are from one
 * execution to the next.
 */
enum sample_layout {
    SAMPLE_ROWS,    /* as the API has it: row by row */
    SAMPLE_COLUMNS, /* column by column: tensors of float32 and rank 2 alone */
};

/* From one layout to the other: columns are the rows of [columns, rows]. At any addresses. */
void sample_transpose(uint32_t rows, uint32_t columns, const uint8_t *from, uint8_t *to);

#endif
