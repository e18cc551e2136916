#ifndef HY_TESTS_UNIT_TOOLS_OPERATORS_OP_RECURRENT_H
#define HY_TESTS_UNIT_TOOLS_OPERATORS_OP_RECURRENT_H

#include "tests/unit/tools/operators/op_builder.h"

/* Helpers shared by the recurrent operators. */

/* Adds weights in the storage form of the case; hy_op_add_vector adds a vector, always in
 * float32. */
void hy_op_add_weights(struct hy_op_builder *op_builder, uint32_t rank, int32_t rows,
                       int32_t columns);
void hy_op_add_vector(struct hy_op_builder *op_builder, int32_t count);

/* Adds `count` omitted inputs. */
void hy_op_omit_inputs(struct hy_op_builder *op_builder, uint32_t count);

struct hy_op_sequence {
    int32_t batch, steps, features;
    bool time_major;
};

struct hy_op_sequence hy_op_any_sequence(struct hy_op_builder *op_builder);

/* A tensor with the type of the case and `features` features per step. */
struct hy_op_tensor hy_op_sequence_of(struct hy_op_builder *op_builder,
                                      const struct hy_op_sequence *sequence, int32_t features);

/* An activation supported by NNAPI cells. */
enum hy_tflite_activation hy_op_cell_activation(struct hy_op_builder *op_builder);

/* Adds the outputs of two directions with the given unit counts, merged or separate. */
void hy_op_both_outputs(struct hy_op_builder *op_builder, const struct hy_op_sequence *sequence,
                        bool merged, int32_t forward, int32_t backward);

/* op_integer_lstm.c: all LSTM forms other than float32. NULL `sequence` means a single step. */
void hy_op_integer_lstm(struct hy_op_builder *op_builder, const struct hy_op_sequence *sequence);
void hy_op_basic_lstm(struct hy_op_builder *op_builder); /* of float32 or uint8 */

#endif
