#include "cpu_fallback/buffers/description.h"

#include <stdlib.h>

#include "common/checked.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/cpu_prepared.h"

int hy_cpu_buffer_role_compare(const void *a, const void *b)
{
    const struct hy_cpu_buffer_role *one = a, *other = b;

    if (one->prepared != other->prepared)
        return (uintptr_t)one->prepared < (uintptr_t)other->prepared ? -1 : 1;
    if (one->is_output != other->is_output)
        return one->is_output < other->is_output ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

static enum hy_code check_view(const struct hy_cpu_buffers *owner,
                               const struct hy_buffer_desc *desc, struct hy_error *err)
{
    if (!desc || !HY_REACHES(desc, role_count))
        return hy_fail(err, HY_BAD_DATA,
                       "the description is NULL, or its struct_size is too small");
    if (desc->prepared_count == 0 || !desc->prepared || desc->role_count == 0 || !desc->roles)
        return hy_fail(err, HY_BAD_DATA, "%u prepared models and %u roles, needs one of each",
                       desc->prepared_count, desc->role_count);
    for (uint32_t i = 0; i < desc->prepared_count; i++) {
        const struct hy_cpu_prepared *prepared = desc->prepared[i];
        if (!prepared || prepared->buffers != owner)
            return hy_fail(err, HY_BAD_DATA, "prepared model %u belongs to another device", i);
    }
    return HY_OK;
}

/* Finds the operand of a role. */
static enum hy_code find_value(const struct hy_buffer_desc *desc, const struct hy_buffer_role *role,
                               const struct hy_value **ret, struct hy_error *err)
{
    if (role->prepared >= desc->prepared_count || role->is_output > 1)
        return hy_fail(err, HY_BAD_DATA,
                       "prepared model %u of %u, or is_output %u, is out of range", role->prepared,
                       desc->prepared_count, role->is_output);
    const struct hy_cpu_prepared *prepared = desc->prepared[role->prepared];
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const uint32_t count = role->is_output ? graph->output_count : graph->input_count;
    if (role->index >= count)
        return hy_fail(err, HY_BAD_DATA, "%s %u does not exist, the model has %u",
                       role->is_output ? "output" : "input", role->index, count);
    if (!(role->frequency > 0 && role->frequency <= 1))
        return hy_fail(err, HY_BAD_DATA, "the frequency is %g, needs (0, 1]",
                       (double)role->frequency);
    *ret = &graph->values[(role->is_output ? graph->outputs : graph->inputs)[role->index]];
    return HY_OK;
}

static bool is_alike(const struct hy_value *a, const struct hy_value *b)
{
    bool is_same = a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
                   a->channel_dim == b->channel_dim && a->channel_count == b->channel_count;

    for (uint32_t i = 0; is_same && i < a->channel_count; i++)
        is_same = a->channel_scales[i] == b->channel_scales[i];
    return is_same;
}

static enum hy_code combine(const struct hy_value *value, const struct hy_shape *more,
                            struct hy_shape *shape, struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(value->type);
    char text[2][HY_SHAPE_TEXT_SIZE];
    struct hy_shape both;

    if ((info && info->is_scalar && more->rank > 0) || !hy_shape_combine(shape, more, &both))
        return hy_fail(err, HY_BAD_DATA, "shape %s does not fit %s %s",
                       hy_shape_text(more, text[0]), hy_operand_type_name(value->type),
                       hy_shape_text(shape, text[1]));
    *shape = both;
    return HY_OK;
}

/* Fills in the roles, and derives type and shape of the buffer. */
static enum hy_code set_roles(const struct hy_buffer_desc *desc, struct hy_cpu_buffer *buffer,
                              struct hy_error *err)
{
    const struct hy_value *first = NULL, *value;

    for (uint32_t i = 0; i < desc->role_count; i++) {
        const struct hy_buffer_role *role = &desc->roles[i];
        enum hy_code code = find_value(desc, role, &value, err);
        if (code == HY_OK && first && !is_alike(first, value))
            code = hy_fail(err, HY_BAD_DATA, "the type or quantisation differs from role 0");
        if (code == HY_OK)
            code = combine(value, &value->shape, &buffer->shape, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "role %u", i);
        if (!first)
            first = value;
        buffer->roles[i] = (struct hy_cpu_buffer_role){
            desc->prepared[role->prepared], role->is_output, role->index, {0}};
    }
    buffer->role_count = desc->role_count;
    /* check_view() found a role. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    buffer->type = first->type;

    struct hy_shape given;
    if (desc->rank > HY_MAX_RANK || (desc->rank > 0 && !desc->dims))
        return hy_fail(err, HY_BAD_DATA, "rank %u is above %u, or dims is NULL", desc->rank,
                       HY_MAX_RANK);
    (void)hy_shape_set(&given, desc->rank, desc->dims);
    return combine(first, &given, &buffer->shape, err);
}

static enum hy_code sort_roles(struct hy_cpu_buffer *buffer, struct hy_error *err)
{
    struct hy_cpu_buffer_role *roles = buffer->roles;

    qsort(roles, buffer->role_count, sizeof *roles, hy_cpu_buffer_role_compare);
    for (uint32_t i = 1; i < buffer->role_count; i++) {
        if (hy_cpu_buffer_role_compare(&roles[i - 1], &roles[i]) == 0)
            return hy_fail(err, HY_BAD_DATA, "%s %u of one model is listed twice",
                           roles[i].is_output ? "output" : "input", roles[i].index);
    }
    return HY_OK;
}

enum hy_code hy_cpu_buffer_describe(struct hy_cpu_buffers *owner, const struct hy_buffer_desc *desc,
                                    struct hy_cpu_buffer **out, struct hy_error *err)
{
    struct hy_cpu_buffer *buffer = NULL;
    size_t size;

    enum hy_code code = check_view(owner, desc, err);
    if (code != HY_OK)
        return code;
    if (hy_mul_size(desc->role_count, sizeof *buffer->roles, &size) &&
        hy_add_size(size, sizeof *buffer, &size))
        buffer = hy_cpu_calloc(owner->host, 1, size);
    if (!buffer)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a buffer of %u roles",
                       desc->role_count);
    buffer->owner = owner;
    buffer->backing.host = owner->host;
    code = set_roles(desc, buffer, err);
    if (code == HY_OK)
        code = sort_roles(buffer, err);
    if (code != HY_OK) {
        hy_cpu_free(buffer);
        return code;
    }
    *out = buffer;
    return HY_OK;
}
