/* Preparation of executions: arguments and settings. */
#include "plugins/support_library/execution.h"

#include "common/checked.h"
#include "common/model/model_view.h"
#include "plugins/support_library/deadline.h"
#include "plugins/support_library/result.h"

/* The state of building an execution. */
struct binder {
    const struct hy_sl_prepared *prepared;
    const struct hy_request *request;
    struct hy_sl_memories *memories; /* or NULL */
    ANeuralNetworksExecution *execution;
    struct hy_error *err;
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* The location of an argument: a memory object with offset, or an address. */
struct position {
    const ANeuralNetworksOperandType *type; /* NULL: as in the model */
    ANeuralNetworksMemory *memory;
    void *address;
    uint64_t offset;
    uint64_t length; /* padding included */
};

static enum hy_code check_argument(const struct binder *binder, const struct hy_argument *argument)
{
    const struct hy_location *location = &argument->location;
    const struct hy_request *request = binder->request;
    uint64_t length;

    if (argument->rank > 0 && !argument->dims)
        return hy_fail(binder->err, HY_BAD_DATA, "the rank is %u, but dims is NULL",
                       argument->rank);
    if (location->pool >= request->pool_count)
        return hy_fail(binder->err, HY_BAD_DATA, "pool %u does not exist, there are %u",
                       location->pool, request->pool_count);
    if (!hy_add_u64(location->length, location->padding, &length) ||
        !hy_range_inside(location->offset, length, request->pools[location->pool].size))
        return hy_fail(binder->err, HY_BAD_DATA, "the range is outside pool %u", location->pool);
    return HY_OK;
}

static enum hy_code find_address(const struct binder *binder, const struct hy_pool *pool,
                                 uint32_t protection, struct position *position)
{
    const struct hy_host *host = binder->prepared->device->host;
    void *address = NULL;

    if (pool->kind != HY_POOL_HOST && !hy_sl_memory_has_fd(pool))
        return hy_fail(binder->err, HY_FAILED, "memory of kind %u is not supported", pool->kind);
    int32_t status = host->map(host->context, pool, protection, &address);
    if (status != HY_STATUS_OK)
        return hy_fail(binder->err, HY_FAILED, "the memory cannot be mapped: status %d", status);
    position->address = (char *)address + position->offset;
    return HY_OK;
}

static enum hy_code locate_argument(const struct binder *binder, const struct hy_argument *argument,
                                    uint32_t protection, struct position *position)
{
    const struct hy_location *location = &argument->location;

    enum hy_code code = check_argument(binder, argument);
    if (code != HY_OK)
        return code;
    const struct hy_pool *pool = &binder->request->pools[location->pool];
    position->offset = location->offset;
    position->length = location->length + location->padding;
    if (binder->memories && pool->id != 0 && hy_sl_memory_has_fd(pool))
        return hy_sl_memories_get(binder->memories, pool, &position->memory, binder->err);
    return find_address(binder, pool, protection, position);
}

static enum hy_code set_input(const struct binder *binder, uint32_t index,
                              const struct position *position)
{
    const NnApiSLDriverImplFL5 *api = binder->prepared->api;

    if (position->memory)
        return hy_sl_result(api->ANeuralNetworksExecution_setInputFromMemory(
                                binder->execution, (int32_t)index, position->type, position->memory,
                                position->offset, position->length),
                            "Execution_setInputFromMemory", binder->err);
    return hy_sl_result(api->ANeuralNetworksExecution_setInput(binder->execution, (int32_t)index,
                                                               position->type, position->address,
                                                               position->length),
                        "Execution_setInput", binder->err);
}

static enum hy_code set_output(const struct binder *binder, uint32_t index,
                               const struct position *position)
{
    const NnApiSLDriverImplFL5 *api = binder->prepared->api;

    if (position->memory)
        return hy_sl_result(api->ANeuralNetworksExecution_setOutputFromMemory(
                                binder->execution, (int32_t)index, position->type, position->memory,
                                position->offset, position->length),
                            "Execution_setOutputFromMemory", binder->err);
    return hy_sl_result(api->ANeuralNetworksExecution_setOutput(binder->execution, (int32_t)index,
                                                                position->type, position->address,
                                                                position->length),
                        "Execution_setOutput", binder->err);
}

/* Omitted arguments have no location. */
static enum hy_code bind(const struct binder *binder, const struct hy_argument *argument,
                         const struct hy_sl_argument *known, uint32_t index, bool is_output)
{
    ANeuralNetworksOperandType type = known->type;
    struct position position = {0};
    enum hy_code code = HY_OK;

    if (!(argument->flags & HY_ARGUMENT_NO_VALUE)) {
        type.dimensionCount = argument->rank;
        type.dimensions = argument->dims;
        position.type = argument->rank ? &type : NULL;
        code = locate_argument(binder, argument, is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ,
                               &position);
    }
    if (code == HY_OK)
        code =
            is_output ? set_output(binder, index, &position) : set_input(binder, index, &position);
    if (code != HY_OK)
        return hy_error_prefix(binder->err, code, "%s %u", is_output ? "output" : "input", index);
    return HY_OK;
}

static bool has_padding(uint32_t count, const struct hy_argument *arguments)
{
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].location.padding != 0)
            return true;
    }
    return false;
}

