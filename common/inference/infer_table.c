#include "common/inference/infer_table.h"
#include "common/inference/infer_rules.h"
#include "common/operations/operand_type.h"

/* ---- HASHTABLE_FIND -------------------------------------------------------------------------- */

static enum hy_code check_default(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(call, HY_TABLE_DEFAULT)->shape;

    if (hy_call_input(call, HY_TABLE_DEFAULT)->type == HY_TENSOR_UINT8)
        return hy_call_check_filled(call, HY_TABLE_DEFAULT, 1, 1, err);
    enum hy_code code = hy_call_check_filled(call, HY_TABLE_DEFAULT, 1, HY_MAX_RANK, err);
    if (code == HY_OK && hy_shape_span(shape, 0, shape->rank) != 1)
        return hy_fail(err, HY_FAILED, "input 3 (default) has more than one element");
    return code;
}

/* The number of text keys is checked at run time. */
static enum hy_code check_values(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_value *keys = hy_call_input(call, HY_TABLE_KEYS);
    const struct hy_value *values = hy_call_input(call, HY_TABLE_VALUES);

    enum hy_code code = hy_call_check_rank(call, HY_TABLE_KEYS, 1, 1, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, HY_TABLE_VALUES, 1, 1, err);
    if (code != HY_OK || keys->type == HY_TENSOR_UINT8 || values->type == HY_TENSOR_UINT8)
        return code;
    if (keys->shape.dims[0] != values->shape.dims[0])
        return hy_fail(err, HY_FAILED, "%u keys for %u values", keys->shape.dims[0],
                       values->shape.dims[0]);
    return HY_OK;
}

/* Input 4 of a text lookup: the shape of the text tensor. */
static enum hy_code read_shape(const struct hy_call *call, struct hy_shape *out,
                               struct hy_error *err)
{
    const struct hy_shape *list = &hy_call_input(call, HY_TABLE_SIZE)->shape;
    int32_t dims[HY_MAX_RANK];

    enum hy_code code = hy_call_check_rank(call, HY_TABLE_QUERIES, 1, 1, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, HY_TABLE_SIZE, 1, 1, err);
    if (code == HY_OK && list->dims[0] > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "input 4 (shape) has %u extents, at most %u", list->dims[0],
                       HY_MAX_RANK);
    if (code == HY_OK)
        code = hy_call_int_list(call, HY_TABLE_SIZE, list->dims[0], dims, err);
    if (code != HY_OK)
        return code;
    struct hy_shape shape = {.rank = list->dims[0]};
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (dims[i] < 0)
            return hy_fail(err, HY_FAILED, "extent %u of input 4 (shape) is %d", i, dims[i]);
        shape.dims[i] = (uint32_t)dims[i];
    }
    *out = shape;
    return HY_OK;
}

enum hy_code hy_infer_hashtable_find(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    enum hy_code code = check_values(call, err);

    if (code == HY_OK)
        code = check_default(call, err);
    if (code != HY_OK)
        return code;
    if (hy_call_input(call, HY_TABLE_QUERIES)->type == HY_TENSOR_UINT8)
        return read_shape(call, &outputs[0], err);
    code = hy_call_check_rank(call, HY_TABLE_QUERIES, 1, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;
    if (hy_call_input(call, HY_TABLE_VALUES)->type != HY_TENSOR_UINT8) {
        outputs[0] = hy_call_input(call, HY_TABLE_QUERIES)->shape;
        return HY_OK;
    }
    uint32_t capacity;
    code = hy_call_size(call, HY_TABLE_SIZE, 1, &capacity, err);
    if (code == HY_OK)
        outputs[0] = (struct hy_shape){1, {capacity}};
    return code;
}

/* ---- EMBEDDING_LOOKUP_SPARSE ----------------------------------------------------------------- */

static enum hy_code check_sparse_shapes(const struct hy_call *call, struct hy_error *err)
{
    const uint32_t *indices = hy_call_input(call, HY_SPARSE_INDICES)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, HY_SPARSE_IDS, 1, 1, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, HY_SPARSE_INDICES, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, HY_SPARSE_ROWS, 2, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;
    const uint32_t count = hy_call_input(call, HY_SPARSE_IDS)->shape.dims[0];
    if (indices[0] != count)
        return hy_fail(err, HY_FAILED, "%u indices (input 1) for %u ids", indices[0], count);
    if (indices[1] < 1 || indices[1] > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "indices (input 1) of a tensor of rank %u, needs 1 to %u",
                       indices[1], HY_MAX_RANK);
    const struct hy_shape weights = {1, {count}};
    return hy_call_check_shape(call, HY_SPARSE_WEIGHTS, &weights, err);
}

enum hy_code hy_sparse_lookup_read(const struct hy_call *call, struct hy_sparse_lookup *out,
                                   struct hy_error *err)
{
    int32_t dims[HY_MAX_RANK], combiner = 0;

    enum hy_code code = check_sparse_shapes(call, err);
    if (code != HY_OK)
        return code;
    struct hy_sparse_lookup read = {
        .count = hy_call_input(call, HY_SPARSE_IDS)->shape.dims[0],
        .rank = hy_call_input(call, HY_SPARSE_INDICES)->shape.dims[1],
    };
    code = hy_call_int_list(call, HY_SPARSE_SHAPE, read.rank, dims, err);
    if (code == HY_OK)
        code = hy_call_int(call, HY_SPARSE_COMBINER, &combiner, err);
    if (code != HY_OK)
        return code;
    if (combiner < 0 || combiner >= HY_COMBINER_COUNT)
        return hy_fail(err, HY_FAILED, "combiner %d is not one of 0 to 2", combiner);
    for (uint32_t i = 0; i < read.rank; i++) {
        if (dims[i] < 1)
            return hy_fail(err, HY_FAILED, "extent %u of input 2 (shape) is %d", i, dims[i]);
        read.shape[i] = (uint32_t)dims[i];
    }
    read.combiner = (enum hy_combiner)combiner;
    *out = read;
    return HY_OK;
}

enum hy_code hy_infer_embedding_lookup_sparse(const struct hy_call *call, struct hy_shape *outputs,
                                              struct hy_error *err)
{
    const struct hy_shape *rows = &hy_call_input(call, HY_SPARSE_ROWS)->shape;
    struct hy_sparse_lookup lookup;
    struct hy_shape shape = {0};

    enum hy_code code = hy_sparse_lookup_read(call, &lookup, err);
    if (code != HY_OK)
        return code;
    if (lookup.rank + rows->rank - 2 > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "the output would have rank %u, at most %u",
                       lookup.rank + rows->rank - 2, HY_MAX_RANK);
    for (uint32_t i = 0; i + 1 < lookup.rank; i++)
        shape.dims[shape.rank++] = lookup.shape[i];
    for (uint32_t i = 1; i < rows->rank; i++)
        shape.dims[shape.rank++] = rows->dims[i];
    outputs[0] = shape;
    return HY_OK;
}
