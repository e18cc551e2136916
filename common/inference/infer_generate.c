#include "common/inference/infer_generate.h"
#include "common/inference/infer_rules.h"

#include <math.h>

#include "common/operations/operand_type.h"

#include <android/NeuralNetworksTypes.h>

static const struct hy_shape one = {1, {1}};

/* ---- RANGE ----------------------------------------------------------------------------------- */

/* Integers, of any width. */
static enum hy_code count_integers(int64_t start, int64_t limit, int64_t delta, uint64_t *count,
                                   struct hy_error *err)
{
    if (delta == 0)
        return hy_fail(err, HY_FAILED, "the step is 0");
    /* differences of two int64_t fit a uint64_t */
    const uint64_t distance =
        delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    const uint64_t step = delta > 0 ? (uint64_t)delta : -(uint64_t)delta;
    const bool is_empty = delta > 0 ? start >= limit : start <= limit;

    *count = is_empty ? 0 : (distance - 1) / step + 1;
    return HY_OK;
}

static enum hy_code check_floats(double steps, uint64_t *count, struct hy_error *err)
{
    if (!(steps <= UINT32_MAX)) /* or NaN */
        return hy_fail(err, HY_FAILED, "%g steps from start to limit are too many", steps);
    *count = steps > 0 ? (uint64_t)steps : 0;
    return HY_OK;
}

enum hy_code hy_range_count(const struct hy_call *call, uint32_t *count, struct hy_error *err)
{
    const void *values[3];
    uint64_t numbers = 0;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < 3 && code == HY_OK; i++) {
        code = hy_call_check_shape(call, i, &one, err);
        values[i] = hy_call_input(call, i)->data;
        if (code == HY_OK && !values[i])
            code = hy_fail(err, HY_FAILED, "the value of input %u is not known", i);
    }
    if (code != HY_OK)
        return code;
#define VALUE(type, i) (*(const type *)values[i])
    switch (hy_call_input(call, 0)->type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32: /* in float32, by the definition of the operation */
        code = check_floats(ceilf((VALUE(float, 1) - VALUE(float, 0)) / VALUE(float, 2)), &numbers,
                            err);
        break;
    case HY_TENSOR_FLOAT64:
        code = check_floats(ceil((VALUE(double, 1) - VALUE(double, 0)) / VALUE(double, 2)),
                            &numbers, err);
        break;
    case HY_TENSOR_INT64:
        code =
            count_integers(VALUE(int64_t, 0), VALUE(int64_t, 1), VALUE(int64_t, 2), &numbers, err);
        break;
    default:
        code =
            count_integers(VALUE(int32_t, 0), VALUE(int32_t, 1), VALUE(int32_t, 2), &numbers, err);
    }
#undef VALUE
    if (code == HY_OK && numbers > UINT32_MAX)
        code = hy_fail(err, HY_FAILED, "%llu numbers are too many", (unsigned long long)numbers);
    *count = (uint32_t)numbers;
    return code;
}

enum hy_code hy_infer_range(const struct hy_call *call, struct hy_shape *outputs,
                            struct hy_error *err)
{
    outputs[0] = one;
    return hy_range_count(call, &outputs[0].dims[0], err);
}

/* ---- ONE_HOT --------------------------------------------------------------------------------- */

enum hy_code hy_one_hot_read(const struct hy_call *call, uint32_t *axis, uint32_t *depth,
                             struct hy_error *err)
{
    int32_t extent = 0;

    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK - 1, err);
    if (code == HY_OK)
        code = hy_call_int_list(call, 1, 1, &extent, err);
    for (uint32_t i = 2; i < 4 && code == HY_OK; i++)
        code = hy_call_check_shape(call, i, &one, err);
    if (code == HY_OK)
        code = hy_call_axis(call, 4, hy_call_input(call, 0)->shape.rank + 1, axis, err);
    if (code == HY_OK && extent < 0)
        code = hy_fail(err, HY_FAILED, "input 1 is %d, needs 0 or more", extent);
    *depth = (uint32_t)extent;
    return code;
}

enum hy_code hy_infer_one_hot(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(call, 0)->shape;
    uint32_t axis = 0, depth;
    enum hy_code code = hy_one_hot_read(call, &axis, &depth, err);

    if (code != HY_OK)
        return code;
    struct hy_shape shape = {.rank = in->rank + 1};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = i == axis ? depth : in->dims[i - (i > axis)];
    outputs[0] = shape;
    return HY_OK;
}

/* ---- Diagonals ------------------------------------------------------------------------------- */

enum hy_code hy_infer_matrix_diag(const struct hy_call *call, struct hy_shape *outputs,
                                  struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, HY_MAX_RANK - 1, err);

    if (code != HY_OK)
        return code;
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    shape.dims[shape.rank] = shape.dims[shape.rank - 1];
    shape.rank++;
    outputs[0] = shape;
    return HY_OK;
}

enum hy_code hy_infer_matrix_set_diag(const struct hy_call *call, struct hy_shape *outputs,
                                      struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 2, HY_MAX_RANK, err);

    if (code != HY_OK)
        return code;
    struct hy_shape diagonal = hy_call_input(call, 0)->shape;
    const uint32_t width = diagonal.dims[--diagonal.rank];
    if (diagonal.dims[diagonal.rank - 1] > width)
        diagonal.dims[diagonal.rank - 1] = width;
    diagonal.dims[diagonal.rank] = 0;
    outputs[0] = hy_call_input(call, 0)->shape;
    return hy_call_check_shape(call, 1, &diagonal, err);
}
