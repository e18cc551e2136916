#include "runtime/execute/result_check.h"

#define UNREPORTED UINT32_MAX

void hy_result_check_reset(struct hy_bound_step *step)
{
    for (uint32_t i = 0; i < step->request.output_count; i++)
        step->shapes[i].rank = UNREPORTED;
}

/* Not memcmp: a call takes longer than a few comparisons. */
static bool is_as_declared(const struct hy_bound_output *output,
                           const struct hy_output_shape *reported)
{
    bool is_same = reported->sufficient == 1 && reported->rank == output->declared.rank;

    for (uint32_t i = 0; is_same && i < reported->rank; i++)
        is_same = reported->dims[i] == output->declared.dims[i];
    return is_same;
}

static enum hy_code check_shape(const struct hy_bound_output *output,
                                const struct hy_output_shape *reported, uint32_t index,
                                struct hy_error *err)
{
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape shape;
    uint64_t bytes;

    if (reported->rank == UNREPORTED)
        return hy_fail(err, HY_FAILED, "the result has no shape for output %u", index);
    if (!hy_shape_set(&shape, reported->rank, reported->dims) ||
        output->is_scalar != (shape.rank == 0))
        return hy_fail(err, HY_FAILED, "the result has rank %u for output %u", reported->rank,
                       index);
    if (!hy_shape_fits(&output->declared, &shape))
        return hy_fail(err, HY_FAILED, "the result has shape %s for output %u, declared %s",
                       hy_shape_text(&shape, text[0]), index,
                       hy_shape_text(&output->declared, text[1]));
    if (!hy_shape_bytes(&shape, output->element_bytes, &bytes) || bytes > UINT32_MAX ||
        (reported->sufficient && bytes > output->capacity))
        return hy_fail(err, HY_FAILED,
                       "the result has shape %s for output %u, the capacity is %llu bytes",
                       hy_shape_text(&shape, text[0]), index, (unsigned long long)output->capacity);
    if (!reported->sufficient && bytes <= output->capacity &&
        (output->is_scalar || hy_shape_is_complete(&output->declared)))
        return hy_fail(
            err, HY_FAILED,
            "the result says output %u is too small, but the capacity covers the %llu bytes", index,
            (unsigned long long)bytes);
    return HY_OK;
}

enum hy_code hy_result_check(const struct hy_bound_step *step, const struct hy_result *result,
                             bool insufficient, struct hy_error *err)
{
    bool all_sufficient = true;

    for (uint32_t i = 0; i < step->request.output_count; i++) {
        const struct hy_output_shape *reported = &step->shapes[i];
        if (step->outputs[i].is_omitted ||
            (step->outputs[i].is_determined && is_as_declared(&step->outputs[i], reported)))
            continue;
        enum hy_code code = check_shape(&step->outputs[i], reported, i, err);
        if (code != HY_OK)
            return code;
        if (reported->sufficient > 1)
            return hy_fail(err, HY_FAILED,
                           "the result has sufficient = %u for output %u, needs 0 or 1",
                           reported->sufficient, i);
        if (!reported->sufficient && !insufficient)
            return hy_fail(err, HY_FAILED,
                           "the status is OK, but the result says output %u is too small", i);
        all_sufficient &= reported->sufficient == 1;
    }
    if (insufficient && all_sufficient)
        return hy_fail(err, HY_FAILED,
                       "the status says an output is too small, but the result names none");
    if (result->time_on_device != HY_NO_TIME && result->time_on_device > result->time_in_driver)
        return hy_fail(
            err, HY_FAILED, "the result has %llu ns on the device, but %llu ns in the driver",
            (unsigned long long)result->time_on_device, (unsigned long long)result->time_in_driver);
    return HY_OK;
}
