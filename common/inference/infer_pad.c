#include "common/inference/infer_pad.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_pad_grow(struct hy_pad *pad, struct hy_error *err)
{
    pad->out = pad->in;
    for (uint32_t i = 0; i < pad->in.rank; i++) {
        uint64_t extent = (uint64_t)pad->in.dims[i] + pad->before[i] + pad->after[i];
        if (extent > UINT32_MAX)
            return hy_fail(err, HY_FAILED, "extent %u of dimension %u grows to %llu",
                           pad->in.dims[i], i, (unsigned long long)extent);
        pad->out.dims[i] = (uint32_t)extent;
    }
    return HY_OK;
}

/* Reads `in` and the pads of input 1, a tensor of shape [rank, 2]. */
static enum hy_code read_pads(const struct hy_call *call, uint32_t most, struct hy_pad *pad,
                              struct hy_error *err)
{
    int32_t pairs[HY_MAX_RANK][2];

    enum hy_code code = hy_call_check_data(call, 0, 1, most, err);
    if (code != HY_OK)
        return code;
    pad->in = hy_call_input(call, 0)->shape;
    code = hy_call_int_pairs(call, 1, pad->in.rank, pairs, err);
    for (uint32_t i = 0; i < pad->in.rank && code == HY_OK; i++) {
        if (pairs[i][0] < 0 || pairs[i][1] < 0)
            return hy_fail(err, HY_FAILED, "dimension %u has padding %d and %d, needs 0 or more", i,
                           pairs[i][0], pairs[i][1]);
        pad->before[i] = (uint32_t)pairs[i][0];
        pad->after[i] = (uint32_t)pairs[i][1];
    }
    return code == HY_OK ? hy_pad_grow(pad, err) : code;
}

enum hy_code hy_pad_read(const struct hy_call *call, struct hy_pad *pad, struct hy_error *err)
{
    *pad = (struct hy_pad){0};
    enum hy_code code = read_pads(call, 4, pad, err);
    if (code == HY_OK && hy_call_is_extension(call) && !hy_call_input(call, 2)->omitted)
        code = hy_call_check_shape(call, 2, &(struct hy_shape){1, {1}}, err);
    return code;
}

enum hy_code hy_mirror_pad_read(const struct hy_call *call, struct hy_pad *pad,
                                struct hy_error *err)
{
    struct hy_pad read = {.is_mirror = true};
    uint32_t mode = 0;

    enum hy_code code = read_pads(call, HY_MAX_RANK, &read, err);
    if (code == HY_OK)
        code = hy_call_size(call, 2, 0, &mode, err);
    if (code != HY_OK)
        return code;
    if (mode > 1)
        return hy_fail(err, HY_FAILED, "mode %u is not one of 0 (reflect), 1 (symmetric)", mode);
    read.skip = mode == 0;
    for (uint32_t i = 0; i < read.in.rank; i++) {
        uint32_t most = read.in.dims[i] > read.skip ? read.in.dims[i] - read.skip : 0;
        if (read.before[i] > most || read.after[i] > most)
            return hy_fail(err, HY_FAILED, "dimension %u has padding %u and %u, at most %u", i,
                           read.before[i], read.after[i], most);
    }
    *pad = read;
    return HY_OK;
}

enum hy_code hy_dilate_read(const struct hy_call *call, struct hy_shape *out,
                            uint32_t steps[HY_MAX_RANK], struct hy_error *err)
{
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    int32_t list[HY_MAX_RANK];

    enum hy_code code = hy_call_check_data(call, 0, 1, HY_MAX_RANK, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, shape.rank, list, err);
    if (code == HY_OK)
        code = hy_call_check_shape(call, 2, &(struct hy_shape){1, {1}}, err);
    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (list[i] < 1)
            return hy_fail(err, HY_FAILED, "dimension %u has step %d, needs 1 or more", i, list[i]);
        const uint64_t extent =
            shape.dims[i] > 0 ? (uint64_t)(shape.dims[i] - 1) * (uint32_t)list[i] + 1 : 0;
        if (extent > UINT32_MAX)
            return hy_fail(err, HY_FAILED, "extent %u of dimension %u grows to %llu", shape.dims[i],
                           i, (unsigned long long)extent);
        steps[i] = (uint32_t)list[i];
        shape.dims[i] = (uint32_t)extent;
    }
    *out = shape;
    return HY_OK;
}

enum hy_code hy_infer_dilate(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    uint32_t steps[HY_MAX_RANK];

    return hy_dilate_read(call, &outputs[0], steps, err);
}

enum hy_code hy_infer_pad(const struct hy_call *call, struct hy_shape *outputs,
                          struct hy_error *err)
{
    struct hy_pad pad;
    enum hy_code code = hy_pad_read(call, &pad, err);

    if (code == HY_OK)
        outputs[0] = pad.out;
    return code;
}

enum hy_code hy_infer_mirror_pad(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err)
{
    struct hy_pad pad;
    enum hy_code code = hy_mirror_pad_read(call, &pad, err);

    if (code == HY_OK)
        outputs[0] = pad.out;
    return code;
}
