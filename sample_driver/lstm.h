/*
 * LSTM in float32 (driver_kit/lstm.h), in all forms. Weights may be inputs of the model, and
 * requests may omit optional weights. The input, the output and the states use the column layout
 * (kernels.h).
 */
#ifndef SAMPLE_LSTM_H
#define SAMPLE_LSTM_H

#include "operations.h"

/* Creates the step of an LSTM operation, see sample_step_make. */
bool sample_lstm_make(struct hy_model_reader *reader, const struct hy_operation *operation,
                      const struct hy_operand *input, struct sample_step *step);

/* Returns the rank, and writes the extents, of input `input` of the step. The model may leave the
 * shape of an optional input unknown. */
uint32_t sample_lstm_shape(const struct sample_lstm *lstm, uint32_t input, uint32_t dims[2]);

/* Whether the inputs that are not NULL form a complete cell. */
bool sample_lstm_is_whole(const struct sample_lstm *lstm, const uint8_t *const *inputs);

/* Precondition: the inputs form a complete cell. */
sample_kernel sample_lstm_run;
uint64_t sample_lstm_work_bytes(const struct sample_lstm *lstm);

#endif
