/* Results of executions: shapes, times and codes. */
#include "plugins/support_library/execution.h"

#include "common/status.h"
#include "plugins/support_library/result.h"

#include <string.h>

/* Converts the code of an output query: INSUFFICIENT_SIZE only marks the output as too small. */
static enum hy_code check_figure(int result, const char *call, struct hy_output_shape *shape,
                                 struct hy_error *err)
{
    enum hy_code code = hy_sl_result(result, call, err);

    if (code == HY_INSUFFICIENT_SIZE)
        shape->sufficient = 0;
    return code == HY_INSUFFICIENT_SIZE ? HY_OK : code;
}

static enum hy_code ask_shape(const struct hy_sl_run *run, uint32_t index,
                              struct hy_output_shape *shape, struct hy_error *err)
{
    const NnApiSLDriverImplFL5 *api = run->prepared->api;
    uint32_t rank = 0;

    int result =
        api->ANeuralNetworksExecution_getOutputOperandRank(run->execution, (int32_t)index, &rank);
    enum hy_code code = check_figure(result, "Execution_getOutputOperandRank", shape, err);
    if (code == HY_OK && rank > HY_MAX_RANK)
        return hy_fail(err, HY_FAILED,
                       "Execution_getOutputOperandRank returned %u, at most %u is possible", rank,
                       HY_MAX_RANK);
    shape->rank = rank;
    if (code == HY_OK && rank > 0) {
        result = api->ANeuralNetworksExecution_getOutputOperandDimensions(
            run->execution, (int32_t)index, shape->dims);
        code = check_figure(result, "Execution_getOutputOperandDimensions", shape, err);
    }
    return code;
}

/* Returns true if the output's shape is fixed before the run, and gets the shape. */
static bool is_fixed(const struct hy_argument *argument, const struct hy_sl_argument *known,
                     struct hy_output_shape *shape)
{
    const uint32_t rank = argument->rank ? argument->rank : known->type.dimensionCount;
    const uint32_t *dims = argument->rank ? argument->dims : known->type.dimensions;

    if (argument->flags & HY_ARGUMENT_NO_VALUE)
        return true;
    if (!argument->rank && !known->is_complete)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0 || i == HY_MAX_RANK)
            return false;
    }
    shape->rank = rank;
    memcpy(shape->dims, dims, rank * sizeof *dims);
    return true;
}

static enum hy_code report_shapes(const struct hy_sl_run *run, bool success, struct hy_result *out,
                                  struct hy_error *err)
{
    const struct hy_request *request = run->request;

    for (uint32_t i = 0; i < request->output_count; i++) {
        struct hy_output_shape shape = {.sufficient = 1};
        const struct hy_argument *argument = &request->outputs[i];
        const bool is_reported = is_fixed(argument, &run->prepared->outputs[i], &shape) &&
                                 (success || argument->flags & HY_ARGUMENT_NO_VALUE);
        if (!is_reported && ask_shape(run, i, &shape, err) != HY_OK)
            return hy_error_prefix(err, HY_FAILED, "output %u", i);
        out->outputs[i] = shape;
    }
    return HY_OK;
}

uint64_t hy_sl_execution_time(const struct hy_sl_prepared *prepared,
                              ANeuralNetworksExecution *execution, int32_t figure)
{
    uint64_t time = HY_NO_TIME;

    if (prepared->api->ANeuralNetworksExecution_getDuration(execution, figure, &time) != HY_OK)
        return HY_NO_TIME;
    return time;
}

enum hy_code hy_sl_run_result(const struct hy_sl_run *run, int result, const char *call,
                              struct hy_result *out, struct hy_error *err)
{
    struct hy_error shape_error; /* separate, so the run's own error text is kept */
    enum hy_code code = hy_sl_result(result, call, err);
    if (code != HY_OK && code != HY_INSUFFICIENT_SIZE)
        return code;
    if (report_shapes(run, code == HY_OK, out, &shape_error) != HY_OK) {
        *err = shape_error;
        return HY_FAILED;
    }
    out->time_on_device = out->time_in_driver = HY_NO_TIME;
    if (run->measure && code == HY_OK) {
        out->time_on_device = hy_sl_execution_time(run->prepared, run->execution,
                                                   ANEURALNETWORKS_DURATION_ON_HARDWARE);
        out->time_in_driver =
            hy_sl_execution_time(run->prepared, run->execution, ANEURALNETWORKS_DURATION_IN_DRIVER);
    }
    return code;
}

enum hy_code hy_sl_check_result(const struct hy_request *request, const struct hy_result *result,
                                struct hy_error *err)
{
    if (HY_REACHES(result, time_in_driver) && result->output_count == request->output_count)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "the result has struct_size %u and %u outputs of %u",
                   result->struct_size, result->output_count, request->output_count);
}

int32_t hy_sl_execute(void *prepared, const struct hy_request *request,
                      const struct hy_run_options *options, struct hy_result *result)
{
    const struct hy_sl_prepared *own = prepared;
    struct hy_sl_run run = {.prepared = own, .request = request, .measure = options->measure};
    struct hy_error err;

    enum hy_code code = hy_sl_check_result(request, result, &err);
    if (code == HY_OK)
        code = hy_sl_execution_create(own, request, options, NULL, &run.execution, &err);
    if (code == HY_OK) {
        int ended = own->api->ANeuralNetworksExecution_compute(run.execution);
        code = hy_sl_run_result(&run, ended, "Execution_compute", result, &err);
        own->api->ANeuralNetworksExecution_free(run.execution);
    }
    return hy_status_report(code, &err, &options->message);
}
