#include "common/inference/infer_rules.h"

#include <string.h>

#include "common/checked.h"

/* Reads the extents; `*open` becomes the index of the -1, or the rank. */
static enum hy_code read_extents(const struct hy_call *call, struct hy_shape *shape, uint32_t *open,
                                 struct hy_error *err)
{
    const struct hy_value *list = hy_call_input(call, 1);
    int32_t extents[HY_MAX_RANK];

    enum hy_code code = hy_call_check_rank(call, 1, 1, 1, err);
    if (code != HY_OK)
        return code;
    uint32_t rank = list->shape.dims[0];
    if (rank == 0 || rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "the new shape has rank %u, needs 1 to %u", rank,
                       HY_MAX_RANK);
    if (!list->data)
        return hy_fail(err, HY_FAILED, "the value of input 1 is not known");

    memcpy(extents, list->data, rank * sizeof *extents);
    *shape = (struct hy_shape){.rank = rank};
    *open = rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] == -1 && *open == rank)
            *open = i;
        else if (extents[i] < 1)
            return hy_fail(err, HY_FAILED, "extent %u of the new shape is %d", i, extents[i]);
        else
            shape->dims[i] = (uint32_t)extents[i];
    }
    return HY_OK;
}

/* RESHAPE: input 1 lists the extents, one of which may be -1 and follows from the others. */
enum hy_code hy_infer_reshape(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(call, 0);
    struct hy_shape shape = {0};
    uint64_t elements, others;
    uint32_t open = 0;
    char text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = hy_call_check_output_quant(call, 0, in->scale, in->zero_point, err);
    if (code == HY_OK)
        code = read_extents(call, &shape, &open, err);
    if (code != HY_OK)
        return code;

    if (!hy_shape_elements(&in->shape, &elements) || elements == 0)
        return hy_fail(err, HY_FAILED, "input 0 is empty");
    if (open < shape.rank)
        shape.dims[open] = 1;
    if (!hy_shape_elements(&shape, &others) || elements % others != 0 ||
        (open == shape.rank && elements != others) || elements / others > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%llu elements do not fill a shape of %s",
                       (unsigned long long)elements, hy_shape_text(&shape, text));
    if (open < shape.rank)
        shape.dims[open] = (uint32_t)(elements / others);
    outputs[0] = shape;
    return HY_OK;
}
