/*
 * The kernels of the sample device. A step is one operation with all parameters computed in
 * advance, so a kernel only does arithmetic. operations.c creates steps and checks every size;
 * kernels trust the sizes.
 *
 * Tensors are byte arrays, because an app may pass any address. Elements wider than a byte are read
 * and written by memcpy, which compiles to a plain load or store.
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
 * weights are stored in panels of `panel` units. Each panel is [depth, panel]; the last panel is
 * padded with zeros. */
struct sample_fully_connected {
    uint32_t batches, depth, units, panel;
    int32_t input_zero, weight_zero, output_zero;
    struct hy_multiplier rescale;
    struct hy_value_range range;
};

/* input [outer, count, inner]: the elements of one sum are `inner` elements apart */
struct sample_softmax {
    uint32_t outer, count, inner;
    float beta;
    float table[256]; /* quantised: exp(-beta * scale * distance from the maximum) */
};

#define SAMPLE_ADD_SHIFT 20 /* extra fraction bits of a quantised ADD */

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
    uint8_t input_slots[HY_LSTM_INPUTS]; /* operation input -> step input */
};

/* Operation numbers. A step stores a number instead of a function pointer, and therefore has the
 * same meaning in every process (artefact.h). */
enum sample_operation {
    SAMPLE_ADD,
    SAMPLE_AVERAGE_POOL_2D,
    SAMPLE_FULLY_CONNECTED,
    SAMPLE_SOFTMAX,
    SAMPLE_LEAKY_RELU, /* the operation of the extension */
    SAMPLE_LSTM,
    SAMPLE_OPERATION_COUNT
};

/* A step has no pointers, so cache files can store steps as they are in memory. */
struct sample_step {
    uint32_t operation;    /* SAMPLE_* */
    uint32_t is_quantised; /* 8-bit tensors, else float32 */
    uint32_t input_count, output_count;
    uint32_t inputs[SAMPLE_MAX_INPUTS]; /* operand indices */
    uint32_t outputs[SAMPLE_MAX_OUTPUTS];
    uint32_t optional_inputs;    /* bits: inputs that a request may omit */
    uint32_t inputs_in_columns;  /* bits: inputs that the kernel reads in columns */
    uint32_t outputs_in_columns; /* bits: outputs that the kernel writes in columns */
    union {
        struct sample_fully_connected fully_connected;
        struct sample_softmax softmax;
        struct sample_add add;
        struct sample_average_pool average_pool;
        struct sample_leaky_relu leaky_relu;
        struct sample_lstm lstm;
    } as;
};

/* Runs a step. Inputs and outputs are in the order of the step; omitted inputs are NULL. `work`:
 * scratch memory of sample_step_work_bytes bytes (operations.h), aligned for floats. */
typedef void sample_kernel(const struct sample_step *step, const uint8_t *const *inputs,
                           uint8_t *const *outputs, void *work);
sample_kernel sample_add, sample_average_pool, sample_fully_connected, sample_softmax,
    sample_leaky_relu;

/* ---- Layouts --------------------------------------------------------------------------------- */

/*
 * The order of the elements of a tensor. LSTM computes in columns: elements of different batches
 * are adjacent. Only this driver uses the column layout. Tensors in shared memory are converted for
 * each execution. Tensors in device buffers (sample_buffer.h) keep the column layout between
 * executions.
 */
enum sample_layout {
    SAMPLE_ROWS,    /* row by row, as in the API */
    SAMPLE_COLUMNS, /* column by column: float32 tensors of rank 2 only */
};

/* Converts between the layouts: the rows of [rows, columns] become columns. Any alignment. */
void sample_transpose(uint32_t rows, uint32_t columns, const uint8_t *from, uint8_t *to);

#endif
