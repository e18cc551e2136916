#include "common/inference/infer_rules.h"

/* Reads the extents; `*open` becomes the index of the -1, or the rank. NNAPI allows no extent of 0
 * here. */
static enum hy_code read_extents(const struct hy_call *call, struct hy_shape *shape, uint32_t *open,
                                 struct hy_error *err)
{
    const int32_t fewest = hy_call_is_extension(call) ? 0 : 1;
    enum hy_code code = hy_call_extents(call, 1, INT32_MIN, shape, err);

    if (code != HY_OK)
        return code;
    *open = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const int32_t extent = (int32_t)shape->dims[i];
        if (extent == -1 && *open == shape->rank)
            *open = i;
        else if (extent < fewest)
            return hy_fail(err, HY_FAILED, "extent %u of the new shape is %d", i, extent);
    }
    return HY_OK;
}

/* RESHAPE: input 1 lists the extents. One extent may be -1 and follows from the others. */
enum hy_code hy_infer_reshape(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(call, 0);
    struct hy_shape shape = {0};
    uint64_t elements, others;
    uint32_t open = 0;
    char text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_data(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_check_output_quant(call, 0, in->scale, in->zero_point, err);
    if (code == HY_OK)
        code = read_extents(call, &shape, &open, err);
    if (code != HY_OK)
        return code;

    if (!hy_shape_elements(&in->shape, &elements))
        return hy_fail(err, HY_FAILED, "input 0 is too large");
    if (open < shape.rank)
        shape.dims[open] = 1;
    if (!hy_shape_elements(&shape, &others) ||
        (open == shape.rank
             ? elements != others
             : others == 0 || elements % others != 0 || elements / others > UINT32_MAX))
        return hy_fail(err, HY_FAILED, "%llu elements do not fill a shape of %s",
                       (unsigned long long)elements, hy_shape_text(&shape, text));
    if (open < shape.rank)
        shape.dims[open] = (uint32_t)(elements / others);
    outputs[0] = shape;
    return HY_OK;
}
