#ifndef HY_TESTS_TOOLS_OPERATORS_OP_RECURRENT_H
#define HY_TESTS_TOOLS_OPERATORS_OP_RECURRENT_H

#include "tests/tools/operators/op_draft.h"

/* Words that the recurrent operators share. */

/* Weights that the case stores as it likes, and a vector that is always of float32. */
void hy_op_take_weights(struct hy_op_draft *draft, uint32_t rank, int32_t rows, int32_t columns);
void hy_op_take_vector(struct hy_op_draft *draft, int32_t count);

/* `count` inputs that are left out. */
void hy_op_take_nothing(struct hy_op_draft *draft, uint32_t count);

struct hy_op_sequence {
    int32_t batch, steps, features;
    bool time_major;
};

struct hy_op_sequence hy_op_any_sequence(struct hy_op_draft *draft);

/* A tensor of the case's type, with so many features per step. */
struct hy_op_tensor hy_op_sequence_of(struct hy_op_draft *draft,
                                      const struct hy_op_sequence *sequence, int32_t features);

/* An activation that cells of NNAPI have. */
enum hy_tflite_activation hy_op_cell_activation(struct hy_op_draft *draft);

/* The outputs of two directions with so many units, merged into one or not. */
void hy_op_both_outputs(struct hy_op_draft *draft, const struct hy_op_sequence *sequence,
                        bool merged, int32_t forward, int32_t backward);

/* op_integer_lstm.c: the forms of LSTMs that are not float32. `sequence`: NULL for one step. */
void hy_op_integer_lstm(struct hy_op_draft *draft, const struct hy_op_sequence *sequence);
void hy_op_basic_lstm(struct hy_op_draft *draft); /* of float32 or uint8 */

#endif
