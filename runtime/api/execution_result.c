/* Results of an execution after a run. */
#include "runtime/execute/execution.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

#include <string.h>

/* BAD_STATE unless the last run has left output shapes. */
static enum hy_code check_has_shapes(const struct hy_execution *execution, struct hy_error *err)
{
    switch (hy_execution_state(execution)) {
    case HY_EXECUTION_DONE:
    case HY_EXECUTION_INSUFFICIENT:
        return HY_OK;
    case HY_EXECUTION_FAILED:
        return hy_fail(err, HY_BAD_STATE, "the execution has failed");
    case HY_EXECUTION_PREPARING:
    case HY_EXECUTION_COMPUTING:
        break;
    }
    return hy_fail(err, HY_BAD_STATE, "the execution has not completed");
}

static enum hy_code find_output(const struct hy_execution *execution, int32_t index,
                                const struct hy_output_state **ret, struct hy_error *err)
{
    enum hy_code code = check_has_shapes(execution, err);
    if (code != HY_OK)
        return code;
    if ((uint32_t)index >= execution->output_count)
        return hy_fail(err, HY_BAD_DATA, "output %d, the model has %u", index,
                       execution->output_count);
    *ret = &execution->output_states[index];
    return HY_OK;
}

/* The value is written in any case; the code says whether the output buffer was large enough. */
static enum hy_code check_sufficient(const struct hy_execution *execution, int32_t index,
                                     struct hy_error *err)
{
    const struct hy_output_state *output = &execution->output_states[index];
    char text[HY_SHAPE_TEXT_SIZE];

    if (output->sufficient)
        return HY_OK;
    return hy_fail(err, HY_INSUFFICIENT_SIZE, "output %d has %llu bytes, too few for shape %s",
                   index, (unsigned long long)execution->outputs[index].length,
                   hy_shape_text(&output->shape, text));
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
                                                  int32_t index, uint32_t *rank)
{
    static const char name[] = "Execution_getOutputOperandRank";
    const struct hy_execution *own = hy_execution_of(execution);
    const struct hy_output_state *output;
    struct hy_error err;

    if (!execution)
        return hy_api_null(name, "execution");
    if (!rank)
        return hy_api_null(name, "rank");
    enum hy_code code = find_output(own, index, &output, &err);
    if (code == HY_OK) {
        *rank = output->shape.rank;
        code = check_sufficient(own, index, &err);
    }
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
                                                        int32_t index, uint32_t *dimensions)
{
    static const char name[] = "Execution_getOutputOperandDimensions";
    const struct hy_execution *own = hy_execution_of(execution);
    const struct hy_output_state *output;
    struct hy_error err;

    if (!execution)
        return hy_api_null(name, "execution");
    if (!dimensions)
        return hy_api_null(name, "dimensions");
    enum hy_code code = find_output(own, index, &output, &err);
    if (code == HY_OK && own->outputs[index].is_omitted)
        code = hy_fail(&err, HY_BAD_DATA, "output %d was left out", index);
    if (code == HY_OK && output->shape.rank == 0)
        code = hy_fail(&err, HY_BAD_DATA, "output %d is a scalar, or its rank is not known", index);
    if (code == HY_OK) {
        memcpy(dimensions, output->shape.dims, output->shape.rank * sizeof *dimensions);
        code = check_sufficient(own, index, &err);
    }
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
                                         int32_t durationCode, uint64_t *duration)
{
    static const char name[] = "Execution_getDuration";
    const struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    if (!duration)
        return hy_api_null(name, "duration");
    if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
        durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
        return hy_api_result(
            name,
            hy_fail(&err, HY_BAD_DATA, "duration code is %d, values are 0 to 3", durationCode),
            &err);

    *duration = UINT64_MAX;
    if (hy_execution_state(own) != HY_EXECUTION_DONE)
        return hy_api_result(
            name, hy_fail(&err, HY_BAD_STATE, "the execution has not completed with success"),
            &err);
    if (!own->measure)
        return hy_api_result(
            name, hy_fail(&err, HY_BAD_STATE, "time measurement was not enabled for the execution"),
            &err);

    /* Without dependencies, fenced durations start at the same moment as the others. */
    const bool on_device = durationCode == ANEURALNETWORKS_DURATION_ON_HARDWARE ||
                           durationCode == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
    *duration = on_device ? own->time_on_device : own->time_in_driver;
    return hy_api_result(name, HY_OK, &err);
}
