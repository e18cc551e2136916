#include "common/inference/infer_space_batch_nd.h"
#include "common/inference/infer_rules.h"

/* Inputs 1 and 2: block sizes [dims], and the padding before and after [dims, 2]. `*area` is the
 * number of elements of a block. */
static enum hy_code read_blocks(const struct hy_call *call, struct hy_block_nd *block,
                                uint64_t *area, struct hy_error *err)
{
    const uint32_t rank = hy_call_input(call, 0)->shape.rank;
    int32_t sizes[HY_MAX_RANK], edges[HY_MAX_RANK][2];

    *block = (struct hy_block_nd){.size = {1}};
    *area = 1;
    enum hy_code code = hy_call_check_rank(call, 0, 2, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 1, 1, err);
    if (code != HY_OK)
        return code;
    const uint32_t dims = hy_call_input(call, 1)->shape.dims[0];
    if (dims >= rank)
        return hy_fail(err, HY_FAILED,
                       "blocks have %u dimensions, too many for a tensor of rank %u", dims, rank);
    code = hy_call_int_list(call, 1, dims, sizes, err);
    if (code == HY_OK)
        code = hy_call_int_pairs(call, 2, dims, edges, err);
    for (uint32_t i = 0; i < rank; i++)
        block->size[i] = 1;
    for (uint32_t i = 0; i < dims && code == HY_OK; i++) {
        if (sizes[i] < 1)
            return hy_fail(err, HY_FAILED,
                           "dimension %u has blocks of %d elements, needs 1 or more", i + 1,
                           sizes[i]);
        if (edges[i][0] < 0 || edges[i][1] < 0)
            return hy_fail(err, HY_FAILED,
                           "dimension %u has padding or crops of %d and %d, needs 0 or more", i + 1,
                           edges[i][0], edges[i][1]);
        block->size[i + 1] = (uint32_t)sizes[i];
        block->edges.before[i + 1] = (uint32_t)edges[i][0];
        block->edges.after[i + 1] = (uint32_t)edges[i][1];
        *area *= (uint32_t)sizes[i];
        if (*area > UINT32_MAX)
            return hy_fail(err, HY_FAILED, "blocks of %llu elements are too large",
                           (unsigned long long)*area);
    }
    return code;
}

enum hy_code hy_space_to_batch_nd_read(const struct hy_call *call, struct hy_block_nd *block,
                                       struct hy_error *err)
{
    uint64_t area;

    enum hy_code code = read_blocks(call, block, &area, err);
    if (code != HY_OK)
        return code;
    block->edges.in = hy_call_input(call, 0)->shape;
    code = hy_pad_grow(&block->edges, err);
    if (code != HY_OK)
        return code;
    block->deep = block->edges.out;
    const uint64_t batch = area * block->deep.dims[0];
    if (batch > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "the output would have a batch of %llu, too large",
                       (unsigned long long)batch);
    block->deep.dims[0] = (uint32_t)batch;
    for (uint32_t i = 1; i < block->deep.rank; i++) {
        if (block->deep.dims[i] % block->size[i] != 0)
            return hy_fail(err, HY_FAILED,
                           "%u elements of dimension %u are not a multiple of the block of %u",
                           block->deep.dims[i], i, block->size[i]);
        block->deep.dims[i] /= block->size[i];
    }
    return HY_OK;
}

enum hy_code hy_batch_to_space_nd_read(const struct hy_call *call, struct hy_block_nd *block,
                                       struct hy_error *err)
{
    struct hy_pad *edges = &block->edges;
    uint64_t area;

    enum hy_code code = read_blocks(call, block, &area, err);
    if (code != HY_OK)
        return code;
    block->deep = edges->out = hy_call_input(call, 0)->shape;
    if (block->deep.dims[0] % area != 0)
        return hy_fail(err, HY_FAILED, "the batch of %u is not a multiple of the block of %llu",
                       block->deep.dims[0], (unsigned long long)area);
    edges->out.dims[0] /= (uint32_t)area;
    edges->in = edges->out;
    for (uint32_t i = 1; i < edges->out.rank; i++) {
        const uint64_t extent = (uint64_t)edges->out.dims[i] * block->size[i];
        const uint64_t cropped = (uint64_t)edges->before[i] + edges->after[i];
        if (extent > UINT32_MAX || cropped > extent)
            return hy_fail(err, HY_FAILED,
                           "dimension %u grows to %llu elements, crops of %llu do not fit", i,
                           (unsigned long long)extent, (unsigned long long)cropped);
        edges->out.dims[i] = (uint32_t)extent;
        edges->in.dims[i] = (uint32_t)(extent - cropped);
    }
    return HY_OK;
}

enum hy_code hy_infer_space_to_batch_nd(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    struct hy_block_nd block;
    enum hy_code code = hy_space_to_batch_nd_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = block.deep;
    return code;
}

enum hy_code hy_infer_batch_to_space_nd(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    struct hy_block_nd block;
    enum hy_code code = hy_batch_to_space_nd_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = block.edges.in;
    return code;
}
