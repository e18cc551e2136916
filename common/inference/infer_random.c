#include "common/inference/infer_rules.h"

/* RANDOM_MULTINOMIAL: input 0 of [rows, classes] without an extent of 0, input 1 samples, two
 * seeds. */
enum hy_code hy_infer_random_multinomial(const struct hy_call *call, struct hy_shape *outputs,
                                         struct hy_error *err)
{
    const uint32_t *dims = hy_call_input(call, 0)->shape.dims;
    uint32_t samples;

    enum hy_code code = hy_call_check_filled(call, 0, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 1, &samples, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 2, 1, 1, err);
    if (code != HY_OK)
        return code;
    if (dims[1] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u classes are more than int32 can number", dims[1]);
    uint32_t seeds = hy_call_input(call, 2)->shape.dims[0];
    if (seeds != 2)
        return hy_fail(err, HY_FAILED, "input 2 has %u seeds, needs 2", seeds);
    outputs[0] = (struct hy_shape){2, {dims[0], samples}};
    return HY_OK;
}
