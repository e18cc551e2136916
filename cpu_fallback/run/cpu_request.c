#include "cpu_fallback/run/cpu_request.h"

#include <stdlib.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/buffers/arguments.h"
#include "cpu_fallback/program/image_tensor.h"
#include "cpu_fallback/run/pool.h"

static enum hy_code check_view(const struct hy_cpu_graph *graph, const struct hy_request *request,
                               struct hy_error *err)
{
    if (!request || !HY_REACHES(request, pools))
        return hy_fail(err, HY_BAD_DATA, "the request is NULL, or its struct_size is too small");
    if (request->input_count != graph->input_count || request->output_count != graph->output_count)
        return hy_fail(
            err, HY_BAD_DATA, "the request has %u inputs and %u outputs, needs %u and %u",
            request->input_count, request->output_count, graph->input_count, graph->output_count);
    if ((request->input_count && !request->inputs) || !request->outputs ||
        (request->pool_count && !request->pools))
        return hy_fail(err, HY_BAD_DATA, "the request has a count above 0 and no array");
    return HY_OK;
}

/* Combines the shapes of model and request. */
static enum hy_code combine_shapes(const struct hy_value *declared,
                                   const struct hy_argument *argument, struct hy_shape *out,
                                   struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(declared->type);
    char model_text[HY_SHAPE_TEXT_SIZE], request_text[HY_SHAPE_TEXT_SIZE];
    struct hy_shape given;

    if (argument->rank > HY_MAX_RANK || (argument->rank > 0 && !argument->dims))
        return hy_fail(err, HY_BAD_DATA, "rank %u is above %u, or dims is NULL", argument->rank,
                       HY_MAX_RANK);
    (void)hy_shape_set(&given, argument->rank, argument->dims);
    if ((info && info->is_scalar && given.rank > 0) ||
        !hy_shape_combine(&declared->shape, &given, out))
        return hy_fail(err, HY_BAD_DATA, "the shape is %s, the model says %s",
                       hy_shape_text(&given, request_text),
                       hy_shape_text(&declared->shape, model_text));
    return HY_OK;
}

/* True if the argument is an image. An argument without bytes names no pool. An argument without
 * elements also has no length, but an image always has elements. */
static bool is_image(const struct hy_request *request, const struct hy_argument *argument,
                     const struct hy_shape *shape)
{
    const struct hy_location *at = &argument->location;

    return !(argument->flags & HY_ARGUMENT_NO_VALUE) && at->pool < request->pool_count &&
           request->pools[at->pool].kind == HY_POOL_HARDWARE_BUFFER &&
           (at->length > 0 || hy_shape_is_complete(shape));
}

/* The bytes of an argument: its length, or the size of its image. */
static enum hy_code measure(const struct hy_request *request, const struct hy_argument *argument,
                            int32_t type, const struct hy_shape *shape, uint64_t *ret,
                            struct hy_error *err)
{
    const struct hy_location *at = &argument->location;

    if (!is_image(request, argument, shape)) {
        *ret = at->length;
        return HY_OK;
    }
    enum hy_code code = hy_cpu_image_tensor(&request->pools[at->pool], type, shape, ret, err);
    if (code == HY_OK && (at->offset != 0 || at->length != 0 || at->padding != 0))
        return hy_fail(err, HY_BAD_DATA, "an image needs offset 0 and length 0, not %llu bytes",
                       (unsigned long long)at->length);
    return code;
}

/* Checks the location of an argument, and records the access that its pool needs. */
static enum hy_code check_location(const struct hy_request *request,
                                   const struct hy_argument *argument, const struct hy_shape *shape,
                                   uint32_t protection, struct hy_cpu_context *context,
                                   struct hy_error *err)
{
    const struct hy_location *at = &argument->location;

    if (argument->flags & ~HY_ARGUMENT_NO_VALUE)
        return hy_fail(err, HY_BAD_DATA, "unknown flags %#x", argument->flags);
    if (is_image(request, argument, shape)) {
        context->mappings[at->pool].protection |= protection;
        return HY_OK;
    }
    if (argument->flags & HY_ARGUMENT_NO_VALUE || at->length == 0 ||
        hy_cpu_argument_is_buffer(request, argument))
        return HY_OK;
    enum hy_code code = hy_cpu_location_check(at, request->pools, request->pool_count, err);
    if (code == HY_OK)
        context->mappings[at->pool].protection |= protection;
    return code;
}

