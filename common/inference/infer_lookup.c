#include "common/inference/infer_lookup.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_gather_axis(const struct hy_call *call, uint32_t *axis, uint32_t *batches,
                            struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    const struct hy_shape *indices = &hy_call_input(call, 2)->shape;

    *batches = 0;
    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 1, in->rank, axis, err);
    if (code == HY_OK)
        code = hy_call_check_data(call, 2, 1, HY_MAX_RANK, err);
    if (code != HY_OK || !hy_call_is_extension(call))
        return code;
    code = hy_call_size(call, 3, 0, batches, err);
    if (code == HY_OK && (*batches > *axis || *batches > indices->rank))
        code = hy_fail(err, HY_FAILED,
                       "%u batch dimensions, axis %u and indices of rank %u do not go together",
                       *batches, *axis, indices->rank);
    for (uint32_t i = 0; i < *batches && code == HY_OK; i++)
        if (in->dims[i] != indices->dims[i])
            code = hy_fail(err, HY_FAILED, "batch dimension %u has extents %u and %u", i,
                           in->dims[i], indices->dims[i]);
    return code;
}

static void append(struct hy_shape *shape, const struct hy_shape *from, uint32_t begin,
                   uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        shape->dims[shape->rank++] = from->dims[i];
}

enum hy_code hy_infer_gather(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    const struct hy_shape *indices = &hy_call_input(call, 2)->shape;
    struct hy_shape shape = {0};
    uint32_t axis = 0, batches;

    enum hy_code code = hy_gather_axis(call, &axis, &batches, err);
    if (code != HY_OK)
        return code;
    const uint32_t rank = in->rank - 1 + indices->rank - batches;
    if (rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "the output would have rank %u, at most %u", rank,
                       HY_MAX_RANK);
    append(&shape, in, 0, axis);
    append(&shape, indices, batches, indices->rank);
    append(&shape, in, axis + 1, in->rank);
    outputs[0] = shape.rank > 0 ? shape : (struct hy_shape){1, {1}};
    return HY_OK;
}

/* A row of `values` for each number of input 0. */
static enum hy_code infer_rows(const struct hy_call *call, uint32_t values, uint32_t fewest,
                               struct hy_shape *out, struct hy_error *err)
{
    enum hy_code code = hy_call_is_extension(call) ? hy_call_check_rank(call, 0, 1, 1, err)
                                                   : hy_call_check_filled(call, 0, 1, 1, err);

    if (code == HY_OK)
        code = hy_call_check_data(call, values, fewest, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;
    *out = hy_call_input(call, values)->shape;
    out->dims[0] = hy_call_input(call, 0)->shape.dims[0];
    return HY_OK;
}

enum hy_code hy_infer_embedding_lookup(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    return infer_rows(call, 1, 2, &outputs[0], err);
}

enum hy_code hy_infer_hashtable_lookup(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    const struct hy_shape *keys = &hy_call_input(call, 1)->shape;
    const struct hy_shape *values = &hy_call_input(call, 2)->shape;

    enum hy_code code = infer_rows(call, 2, 1, &outputs[0], err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 1, 1, err);
    if (code != HY_OK)
        return code;
    if (keys->dims[0] != values->dims[0])
        return hy_fail(err, HY_FAILED, "%u keys for %u rows", keys->dims[0], values->dims[0]);
    outputs[1] = hy_call_input(call, 0)->shape;
    return HY_OK;
}

enum hy_code hy_lsh_type_read(const struct hy_call *call, enum hy_lsh_type *type,
                              struct hy_error *err)
{
    int32_t value;

    enum hy_code code = hy_call_int(call, 3, &value, err);
    if (code != HY_OK)
        return code;
    if (value < HY_LSH_SPARSE_DEPRECATED || value > HY_LSH_SPARSE)
        return hy_fail(err, HY_FAILED, "type %d is not one of 1 to 3", value);
    if (value == HY_LSH_DENSE && hy_call_input(call, 2)->omitted)
        return hy_fail(err, HY_FAILED, "type %d needs input 2 (weight)", value);
    *type = (enum hy_lsh_type)value;
    return HY_OK;
}

enum hy_code hy_infer_lsh_projection(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    const struct hy_shape *hash = &hy_call_input(call, 0)->shape;
    const struct hy_shape *in = &hy_call_input(call, 1)->shape;
    enum hy_lsh_type type = HY_LSH_DENSE;

    enum hy_code code = hy_call_check_filled(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_lsh_type_read(call, &type, err);
    if (code == HY_OK && type == HY_LSH_DENSE)
        code = hy_call_check_filled(call, 2, 1, 1, err);
    if (code != HY_OK)
        return code;

    uint64_t bits = (uint64_t)hash->dims[0] * hash->dims[1];
    if (hash->dims[1] > 32 || bits > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u hashes of %u bits, at most 32", hash->dims[0],
                       hash->dims[1]);
    if (type == HY_LSH_DENSE && hy_call_input(call, 2)->shape.dims[0] != in->dims[0])
        return hy_fail(err, HY_FAILED, "%u weights for %u rows",
                       hy_call_input(call, 2)->shape.dims[0], in->dims[0]);
    outputs[0] = (struct hy_shape){1, {type == HY_LSH_DENSE ? (uint32_t)bits : hash->dims[0]}};
    return HY_OK;
}
