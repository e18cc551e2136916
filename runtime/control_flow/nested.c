#include "runtime/control_flow/nested.h"

#include "common/status.h"
#include "runtime/drivers/host.h"

#include <stdlib.h>

/* ---- Executions ------------------------------------------------------------------------------ */

enum hy_code hy_nested_find_argument(const struct hy_request *request,
                                     const struct hy_argument *argument, uint32_t protection,
                                     struct hy_nested_argument *ret, struct hy_error *err)
{
    void *address = NULL;

    *ret = (struct hy_nested_argument){0};
    if (argument->flags & HY_ARGUMENT_NO_VALUE)
        return HY_OK;
    const struct hy_pool *pool = &request->pools[argument->location.pool];
    if (hy_runtime_map(pool, protection, &address) != HY_STATUS_OK)
        return hy_fail(err, HY_FAILED, "memory of kind %u cannot be mapped to %s", pool->kind,
                       protection & HY_PROTECT_READ ? "be read" : "be written");
    *ret = (struct hy_nested_argument){
        .address = (char *)address + argument->location.offset,
        .length = argument->location.length,
        .dims = argument->dims,
        .rank = argument->rank,
    };
    return HY_OK;
}

/* The type is set only if the model leaves the shape open. Without a type, a pooled execution
 * recognizes the argument of its previous run. */
static enum hy_code set_one(struct hy_execution *execution, bool is_output, uint32_t index,
                            const struct hy_nested_argument *argument, struct hy_error *err)
{
    const struct hy_subgraph *graph = execution->compilation->plan->request.model->main;
    const uint32_t number = is_output ? graph->outputs[index] : graph->inputs[index];
    const struct hy_operand *operand = &graph->operands[number];
    const struct hy_argument_source source = {.buffer = argument->address,
                                              .length = argument->length};
    const struct hy_operand_spec type = {operand->type, argument->rank, argument->dims,
                                         operand->scale, operand->zero_point};
    bool is_open = operand->rank == 0;

    for (uint32_t i = 0; i < operand->rank; i++)
        is_open |= operand->dims[i] == 0;
    return hy_execution_set(execution, is_output, index, is_open && argument->dims ? &type : NULL,
                            &source, err);
}

static enum hy_code set_all(struct hy_execution *execution, const struct hy_nested_argument *inputs,
                            const struct hy_nested_argument *outputs, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < execution->input_count; i++)
        code = set_one(execution, false, i, &inputs[i], err);
    for (uint32_t i = 0; code == HY_OK && i < execution->output_count; i++)
        code = set_one(execution, true, i, &outputs[i], err);
    return code;
}

enum hy_code hy_nested_open(struct hy_compilation *compilation,
                            const struct hy_nested_argument *inputs,
                            const struct hy_nested_argument *outputs,
                            const struct hy_run_options *options, struct hy_execution **ret,
                            struct hy_error *err)
{
    struct hy_execution *execution;
    enum hy_code code = hy_execution_create(compilation, &execution, err);
    if (code != HY_OK)
        return code;

    execution->measure = options->measure == 1;
    execution->loop_timeout = options->loop_timeout;
    code = set_all(execution, inputs, outputs, err);
    if (code != HY_OK) {
        hy_execution_release(execution);
        return code;
    }
    *ret = execution;
    return HY_OK;
}

enum hy_code hy_nested_run(struct hy_execution *execution, const struct hy_run_options *options,
                           struct hy_error *err)
{
    hy_execution_rewind(execution);
    enum hy_code code = hy_execution_begin(execution, HY_RUN_NESTED, err);
    return code == HY_OK ? hy_execution_run_nested(execution, options, err) : code;
}

/* ---- As a device ----------------------------------------------------------------------------- */

/* A prepared model. */
struct prepared {
    struct hy_compilation *compilation;
    uint32_t input_count, output_count;
};

static void prepared_destroy(void *self)
{
    struct prepared *prepared = self;

    hy_compilation_release(prepared->compilation);
    free(prepared);
}

enum hy_code hy_nested_create(struct hy_plan *plan, void **ret, struct hy_error *err)
{
    const struct hy_subgraph *graph = plan->request.model->main;
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "nested plan of %u steps", plan->step_count);

    prepared->input_count = graph->input_count;
    prepared->output_count = graph->output_count;
    enum hy_code code = hy_compilation_create_nested(plan, &prepared->compilation, err);
    if (code != HY_OK) {
        prepared_destroy(prepared);
        return code;
    }
    *ret = prepared;
    return HY_OK;
}

static enum hy_code find_arguments(const struct prepared *prepared,
                                   const struct hy_request *request,
                                   struct hy_nested_argument *arguments, struct hy_error *err)
{
    struct hy_nested_argument *outputs = arguments + prepared->input_count;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < prepared->input_count; i++)
        code = hy_nested_find_argument(request, &request->inputs[i], HY_PROTECT_READ, &arguments[i],
                                       err);
    for (uint32_t i = 0; code == HY_OK && i < prepared->output_count; i++)
        code = hy_nested_find_argument(request, &request->outputs[i], HY_PROTECT_WRITE, &outputs[i],
                                       err);
    return code;
}

/* Omitted outputs are reported with their declared shape. */
static void report_shapes(const struct hy_execution *execution, struct hy_result *result)
{
    for (uint32_t i = 0; i < execution->output_count; i++) {
        const struct hy_output_state *state = &execution->output_states[i];
        struct hy_output_shape *reported = &result->outputs[i];
        reported->sufficient = state->sufficient;
        reported->rank = state->shape.rank;
        for (uint32_t j = 0; j < reported->rank; j++)
            reported->dims[j] = state->shape.dims[j];
    }
}

static enum hy_code run(const struct prepared *prepared, const struct hy_nested_argument *arguments,
                        const struct hy_run_options *options, struct hy_result *result,
                        struct hy_error *err)
{
    struct hy_execution *execution;
    enum hy_code code = hy_nested_open(prepared->compilation, arguments,
                                       arguments + prepared->input_count, options, &execution, err);
    if (code != HY_OK)
        return code;

    code = hy_nested_run(execution, options, err);
    if (code == HY_OK || code == HY_INSUFFICIENT_SIZE)
        report_shapes(execution, result);
    result->time_on_device = execution->time_on_device;
    result->time_in_driver = execution->time_in_driver;
    hy_execution_release(execution);
    return code;
}

/* A fallback may allocate memory, as devices seldom fail. */
static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    const size_t count = (size_t)prepared->input_count + prepared->output_count;
    struct hy_nested_argument *arguments = calloc(count + 1, sizeof *arguments);
    struct hy_error err;
    enum hy_code code;

    if (arguments)
        code = find_arguments(prepared, request, arguments, &err);
    else
        code = hy_fail(&err, HY_OUT_OF_MEMORY, "%zu arguments", count);
    if (code == HY_OK)
        code = run(prepared, arguments, options, result, &err);
    free(arguments);
    return hy_status_report(code, &err, &options->message);
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .prepared_destroy = prepared_destroy,
    .execute = execute,
};

static struct hy_device_work unseen;

const struct hy_runtime_device hy_nested_device = HY_HIDDEN_DEVICE(&table, "nested plan", &unseen);
