#include "libhalyard/graph/index_inputs.h"

#define INPUT(index) (1u << (index))

static const struct hy_index_inputs inputs[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_ARG_MAX] = {.parameters = INPUT(1)},
    [HY_OPERATOR_ARG_MIN] = {.parameters = INPUT(1)},
    [HY_OPERATOR_BATCH_TO_SPACE_ND] = {.narrow = INPUT(1) | INPUT(2)},
    [HY_OPERATOR_BROADCAST_TO] = {.either = INPUT(1)},
    [HY_OPERATOR_CUMSUM] = {.parameters = INPUT(1)},
    [HY_OPERATOR_DILATE] = {.narrow = INPUT(1)},
    [HY_OPERATOR_DYNAMIC_UPDATE_SLICE] = {.either = INPUT(2)},
    [HY_OPERATOR_EMBEDDING_LOOKUP] = {.either = INPUT(0)},
    [HY_OPERATOR_EMBEDDING_LOOKUP_SPARSE] = {.narrow = INPUT(0) | INPUT(1) | INPUT(2)},
    [HY_OPERATOR_EXPAND_DIMS] = {.parameters = INPUT(1)},
    [HY_OPERATOR_FILL] = {.either = INPUT(0)},
    [HY_OPERATOR_GATHER] = {.either = INPUT(1)},
    [HY_OPERATOR_GATHER_ND] = {.either = INPUT(1)},
    [HY_OPERATOR_HASHTABLE_LOOKUP] = {.narrow = INPUT(0) | INPUT(1)},
    [HY_OPERATOR_MEAN] = {.narrow = INPUT(1)},
    [HY_OPERATOR_MIRROR_PAD] = {.either = INPUT(1)},
    [HY_OPERATOR_MULTINOMIAL] = {.parameters = INPUT(1)},
    [HY_OPERATOR_NON_MAX_SUPPRESSION_V4] = {.parameters = INPUT(2)},
    [HY_OPERATOR_NON_MAX_SUPPRESSION_V5] = {.parameters = INPUT(2)},
    [HY_OPERATOR_ONE_HOT] = {.narrow = INPUT(1)},
    [HY_OPERATOR_PAD] = {.either = INPUT(1)},
    [HY_OPERATOR_PAD_V2] = {.either = INPUT(1)},
    [HY_OPERATOR_RANDOM_STANDARD_NORMAL] = {.narrow = INPUT(0)},
    [HY_OPERATOR_RANDOM_UNIFORM] = {.narrow = INPUT(0)},
    [HY_OPERATOR_REDUCE_ALL] = {.narrow = INPUT(1)},
    [HY_OPERATOR_REDUCE_ANY] = {.narrow = INPUT(1)},
    [HY_OPERATOR_REDUCE_MAX] = {.narrow = INPUT(1)},
    [HY_OPERATOR_REDUCE_MIN] = {.narrow = INPUT(1)},
    [HY_OPERATOR_REDUCE_PROD] = {.narrow = INPUT(1)},
    [HY_OPERATOR_RESHAPE] = {.either = INPUT(1)},
    [HY_OPERATOR_REVERSE] = {.narrow = INPUT(1)},
    [HY_OPERATOR_REVERSE_SEQUENCE] = {.either = INPUT(1)},
    [HY_OPERATOR_RFFT_2D] = {.narrow = INPUT(1)},
    [HY_OPERATOR_SCATTER_ND] = {.either = INPUT(0) | INPUT(2)},
    [HY_OPERATOR_SEGMENT_SUM] = {.narrow = INPUT(1)},
    [HY_OPERATOR_SLICE] = {.either = INPUT(1) | INPUT(2)},
    [HY_OPERATOR_SPACE_TO_BATCH_ND] = {.narrow = INPUT(1) | INPUT(2)},
    [HY_OPERATOR_SPARSE_TO_DENSE] = {.either = INPUT(0) | INPUT(1)},
    [HY_OPERATOR_SPLIT] = {.parameters = INPUT(0)},
    [HY_OPERATOR_SPLIT_V] = {.parameters = INPUT(2), .either = INPUT(1)},
    [HY_OPERATOR_STRIDED_SLICE] = {.either = INPUT(1) | INPUT(2) | INPUT(3)},
    [HY_OPERATOR_SUM] = {.narrow = INPUT(1)},
    [HY_OPERATOR_TILE] = {.either = INPUT(1)},
    [HY_OPERATOR_TOPK_V2] = {.narrow = INPUT(1)},
    [HY_OPERATOR_TRANSPOSE] = {.narrow = INPUT(1)},
    [HY_OPERATOR_UNSORTED_SEGMENT_MAX] = {.parameters = INPUT(2), .narrow = INPUT(1)},
    [HY_OPERATOR_UNSORTED_SEGMENT_MIN] = {.parameters = INPUT(2), .narrow = INPUT(1)},
    [HY_OPERATOR_UNSORTED_SEGMENT_PROD] = {.parameters = INPUT(2), .narrow = INPUT(1)},
    [HY_OPERATOR_UNSORTED_SEGMENT_SUM] = {.parameters = INPUT(2), .narrow = INPUT(1)},
};

const struct hy_index_inputs *hy_index_inputs_of(enum hy_operator operator_)
{
    return &inputs[operator_];
}

uint32_t hy_index_inputs_all(const struct hy_index_inputs *of)
{
    return of->parameters | of->narrow | of->either;
}
