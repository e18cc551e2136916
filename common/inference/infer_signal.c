/* RFFT_2D and COMPLEX_ABS of org.halyard.operations. Complex numbers are pairs along the last
 * dimension: real part, imaginary part. */
#include "common/inference/infer_signal.h"
#include "common/inference/infer_rules.h"

enum hy_code hy_rfft_2d_read(const struct hy_call *call, uint32_t lengths[2], struct hy_error *err)
{
    int32_t values[2];

    enum hy_code code = hy_call_check_filled(call, 0, 2, HY_MAX_RANK - 1, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, 2, values, err);
    if (code != HY_OK)
        return code;
    if (values[0] < 1 || values[1] < 1)
        return hy_fail(err, HY_FAILED, "input 1 (lengths) is [%d, %d], needs 1 or more", values[0],
                       values[1]);
    lengths[0] = (uint32_t)values[0];
    lengths[1] = (uint32_t)values[1];
    return HY_OK;
}

enum hy_code hy_infer_rfft_2d(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    uint32_t lengths[2];

    enum hy_code code = hy_rfft_2d_read(call, lengths, err);
    if (code != HY_OK)
        return code;
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    shape.dims[shape.rank - 2] = lengths[0];
    shape.dims[shape.rank - 1] = lengths[1] / 2 + 1;
    shape.dims[shape.rank++] = 2;
    outputs[0] = shape;
    return HY_OK;
}

enum hy_code hy_infer_complex_abs(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    struct hy_shape shape = hy_call_input(call, 0)->shape;

    enum hy_code code = hy_call_check_rank(call, 0, 2, HY_MAX_RANK, err);
    if (code != HY_OK)
        return code;
    if (shape.dims[shape.rank - 1] != 2)
        return hy_fail(err, HY_FAILED, "the last extent of input 0 is %u, complex numbers need 2",
                       shape.dims[shape.rank - 1]);
    shape.dims[--shape.rank] = 0;
    outputs[0] = shape;
    return HY_OK;
}
