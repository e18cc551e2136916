#ifndef HY_TESTS_UNIT_TOOLS_OPERATORS_OP_BUILDER_H
#define HY_TESTS_UNIT_TOOLS_OPERATORS_OP_BUILDER_H

#include "common/random.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/operators/op_case.h"

/*
 * The vocabulary of the operators in op_*.c: a random model of one operator under construction.
 * Inputs and outputs of the operator have the order of the calls.
 *
 *     struct hy_op_tensor x = hy_op_any(draft, 1, 4);
 *     hy_op_input(draft, &x);
 *     hy_op_output(draft, &x);
 */
enum { HY_OP_MAX_RANK = 8, HY_OP_MAX_TENSORS = 64 };

struct hy_op_tensor {
    enum hy_tflite_type type;
    uint32_t rank;
    int32_t dims[HY_OP_MAX_RANK];
    float scale; /* 0: not quantised */
    int64_t zero_point;
    /* range of values, including `high` for integers; both 0: the default range */
    float low, high;
};

struct hy_op_builder {
    const struct hy_op_row *row;
    enum hy_tflite_type type;
    enum hy_op_weights weights;
    struct hy_random random;
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
    struct hy_op_case *out;
    float scales[HY_OP_MAX_TENSORS]; /* for pointers of the builder's tensors */
    int64_t zero_points[HY_OP_MAX_TENSORS];
    void *memory[2 * HY_OP_MAX_TENSORS];
    uint32_t tensor_count;
    uint32_t memory_count;
    bool is_whole; /* the operator is complete in the builder */
};

/* ---- Chance ---------------------------------------------------------------------------------- */

uint32_t hy_op_pick(struct hy_op_builder *op_builder, uint32_t count); /* 0 to count - 1 */
int32_t hy_op_between(struct hy_op_builder *op_builder, int32_t low,
                      int32_t high); /* both included */
float hy_op_real(struct hy_op_builder *op_builder, float low, float high);

/* ---- Tensors --------------------------------------------------------------------------------- */

bool hy_op_is_quantised(enum hy_tflite_type type);

/* A tensor with the given type and shape. Quantised types get a random scale and zero point. */
struct hy_op_tensor hy_op_of(struct hy_op_builder *op_builder, enum hy_tflite_type type,
                             uint32_t rank, const int32_t *dims);

/* A tensor with the draft's type, a random shape and the row's range of values. Dimensions are 1 to
 * 6, or 1 to 3 beyond rank 4. */
struct hy_op_tensor hy_op_any(struct hy_op_builder *op_builder, uint32_t min_rank,
                              uint32_t max_rank);

/* `like` with other dimensions, or with another scale and zero point. */
struct hy_op_tensor hy_op_shaped(const struct hy_op_tensor *like, uint32_t rank,
                                 const int32_t *dims);
struct hy_op_tensor hy_op_scaled(const struct hy_op_tensor *like, float scale, int64_t zero_point);

/* A random zero point in the middle half of the type's range, or 0 for types without zero point. */
int64_t hy_op_zero_point(struct hy_op_builder *op_builder, enum hy_tflite_type type);

void hy_op_input(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);
void hy_op_constant(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);
void hy_op_ints(struct hy_op_builder *op_builder, uint32_t count, const int32_t *values);
void hy_op_int_rows(struct hy_op_builder *op_builder, uint32_t count, uint32_t length,
                    const int32_t *values);
void hy_op_int(struct hy_op_builder *op_builder, int32_t value); /* of rank 0 */
void hy_op_nothing(struct hy_op_builder *op_builder);            /* an omitted input */

/* float32 weights in the storage form of the case (enum hy_op_weights). */
void hy_op_weights(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);

/* A state tensor as an input of the operator; the operator keeps the state between runs. */
void hy_op_state(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);

void hy_op_output(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);

/* hy_op_scratch adds an output of the operator without a model output. hy_op_intermediate adds a
 * tensor for the scale of an intermediate value; NULL marks an unused intermediate. */
void hy_op_scratch(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);
void hy_op_intermediate(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor);

/* A model input of int32 with exactly these values: a vector, or rows. */
void hy_op_input_ints(struct hy_op_builder *op_builder, uint32_t count, const int32_t *values);
void hy_op_input_int_rows(struct hy_op_builder *op_builder, uint32_t count, uint32_t length,
                          const int32_t *values);

