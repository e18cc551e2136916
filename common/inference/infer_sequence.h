#ifndef HY_COMMON_INFERENCE_INFER_SEQUENCE_H
#define HY_COMMON_INFERENCE_INFER_SEQUENCE_H

#include "common/call.h"

/*
 * The common part of recurrent operations: rows of an input pass through a cell in time steps. The
 * cell's states are inputs and, on request, outputs. RNN and LSTM are sequences of a single step.
 * The first state of a cell is its output.
 */

#define HY_DIRECTIONS  2u /* forward, backward */
#define HY_CELL_STATES 2u /* hidden state and, in an LSTM, cell state */

/* A cell and its direction in time. Numbers are input and output numbers of the operation. */
struct hy_direction {
    uint32_t in, in_size;   /* input, and the length of a row */
    uint32_t aux, aux_size; /* auxiliary input; aux_size 0: none */
    uint32_t state;         /* input of the first state; the second state is the next input */
    uint32_t sizes[HY_CELL_STATES];    /* length of a state's rows; 0: no state */
    uint32_t out, out_begin, out_size; /* output, offset of its rows, length of whole rows */
    uint32_t state_out;                /* output of the first state */
};

struct hy_sequence {
    uint32_t steps, batch;
    uint32_t count; /* number of directions */
    uint32_t rank;  /* of input and output: 2 without a time dimension */
    bool time_major;
    bool gives_states;
    struct hy_direction directions[HY_DIRECTIONS];
};

/* True if input `index` exists and is present. */
bool hy_call_has_input(const struct hy_call *call, uint32_t index);

/*
 * HY_FAILED unless input `index` has shape [rows, columns] or [size]. Without `needed`, an omitted
 * input is accepted.
 */
HY_MUST_CHECK enum hy_code hy_call_check_matrix(const struct hy_call *call, uint32_t index,
                                                bool needed, uint32_t rows, uint32_t columns,
                                                struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_call_check_vector(const struct hy_call *call, uint32_t index,
                                                bool needed, uint32_t size, struct hy_error *err);

/* The activation of a cell: 0 none, 1 RELU, 2 RELU1, 3 RELU6, 4 tanh, 6 sigmoid. */
HY_MUST_CHECK enum hy_code hy_call_cell_activation(const struct hy_call *call, uint32_t index,
                                                   int32_t *out, struct hy_error *err);

/* Sets steps and batch from input 0; rank and time_major must be set. No extent may be 0. */
HY_MUST_CHECK enum hy_code hy_sequence_read_input(const struct hy_call *call,
                                                  struct hy_sequence *sequence,
                                                  struct hy_error *err);

/* Determines the use of auxiliary input `aux`, if present. With weights (`joined`) both cells use
 * the auxiliary input in addition to the input; otherwise the backward cell uses the auxiliary
 * input instead of the input. The extents must agree with input 0. */
HY_MUST_CHECK enum hy_code hy_sequence_read_aux(const struct hy_call *call, uint32_t aux,
                                                bool joined, struct hy_sequence *sequence,
                                                struct hy_error *err);

/* Assigns output numbers to two directions with `states` state outputs each; the state sizes must
 * be set. */
HY_MUST_CHECK enum hy_code hy_sequence_number_outputs(const struct hy_call *call, bool merged,
                                                      uint32_t states, struct hy_sequence *sequence,
                                                      struct hy_error *err);

/* Computes the shapes of all outputs of the sequence. */
void hy_sequence_shapes(const struct hy_sequence *sequence, struct hy_shape *outputs);

#endif
