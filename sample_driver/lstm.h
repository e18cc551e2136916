/*
 * LSTM in float32 (driver_kit/lstm.h), in all its forms. Weights may be inputs of the model, and
 * optional ones may be left out in requests. The states come and go in columns (kernels.h), as do
 * input and output.
 */
#ifndef SAMPLE_LSTM_H
#define SAMPLE_LSTM_H

#include "operations.h"

/* Works the operation out: see sample_step_make. */
bool sample_lstm_make(struct hy_model_reader *reader, const struct hy_operation *operation,
                      const struct hy_operand *input, struct sample_step *step);

/* Rank and extents of the step's input number `input`, which the model may leave open where it is
 * an optional one. */
uint32_t sample_lstm_shape(const struct sample_lstm *lstm, uint32_t input, uint32_t dims[2]);

/* Whether the inputs that are there, all but NULL, make a whole cell. */
bool sample_lstm_is_whole(const struct sample_lstm *lstm, const uint8_t *const *inputs);

/* The inputs make a whole cell. */
sample_kernel sample_lstm_run;
uint64_t sample_lstm_work_bytes(const struct sample_lstm *lstm);

#endif
