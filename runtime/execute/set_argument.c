/* Setting the arguments of an execution. */
#include "runtime/execute/execution.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/domain.h"
#include "runtime/memory/memory_check.h"

/* Checks the memory, or the length of the buffer, before the check for "set already". Memory from a
 * descriptor may define more of the shape. */
static enum hy_code check_source(const struct hy_argument_source *source,
                                 const struct hy_memory_role *role, struct hy_shape *shape,
                                 struct hy_error *err)
{
    const struct hy_domain *domain = source->memory ? hy_memory_domain(source->memory) : NULL;

    if (domain)
        return hy_domain_check_use(domain, role, source->offset, source->length, shape, err);
    if (source->memory && hy_memory_is_image(source->memory))
        return hy_memory_check_image(source->memory, source->offset, source->length,
                                     role->is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ, err);
    if (source->memory)
        return hy_memory_check_argument(source->memory, source->offset, source->length,
                                        role->is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ, err);
    if (source->length > UINT32_MAX)
        return hy_fail(err, HY_BAD_DATA, "length is %llu, at most %u",
                       (unsigned long long)source->length, UINT32_MAX);
    return HY_OK;
}

/* The length of an image, used as a whole: the size of the tensor, or the maximum if unknown. The
 * driver checks whether the image fits. */
static uint64_t length_in_image(const struct hy_operand *operand, const struct hy_shape *shape)
{
    struct hy_type_info type;
    uint64_t length;

    return hy_type_info_find(operand->type, &type) &&
                   (type.is_scalar || hy_shape_is_complete(shape)) &&
                   hy_shape_bytes(shape, type.element_bytes, &length)
               ? length
               : UINT32_MAX;
}

/* The length from the app, or the size of the contents for memory from a descriptor, used as a
 * whole. Device memory for any shape has the maximum length. */
static uint64_t length_of(const struct hy_operand *operand, const struct hy_argument_source *source,
                          const struct hy_shape *shape)
{
    const struct hy_domain *domain = source->memory ? hy_memory_domain(source->memory) : NULL;
    uint64_t length;

    if (source->memory && hy_memory_is_image(source->memory))
        return length_in_image(operand, shape);
    if (!domain)
        return source->length;
    if (!domain->is_open)
        shape = &domain->shape;
    else if (!hy_shape_is_complete(shape))
        return UINT32_MAX;
    return hy_domain_measure(domain, shape, &length) ? length : UINT32_MAX;
}

/* Call after all other checks: fills the argument for the run. */
static enum hy_code fill_argument(const struct hy_execution *execution,
                                  const struct hy_operand *operand,
                                  const struct hy_argument_source *source,
                                  const struct hy_shape *shape, struct hy_bound_argument *argument,
                                  struct hy_error *err)
{
    const uint64_t length = length_of(operand, source, shape);
    struct hy_bound_argument filled = {.is_set = true, .shape = *shape};

    filled.is_omitted = !source->memory && !source->buffer;
    if (!filled.is_omitted) {
        enum hy_code code =
            hy_argument_check_length(operand, shape, length, execution->padded, &filled, err);
        if (code != HY_OK)
            return code;
    }
    filled.was_padded = execution->padded;
    filled.buffer = source->buffer;
    filled.offset = source->offset;
    filled.given_length = source->length;
    filled.memory_id = source->memory ? hy_memory_pool(source->memory)->id : 0;
    *argument = filled;
    return HY_OK;
}

/* Retains the memory of argument `index` while the argument is set. */
static void retain_memory(struct hy_bound_argument *arguments, uint32_t index,
                          struct hy_memory *memory)
{
    struct hy_bound_argument *argument = &arguments[index];

    argument->memory = memory;
    argument->counts_memory = memory && !(index > 0 && arguments[index - 1].memory == memory);
    if (argument->counts_memory)
        hy_memory_retain(memory);
}

static enum hy_code repeat_argument(const struct hy_argument_source *source,
                                    struct hy_bound_argument *argument, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (source->memory)
        code = hy_memory_check_again(source->memory, source->offset, source->length, err);
    argument->is_set = code == HY_OK;
    return code;
}

static enum hy_code set_anew(struct hy_execution *execution, const struct hy_memory_role *role,
                             const struct hy_operand_spec *type,
                             const struct hy_argument_source *source,
                             struct hy_bound_argument *argument, struct hy_error *err)
{
    const struct hy_subgraph *graph = execution->compilation->plan->request.model->main;
    const uint32_t *list = role->is_output ? graph->outputs : graph->inputs;
    const struct hy_operand *operand = &graph->operands[list[role->index]];
    const bool must_be_complete = !role->is_output && (source->memory || source->buffer);
    struct hy_shape shape;

    enum hy_code code = hy_argument_check_type(operand, type, must_be_complete, &shape, err);
    if (code == HY_OK)
        code = check_source(source, role, &shape, err);
    if (code == HY_OK && argument->is_set)
        code = hy_fail(err, HY_BAD_STATE, "the argument was set before");
    if (code == HY_OK)
        code = fill_argument(execution, operand, source, &shape, argument, err);
    if (code == HY_OK) {
        const bool is_domain = source->memory && hy_memory_domain(source->memory);
        argument->is_plain = !type && !is_domain;
        execution->has_domains |= is_domain;
        execution->is_bound = false;
    }
    return code;
}

static enum hy_code set_argument(struct hy_execution *execution, const struct hy_memory_role *role,
                                 const struct hy_operand_spec *type,
                                 const struct hy_argument_source *source, struct hy_error *err)
{
    struct hy_bound_argument *arguments = role->is_output ? execution->outputs : execution->inputs;
    struct hy_bound_argument *argument = &arguments[role->index];
    enum hy_code code;

    if (!type && !argument->is_set && hy_argument_is_repeated(argument, source, execution->padded))
        code = repeat_argument(source, argument, err);
    else
        code = set_anew(execution, role, type, source, argument, err);
    if (code == HY_OK) {
        retain_memory(arguments, role->index, source->memory);
        execution->has_dma_bufs |= source->memory && hy_memory_is_dma_buf(source->memory);
    }
    return code;
}

enum hy_code hy_execution_set(struct hy_execution *execution, bool is_output, uint32_t index,
                              const struct hy_operand_spec *type,
                              const struct hy_argument_source *source, struct hy_error *err)
{
    const char *role = is_output ? "output" : "input";
    const uint32_t count = is_output ? execution->output_count : execution->input_count;
    enum hy_code code = hy_execution_check_preparing(execution, err);
    if (code != HY_OK)
        return code;

    const struct hy_memory_role argument_role = {execution->compilation->id, index, is_output};
    execution->any_set = true;
    if (index >= count)
        return hy_fail(err, HY_BAD_DATA, "%s %d does not exist, the model has %u", role,
                       (int32_t)index, count);
    code = set_argument(execution, &argument_role, type, source, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s %u", role, index);
}
