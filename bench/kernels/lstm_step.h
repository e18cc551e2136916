#ifndef HY_BENCH_KERNELS_LSTM_STEP_H
#define HY_BENCH_KERNELS_LSTM_STEP_H

#include <android/NeuralNetworks.h>

#include <stdint.h>

#include "common/error.h"

/*
 * A step of a recurrent network as a model: an LSTM with constant weights, without projection.
 *   inputs   input [batches, inputs], output state and cell state [batches, units]
 *   outputs  scratch [batches, 4 * units], output state, cell state, output [batches, units]
 */
struct hy_lstm_step {
    uint32_t batches, inputs, units;
    float *weights; /* owned */
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

enum hy_lstm_input { HY_LSTM_STEP_INPUT, HY_LSTM_STEP_STATE_IN, HY_LSTM_STEP_CELLS_IN };
enum hy_lstm_output {
    HY_LSTM_STEP_SCRATCH,
    HY_LSTM_STEP_STATE_OUT,
    HY_LSTM_STEP_CELLS_OUT,
    HY_LSTM_STEP_OUTPUT
};

/* Compiles the step for a device, by name. The caller sets the extents of a zeroed struct, and must
 * finish the struct also after a failure. Errors: BAD_DATA (unknown device), errors of the API. */
HY_MUST_CHECK enum hy_code hy_lstm_step_make(const char *device, struct hy_lstm_step *step,
                                             struct hy_error *err);
void hy_lstm_step_finish(struct hy_lstm_step *step);

#endif
