#include "common/inference/infer_rules.h"

static enum hy_code check_seeds(const struct hy_call *call, uint32_t index, struct hy_error *err)
{
    const enum hy_code code = hy_call_check_rank(call, index, 1, 1, err);

    if (code != HY_OK)
        return code;
    const uint32_t seeds = hy_call_input(call, index)->shape.dims[0];
    if (seeds != 2)
        return hy_fail(err, HY_FAILED, "input %u has %u seeds, needs 2", index, seeds);
    return HY_OK;
}

/* RANDOM_MULTINOMIAL and MULTINOMIAL: input 0 of [rows, classes] without an extent of 0, input 1
 * samples, two seeds. */
enum hy_code hy_infer_random_multinomial(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err)
{
    const uint32_t *dims = hy_call_input(call, 0)->shape.dims;
    uint32_t samples;

    enum hy_code code = hy_call_check_filled(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 1, &samples, err);
    if (code == HY_OK)
        code = check_seeds(call, 2, err);
    if (code != HY_OK)
        return code;
    if (dims[1] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u classes are more than int32 can number", dims[1]);
    outputs[0] = (struct hy_shape){2, {dims[0], samples}};
    return HY_OK;
}

/* RANDOM_UNIFORM and RANDOM_NORMAL: input 0 is the shape, of numbers above 0. */
enum hy_code hy_infer_random_numbers(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    int32_t extents[HY_MAX_RANK];

    enum hy_code code = hy_call_check_filled(call, 0, 1, 1, err);
    if (code == HY_OK)
        code = check_seeds(call, 1, err);
    if (code != HY_OK)
        return code;
    const uint32_t rank = hy_call_input(call, 0)->shape.dims[0];
    if (rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED, "input 0 has %u extents, at most %d", rank, HY_MAX_RANK);
    code = hy_call_int_list(call, 0, rank, extents, err);
    outputs[0] = (struct hy_shape){.rank = rank};
    for (uint32_t i = 0; code == HY_OK && i < rank; i++) {
        if (extents[i] < 1)
            return hy_fail(err, HY_FAILED, "extent %u of input 0 is %d, needs 1 or more", i,
                           extents[i]);
        outputs[0].dims[i] = (uint32_t)extents[i];
    }
    return code;
}
