#include "common/inference/infer_index_vectors.h"
#include "common/inference/infer_rules.h"

/* All selected parts: the dimensions of the indices except the last, then the dimensions of the
 * tensor without an index. */
static enum hy_code shape_of_parts(const struct hy_index_vectors *vectors,
                                   const struct hy_shape *indices, struct hy_shape *out,
                                   struct hy_error *err)
{
    const uint32_t named = vectors->batches + vectors->depth, lead = indices->rank - 1;
    const uint32_t rank = lead + vectors->of.rank - named;

    if (rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "the output would have rank %u, at most %u", rank,
                       HY_MAX_RANK);
    *out = (struct hy_shape){0};
    for (uint32_t i = 0; i < lead; i++)
        out->dims[out->rank++] = indices->dims[i];
    for (uint32_t i = named; i < vectors->of.rank; i++)
        out->dims[out->rank++] = vectors->of.dims[i];
    if (out->rank == 0)
        *out = (struct hy_shape){1, {1}};
    return HY_OK;
}

/* The vectors along the last dimension of the indices. */
static enum hy_code read_vectors(const struct hy_call *call, struct hy_index_vectors *vectors,
                                 struct hy_error *err)
{
    const struct hy_shape *indices = &hy_call_input(call, vectors->input)->shape;
    enum hy_code code = hy_call_check_rank(call, vectors->input, 1, HY_MAX_RANK, err);

    if (code != HY_OK)
        return code;
    vectors->depth = indices->dims[indices->rank - 1];
    if (vectors->batches >= indices->rank || vectors->batches >= vectors->of.rank)
        return hy_fail(err, HY_FAILED, "%u batch dimensions, the tensors have rank %u and %u",
                       vectors->batches, vectors->of.rank, indices->rank);
    if (vectors->depth > vectors->of.rank - vectors->batches)
        return hy_fail(err, HY_FAILED, "vectors have %u indices, the tensor has %u dimensions",
                       vectors->depth, vectors->of.rank - vectors->batches);
    for (uint32_t i = 0; i < vectors->batches; i++)
        if (vectors->of.dims[i] != indices->dims[i])
            return hy_fail(err, HY_FAILED, "batch dimension %u has extents %u and %u", i,
                           vectors->of.dims[i], indices->dims[i]);
    const uint64_t count = hy_shape_span(indices, vectors->batches, indices->rank - 1);
    if (count > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "input %u has too many vectors", vectors->input);
    vectors->count = (uint32_t)count;
    return HY_OK;
}

enum hy_code hy_gather_nd_read(const struct hy_call *call, struct hy_index_vectors *vectors,
                               struct hy_error *err)
{
    *vectors = (struct hy_index_vectors){.input = 1, .of = hy_call_input(call, 0)->shape};
    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 0, &vectors->batches, err);
    return code == HY_OK ? read_vectors(call, vectors, err) : code;
}

enum hy_code hy_scatter_nd_read(const struct hy_call *call, struct hy_index_vectors *vectors,
                                struct hy_error *err)
{
    const struct hy_shape *indices = &hy_call_input(call, 0)->shape;
    struct hy_shape parts;

    *vectors = (struct hy_index_vectors){.input = 0};
    enum hy_code code = hy_call_extents(call, 2, 0, &vectors->of, err);
    if (code == HY_OK)
        code = read_vectors(call, vectors, err);
    if (code == HY_OK)
        code = shape_of_parts(vectors, indices, &parts, err);
    return code == HY_OK ? hy_call_check_shape(call, 1, &parts, err) : code;
}

/* A list of indices counts as vectors with a single index. */
enum hy_code hy_sparse_to_dense_read(const struct hy_call *call, struct hy_index_vectors *vectors,
                                     struct hy_error *err)
{
    const struct hy_shape *indices = &hy_call_input(call, 0)->shape;
    const struct hy_shape *values = &hy_call_input(call, 2)->shape;
    struct hy_shape one = {1, {1}};

    *vectors = (struct hy_index_vectors){.input = 0};
    enum hy_code code = hy_call_extents(call, 1, 0, &vectors->of, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 0, 1, 2, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 3, &one, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 2, 1, 1, err);
    if (code != HY_OK)
        return code;
    vectors->count = indices->dims[0];
    vectors->depth = indices->rank == 2 ? indices->dims[1] : 1;
    if (vectors->depth != vectors->of.rank)
        return hy_fail(err, HY_FAILED, "vectors have %u indices, the tensor has %u dimensions",
                       vectors->depth, vectors->of.rank);
    if (values->dims[0] != 1 && values->dims[0] != vectors->count)
        return hy_fail(err, HY_FAILED, "%u values for %u vectors of indices", values->dims[0],
                       vectors->count);
    return HY_OK;
}

enum hy_code hy_infer_gather_nd(const struct hy_call *call, struct hy_shape *outputs,
                                struct hy_error *err)
{
    const struct hy_shape *indices = &hy_call_input(call, 1)->shape;
    struct hy_index_vectors vectors;
    enum hy_code code = hy_gather_nd_read(call, &vectors, err);

    if (code != HY_OK)
        return code;
    return shape_of_parts(&vectors, indices, &outputs[0], err);
}

enum hy_code hy_infer_scatter_nd(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err)
{
    struct hy_index_vectors vectors;
    enum hy_code code = hy_scatter_nd_read(call, &vectors, err);

    if (code == HY_OK)
        outputs[0] = vectors.of;
    return code;
}

enum hy_code hy_infer_sparse_to_dense(const struct hy_call *call, struct hy_shape *outputs,
                                      struct hy_error *err)
{
    struct hy_index_vectors vectors;
    enum hy_code code = hy_sparse_to_dense_read(call, &vectors, err);

    if (code == HY_OK)
        outputs[0] = vectors.of;
    return code;
}