/* Checks the shape and size of an input. A shape is complete if its rank is known and no extent is
 * 0, or if the argument has no bytes. */
static enum hy_code check_complete(const struct hy_request *request,
                                   const struct hy_argument *argument,
                                   const struct hy_value *declared, struct hy_cpu_input *input,
                                   struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(declared->type);
    char text[HY_SHAPE_TEXT_SIZE];
    uint64_t bytes, length;

    enum hy_code code = measure(request, argument, declared->type, &input->shape, &length, err);
    if (code != HY_OK)
        return code;
    bool is_scalar = info && info->is_scalar;
    bool is_complete = is_scalar || hy_shape_is_complete(&input->shape);
    if (!is_complete && (input->shape.rank == 0 || length > 0))
        return hy_fail(err, HY_BAD_DATA, "shape %s is not complete",
                       hy_shape_text(&input->shape, text));
    if (!hy_shape_bytes(&input->shape, hy_operand_type_bytes(declared->type), &bytes) ||
        bytes > HY_CPU_TENSOR_LIMIT || length < bytes)
        return hy_fail(err, HY_BAD_DATA, "%llu bytes are too few for shape %s",
                       (unsigned long long)length, hy_shape_text(&input->shape, text));
    return HY_OK;
}

static enum hy_code check_input(const struct hy_cpu_prepared *prepared,
                                const struct hy_request *request, uint32_t index,
                                struct hy_cpu_context *context, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const struct hy_value *declared = &graph->values[graph->inputs[index]];
    const struct hy_argument *argument = &request->inputs[index];
    struct hy_cpu_input *input = &context->inputs[index];

    *input = (struct hy_cpu_input){.is_omitted = argument->flags & HY_ARGUMENT_NO_VALUE};
    if (input->is_omitted)
        return HY_OK;
    input->is_known = true;
    enum hy_code code = combine_shapes(declared, argument, &input->shape, err);
    if (code != HY_OK)
        return code;
    return hy_cpu_argument_is_buffer(request, argument)
               ? hy_cpu_buffers_bind_input(prepared, request, index, context, err)
               : check_complete(request, argument, declared, input, err);
}

static enum hy_code check_inputs(const struct hy_cpu_prepared *prepared,
                                 const struct hy_request *request, struct hy_cpu_context *context,
                                 struct hy_error *err)
{
    for (uint32_t i = 0; i < request->input_count; i++) {
        const struct hy_argument *argument = &request->inputs[i];
        enum hy_code code = check_input(prepared, request, i, context, err);
        if (code == HY_OK)
            code = check_location(request, argument, &context->inputs[i].shape, HY_PROTECT_READ,
                                  context, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "input %u", i);
    }
    return HY_OK;
}

/* True if an output cannot be read. Kernels accumulate in outputs, and operations read the outputs
 * of others, so such outputs are computed elsewhere. */
static bool is_write_only(const struct hy_request *request, const struct hy_argument *argument)
{
    const uint32_t pool = argument->location.pool;

    return pool < request->pool_count && request->pools[pool].kind != HY_POOL_BUFFER &&
           !(request->pools[pool].protection & HY_PROTECT_READ);
}

static enum hy_code check_outputs(const struct hy_cpu_prepared *prepared,
                                  const struct hy_request *request, struct hy_cpu_context *context,
                                  struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;

    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_argument *argument = &request->outputs[i];
        struct hy_cpu_target *target = &context->targets[i];
        const struct hy_value *value = &graph->values[graph->outputs[i]];
        *target = (struct hy_cpu_target){.is_omitted = argument->flags & HY_ARGUMENT_NO_VALUE};
        enum hy_code code = combine_shapes(value, argument, &target->declared, err);
        if (code == HY_OK && hy_cpu_argument_is_buffer(request, argument))
            code = hy_cpu_buffers_bind_output(prepared, request, i, context, err);
        if (code == HY_OK)
            code = measure(request, argument, value->type, &target->declared, &target->length, err);
        target->is_write_only = is_write_only(request, argument);
        const uint32_t protection =
            target->is_write_only ? HY_PROTECT_WRITE : HY_PROTECT_READ | HY_PROTECT_WRITE;
        if (code == HY_OK)
            code = check_location(request, argument, &target->declared, protection, context, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
    }
    return HY_OK;
}

