/* Operations on extents: EXPAND_DIMS and SQUEEZE keep all bytes in place, FILL and BROADCAST_TO
 * make a tensor of a given shape, RANK and SHAPE return extents. */
#include "common/inference/infer_rules.h"

#include <string.h>

enum hy_code hy_infer_expand_dims(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t axis = 0;

    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK - 1, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 1, in->rank + 1, &axis, err);
    if (code != HY_OK)
        return code;

    struct hy_shape shape = {.rank = in->rank + 1};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = i == axis ? 1 : in->dims[i - (i > axis)];
    outputs[0] = shape;
    return HY_OK;
}

/* Marks the dimensions that input 1 lists. */
static enum hy_code read_squeezed(const struct hy_call *call, uint32_t rank, bool *is_squeezed,
                                  struct hy_error *err)
{
    const struct hy_value *list = hy_call_input(call, 1);
    const int32_t *listed = list->data;

    for (uint32_t i = 0; i < list->shape.dims[0]; i++) {
        int32_t value = listed[i];
        int64_t dim = value < 0 ? (int64_t)value + rank : value;
        if (dim < 0 || dim >= rank)
            return hy_fail(err, HY_FAILED, "dimension %d is outside a tensor of rank %u", value,
                           rank);
        is_squeezed[dim] = true;
    }
    return HY_OK;
}

/* No list, or an empty one, means all dimensions of extent 1. */
static bool squeezes_all(const struct hy_call *call)
{
    const struct hy_value *list = hy_call_input(call, 1);

    return list->omitted || (list->known && list->shape.rank == 1 && list->shape.dims[0] == 0);
}

static enum hy_code choose_squeezed(const struct hy_call *call, const struct hy_shape *in,
                                    bool *is_squeezed, struct hy_error *err)
{
    if (squeezes_all(call)) {
        for (uint32_t i = 0; i < in->rank; i++)
            is_squeezed[i] = in->dims[i] == 1;
        return HY_OK;
    }
    enum hy_code code = hy_call_check_rank(call, 1, 1, 1, err);
    if (code != HY_OK)
        return code;
    if (!hy_call_input(call, 1)->data)
        return hy_fail(err, HY_FAILED, "the value of input 1 is not known");
    return read_squeezed(call, in->rank, is_squeezed, err);
}

enum hy_code hy_infer_squeeze(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    bool is_squeezed[HY_MAX_RANK] = {false};
    struct hy_shape shape = {0};

    enum hy_code code = hy_call_check_filled(call, 0, 1, 4, err);
    if (code == HY_OK)
        code = choose_squeezed(call, in, is_squeezed, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (!is_squeezed[i])
            shape.dims[shape.rank++] = in->dims[i];
        else if (in->dims[i] != 1)
            return hy_fail(err, HY_FAILED, "dimension %u has extent %u, only 1 can be removed", i,
                           in->dims[i]);
    }
    outputs[0] = shape.rank > 0 ? shape : (struct hy_shape){1, {1}};
    return HY_OK;
}

enum hy_code hy_infer_fill(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    return hy_call_extents(call, 0, 0, &outputs[0], err);
}

/* FILL of org.halyard.operations with a tensor of one element as its value. */
enum hy_code hy_infer_fill_with_element(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    enum hy_code code = hy_call_check_shape(call, 1, &(struct hy_shape){1, {1}}, err);

    return code == HY_OK ? hy_call_extents(call, 0, 0, &outputs[0], err) : code;
}

enum hy_code hy_infer_broadcast_to(const struct hy_call *call, struct hy_shape *outputs,
                                   struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    char in_text[HY_SHAPE_TEXT_SIZE], text[HY_SHAPE_TEXT_SIZE];
    struct hy_shape wanted;

    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_extents(call, 1, 0, &wanted, err);
    if (code == HY_OK && !hy_shape_broadcast(in, &wanted, &outputs[0]))
        code = hy_fail(err, HY_FAILED, "input 0 of shape %s does not broadcast to %s",
                       hy_shape_text(in, in_text), hy_shape_text(&wanted, text));
    return code;
}

/* SHAPE: a vector with an element for each dimension. */
enum hy_code hy_infer_shape(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);

    if (code == HY_OK)
        outputs[0] = (struct hy_shape){1, {hy_call_input(call, 0)->shape.rank}};
    return code;
}

enum hy_code hy_infer_rank(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    enum hy_code code = hy_call_check_filled(call, 0, 1, HY_MAX_RANK, err);

    if (code == HY_OK)
        outputs[0] = (struct hy_shape){0};
    return code;
}