static enum hy_code bind_all(const struct binder *binder)
{
    const struct hy_request *request = binder->request;
    const struct hy_sl_prepared *prepared = binder->prepared;
    enum hy_code code = HY_OK;

    if (has_padding(request->input_count, request->inputs) ||
        has_padding(request->output_count, request->outputs))
        code = hy_sl_result(prepared->api->ANeuralNetworksExecution_enableInputAndOutputPadding(
                                binder->execution, true),
                            "Execution_enableInputAndOutputPadding", binder->err);
    for (uint32_t i = 0; code == HY_OK && i < request->input_count; i++)
        code = bind(binder, &request->inputs[i], &prepared->inputs[i], i, false);
    for (uint32_t i = 0; code == HY_OK && i < request->output_count; i++)
        code = bind(binder, &request->outputs[i], &prepared->outputs[i], i, true);
    return code;
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* Hints that the library refuses, or does not know at its level, are ignored. */
static void add_hints(const struct binder *binder, const struct hy_run_options *options)
{
    const struct hy_sl_prepared *prepared = binder->prepared;
    const NnApiSLDriverImplFL8 *table = prepared->device->table;

    if (!table->ANeuralNetworksExecution_addExtensionAttribute)
        return;
    for (uint32_t i = 0; i < options->hint_count; i++) {
        const struct hy_hint *hint = &options->hints[i];
        const char *name =
            hy_prefix_name(prepared->extensions, prepared->extension_count, hint->token >> 16);
        if (name)
            (void)table->ANeuralNetworksExecution_addExtensionAttribute(
                binder->execution, name, (uint16_t)hint->token, hint->data, hint->length);
    }
}

static enum hy_code set_up(const struct binder *binder, const struct hy_run_options *options)
{
    const NnApiSLDriverImplFL5 *api = binder->prepared->api;
    struct hy_error *err = binder->err;
    uint64_t left;

    enum hy_code code = hy_sl_time_left(options->deadline, &left, err);
    if (code == HY_OK && left > 0)
        code = hy_sl_result(api->ANeuralNetworksExecution_setTimeout(binder->execution, left),
                            "Execution_setTimeout", err);
    if (code == HY_OK && options->measure)
        code = hy_sl_result(api->ANeuralNetworksExecution_setMeasureTiming(binder->execution, true),
                            "Execution_setMeasureTiming", err);
    if (code == HY_OK && binder->prepared->has_loops)
        code = hy_sl_result(
            api->ANeuralNetworksExecution_setLoopTimeout(binder->execution, options->loop_timeout),
            "Execution_setLoopTimeout", err);
    if (code == HY_OK)
        add_hints(binder, options);
    return code;
}

enum hy_code hy_sl_check_request(const struct hy_sl_prepared *prepared,
                                 const struct hy_request *request,
                                 const struct hy_run_options *options, struct hy_error *err)
{
    if (!HY_REACHES(request, pools) || !HY_REACHES(options, scratch_bytes))
        return hy_fail(err, HY_BAD_DATA, "struct_size of the request is %u, of its options %u",
                       request->struct_size, options->struct_size);
    if (request->input_count != prepared->input_count ||
        request->output_count != prepared->output_count)
        return hy_fail(err, HY_BAD_DATA,
                       "the request has %u inputs and %u outputs, the model %u and %u",
                       request->input_count, request->output_count, prepared->input_count,
                       prepared->output_count);
    return HY_OK;
}

enum hy_code hy_sl_execution_create(const struct hy_sl_prepared *prepared,
                                    const struct hy_request *request,
                                    const struct hy_run_options *options,
                                    struct hy_sl_memories *memories, ANeuralNetworksExecution **ret,
                                    struct hy_error *err)
{
    struct binder binder = {
        .prepared = prepared, .request = request, .memories = memories, .err = err};

    enum hy_code code = hy_sl_check_request(prepared, request, options, err);
    if (code != HY_OK)
        return code;
    int result =
        prepared->api->ANeuralNetworksExecution_create(prepared->compilation, &binder.execution);
    code = hy_sl_result_made(result, binder.execution, "Execution_create", err);
    if (code == HY_OK)
        code = bind_all(&binder);
    if (code == HY_OK)
        code = set_up(&binder, options);
    if (code != HY_OK) {
        prepared->api->ANeuralNetworksExecution_free(binder.execution);
        return code;
    }
    *ret = binder.execution;
    return HY_OK;
}