/* An int8 constant with a scale per slice of `dimension`. `scales` is not copied and must live
 * until the end of hy_op_case_make. */
void hy_op_constant_per_channel(struct hy_op_builder *op_builder, const struct hy_op_tensor *tensor,
                                int32_t dimension, const float *scales);

/* Completes the operator and begins another sub-graph. Later additions to the builder belong to the
 * sub-graph. */
void hy_op_subgraph(struct hy_op_builder *op_builder);

/* Memory with the lifetime of the construction. */
void *hy_op_memory(struct hy_op_builder *op_builder, size_t bytes);

/* ---- Options --------------------------------------------------------------------------------- */

void hy_op_options(struct hy_op_builder *op_builder, enum hy_tflite_options_kind kind);
void hy_op_option(struct hy_op_builder *op_builder, unsigned slot, unsigned size, int64_t value);
void hy_op_option_float(struct hy_op_builder *op_builder, unsigned slot, float value);

/* A random activation supported by NNAPI, in a one-byte option. */
void hy_op_option_activation(struct hy_op_builder *op_builder, unsigned slot);

/* A custom operator with a flexbuffer of options. The options must live until the end of
 * hy_op_case_make. */
void hy_op_custom(struct hy_op_builder *op_builder, const char *name, const void *options,
                  uint32_t bytes);

/* ---- The operators --------------------------------------------------------------------------- */

typedef void hy_op_describe(struct hy_op_builder *op_builder);

hy_op_describe hy_op_fake_quant, hy_op_gelu, hy_op_rectifier, hy_op_round, hy_op_rsqrt;
hy_op_describe hy_op_unary, hy_op_unary_scaled, hy_op_unary_fixed, hy_op_leaky_relu, hy_op_softmax,
    hy_op_log_softmax, hy_op_l2_normalization, hy_op_local_response_normalization, hy_op_prelu;
hy_op_describe hy_op_add_n, hy_op_atan2, hy_op_pow, hy_op_squared_difference, hy_op_two;
hy_op_describe hy_op_arithmetic, hy_op_binary, hy_op_compare, hy_op_logical, hy_op_select,
    hy_op_select_v2;
hy_op_describe hy_op_pool, hy_op_conv, hy_op_depthwise_conv, hy_op_fully_connected,
    hy_op_transpose_conv, hy_op_conv_3d, hy_op_transpose_conv_3d, hy_op_batch_matmul;
hy_op_describe hy_op_resize, hy_op_depth_to_space, hy_op_space_to_depth, hy_op_space_to_batch,
    hy_op_batch_to_space;
hy_op_describe hy_op_bitcast, hy_op_broadcast_to, hy_op_concatenation, hy_op_expand_dims,
    hy_op_fill, hy_op_gather_nd, hy_op_embedding_lookup, hy_op_mirror_pad, hy_op_pack, hy_op_pad,
    hy_op_pad_v2, hy_op_reshape, hy_op_reverse, hy_op_slice, hy_op_split, hy_op_split_v,
    hy_op_squeeze, hy_op_unpack, hy_op_strided_slice, hy_op_tile, hy_op_transpose;
hy_op_describe hy_op_dilate, hy_op_dynamic_update_slice, hy_op_gather, hy_op_matrix_diag,
    hy_op_matrix_set_diag, hy_op_one_hot, hy_op_reverse_sequence, hy_op_scatter_nd,
    hy_op_segment_sum, hy_op_sparse_to_dense, hy_op_zeros_like;
hy_op_describe hy_op_reduce, hy_op_arg, hy_op_cumsum, hy_op_topk;
hy_op_describe hy_op_bucketize, hy_op_multinomial, hy_op_random_numbers, hy_op_reduce_window,
    hy_op_suppression, hy_op_unique, hy_op_unsorted_segment, hy_op_where;
hy_op_describe hy_op_cast, hy_op_quantize, hy_op_dequantize;
hy_op_describe hy_op_detection;
hy_op_describe hy_op_lstm, hy_op_sequence_lstm, hy_op_bidirectional_lstm, hy_op_rnn,
    hy_op_sequence_rnn, hy_op_bidirectional_rnn, hy_op_svdf;
hy_op_describe hy_op_if, hy_op_while;
hy_op_describe hy_op_embedding_lookup_sparse, hy_op_hashtable_lookup, hy_op_lsh_projection;

#endif