static enum hy_code reset_mappings(struct hy_cpu_context *context, uint32_t count,
                                   struct hy_error *err)
{
    if (count > context->mapping_capacity) {
        hy_cpu_free(context->mappings);
        context->mapping_capacity = 0;
        context->mappings = hy_cpu_calloc(context->host, count, sizeof *context->mappings);
        if (!context->mappings)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u pools", count);
        context->mapping_capacity = count;
    }
    if (count > 0)
        memset(context->mappings, 0, count * sizeof *context->mappings);
    return HY_OK;
}

static enum hy_code map_pools(const struct hy_host *host, const struct hy_request *request,
                              struct hy_cpu_context *context, struct hy_error *err)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        struct hy_cpu_mapping *mapping = &context->mappings[i];
        if (mapping->protection == 0)
            continue;
        enum hy_code code = hy_cpu_pool_map_argument(host, context->pools, &request->pools[i], i,
                                                     mapping->protection, &mapping->address, err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

void *hy_cpu_request_address(const struct hy_cpu_context *context,
                             const struct hy_argument *argument)
{
    const struct hy_location *at = &argument->location;

    if (argument->flags & HY_ARGUMENT_NO_VALUE || at->length == 0)
        return NULL;
    return (uint8_t *)context->mappings[at->pool].address + at->offset;
}

static void *address_of(const struct hy_request *request, const struct hy_cpu_context *context,
                        const struct hy_argument *argument, const struct hy_shape *shape)
{
    return is_image(request, argument, shape) ? context->mappings[argument->location.pool].address
                                              : hy_cpu_request_address(context, argument);
}

/* Sets the data of an input; a misaligned input is copied, because kernels need aligned
 * elements. */
static enum hy_code bind_input(const struct hy_cpu_graph *graph, uint32_t index, void *data,
                               struct hy_cpu_context *context, struct hy_error *err)
{
    uint32_t operand = graph->inputs[index];
    uint32_t element = hy_operand_type_bytes(graph->values[operand].type);
    uint64_t bytes = 0;

    if (data && element > 0 && (uintptr_t)data % element != 0) {
        (void)hy_shape_bytes(&context->inputs[index].shape, element, &bytes);
        const struct hy_cpu_block *aligned = hy_cpu_context_spill(context, operand, bytes);
        if (!aligned)
            return hy_fail(err, HY_OUT_OF_MEMORY, "input %u: no memory for an aligned copy", index);
        data = memcpy(aligned->bytes, data, bytes);
    }
    context->input_data[index] = data;
    return HY_OK;
}

/* Sets the addresses of inputs and outputs. Buffers are skipped: input buffers are bound already,
 * and output buffers get memory later. */
static enum hy_code bind_arguments(const struct hy_cpu_graph *graph,
                                   const struct hy_request *request, struct hy_cpu_context *context,
                                   struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->input_count && code == HY_OK; i++) {
        const struct hy_argument *argument = &request->inputs[i];
        if (!hy_cpu_argument_is_buffer(request, argument))
            code = bind_input(graph, i,
                              address_of(request, context, argument, &context->inputs[i].shape),
                              context, err);
    }
    for (uint32_t i = 0; i < graph->output_count && code == HY_OK; i++)
        context->targets[i].destination =
            address_of(request, context, &request->outputs[i], &context->targets[i].declared);
    return code;
}

enum hy_code hy_cpu_request_bind(const struct hy_cpu_prepared *prepared,
                                 const struct hy_request *request, struct hy_cpu_context *context,
                                 struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    enum hy_code code = check_view(graph, request, err);

    if (code == HY_OK)
        code = reset_mappings(context, request->pool_count, err);
    if (code == HY_OK)
        code = check_inputs(prepared, request, context, err);
    if (code == HY_OK)
        code = check_outputs(prepared, request, context, err);
    if (code == HY_OK)
        code = map_pools(prepared->program.host, request, context, err);
    return code == HY_OK ? bind_arguments(graph, request, context, err) : code;
}
