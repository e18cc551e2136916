#ifndef HY_LIBHALYARD_LOWER_RECURRENT_RECURRENT_H
#define HY_LIBHALYARD_LOWER_RECURRENT_RECURRENT_H

#include "libhalyard/lower/lowering.h"

/* Shared parts of the lowerings of recurrent operators. */

/* Inputs of an LSTM with a matrix per gate; BIDIRECTIONAL_SEQUENCE_LSTM has two cells. */
enum {
    HY_LSTM_CELL = 1, /* the first operand of the (forward) cell */
    HY_LSTM_BACKWARD_CELL = 18,
    HY_LSTM_STATES = 18,     /* output, cell */
    HY_LSTM_LAYER_NORM = 20, /* of the four gates; absent in older files */

    /* Operands of a cell, counted from its first operand. Gates: input, forget, cell, output. */
    HY_CELL_WEIGHTS = 0,
    HY_CELL_RECURRENT = 4,
    HY_CELL_PEEPHOLES = 8, /* from the cell to input, forget and output */
    HY_CELL_BIASES = 11,
    HY_CELL_PROJECTION = 15,
    HY_CELL_PROJECTION_BIAS = 16,
    HY_CELL_OPERANDS = 17,

    HY_GATES = 4,
};

/* Pushes weights as float32: an input of float32 unchanged, constants of 8 bits dequantised. */
void hy_push_weights(struct hy_lowering *lowering, uint32_t input);

/* As hy_push_weights, for inputs `first` to `end` - 1; an omitted input becomes an omitted tensor
 * of `rank` dimensions. */
void hy_push_optional_weights(struct hy_lowering *lowering, uint32_t first, uint32_t end,
                              uint32_t rank);

/* Pushes the activation inside a cell with NNAPI's number; a failure for an activation without an
 * NNAPI number. */
void hy_push_cell_activation(struct hy_lowering *lowering, enum hy_activation activation);

/* The operands of `count` states after the node. `inputs` lists the node's inputs with the contents
 * before the node; the contents after the node are the outputs after the first `own` outputs. A
 * state that the graph does not store has no output: its operand is an unread value. */
void hy_state_outputs(struct hy_lowering *lowering, uint32_t own, uint32_t count,
                      const uint32_t *inputs, uint32_t *operands);

/* lower_basic_lstm.c */
void hy_lower_basic_lstm(struct hy_lowering *lowering);
void hy_lower_quantized_basic_lstm(struct hy_lowering *lowering);

/* lower_quantized_lstm.c: LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM of integers. */
void hy_lower_quantized_lstm(struct hy_lowering *lowering);

#endif
