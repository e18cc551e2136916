#ifndef HY_COMMON_INFERENCE_INFER_SEQUENCE_H
#define HY_COMMON_INFERENCE_INFER_SEQUENCE_H

#include "common/call.h"

/*
 * What all recurrent operations share: rows of an input go through a cell one time step after the
 * other, the cell's states are inputs and, where asked for, outputs. RNN and LSTM are sequences of
 * one step. The first state of a cell is what it puts out.
 */

#define HY_DIRECTIONS  2u /* forwards, backwards */
#define HY_CELL_STATES 2u /* hidden state and, in an LSTM, cell state */

/* One cell and its way through time. Numbers are those of the operation's inputs and outputs. */
struct hy_direction {
    uint32_t in, in_size;              /* input, and the length of its rows */
    uint32_t aux, aux_size;            /* auxiliary input; aux_size 0: none */
    uint32_t state;                    /* input of the first state; the second is the next */
    uint32_t sizes[HY_CELL_STATES];    /* the length of a state's rows; 0: no such state */
    uint32_t out, out_begin, out_size; /* output, where its rows begin there, how long all are */
    uint32_t state_out;                /* output of the first state */
};

struct hy_sequence {
    uint32_t steps, batch;
    uint32_t count; /* directions */
    uint32_t rank;  /* of input and output: 2 without a time dimension */
    bool time_major;
    bool gives_states;
    struct hy_direction directions[HY_DIRECTIONS];
};

/* True when input `index` exists and was not left out. */
bool hy_call_has_input(const struct hy_call *call, uint32_t index);

/*
 * HY_FAILED unless input `index` has shape [rows, columns], or [size]; where it is not `needed`,
 * unless it was left out.
 */
HY_MUST_CHECK enum hy_code hy_call_check_matrix(const struct hy_call *call, uint32_t index,
                                                bool needed, uint32_t rows, uint32_t columns,
                                                struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_check_vector(const struct hy_call *call, uint32_t index,
                                                bool needed, uint32_t size, struct hy_error *err);

/* The activation of a cell: 0 none, 1 RELU, 2 RELU1, 3 RELU6, 4 tanh, 6 sigmoid. */
HY_MUST_CHECK enum hy_code hy_call_cell_activation(const struct hy_call *call, uint32_t index,
                                                   int32_t *out, struct hy_error *err);

/* Sets steps and batch from input 0; rank and time_major are set. None of its extents may be 0. */
HY_MUST_CHECK enum hy_code hy_sequence_read_input(const struct hy_call *call,
                                                  struct hy_sequence *sequence,
                                                  struct hy_error *err);

/* How auxiliary input `aux` is used, if it is there: with weights (`joined`) by both cells beside
 * the input, else by the backward cell in place of the input. Its extents agree with input 0. */
HY_MUST_CHECK enum hy_code hy_sequence_read_aux(const struct hy_call *call, uint32_t aux,
                                                bool joined, struct hy_sequence *sequence,
                                                struct hy_error *err);

/* Numbers the outputs of two directions, `states` state outputs each; the state sizes are set. */
HY_MUST_CHECK enum hy_code hy_sequence_number_outputs(const struct hy_call *call, bool merged,
                                                      uint32_t states, struct hy_sequence *sequence,
                                                      struct hy_error *err);

/* The shapes of all outputs that belong to the sequence. */
void hy_sequence_shapes(const struct hy_sequence *sequence, struct hy_shape *outputs);

#endif
