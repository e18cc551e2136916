#include "same.h"

#include "common/model/model_view.h"

#include <string.h>

bool same_bytes(const void *a, const void *b, uint64_t size)
{
    return size == 0 || (a && b && memcmp(a, b, size) == 0);
}

static bool same_u32s(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return same_bytes(a, b, (uint64_t)count * sizeof *a);
}

bool same_pool(const struct hy_pool *a, const struct hy_pool *b)
{
    return a->kind == b->kind && a->protection == b->protection && a->fd == b->fd &&
           a->buffer_token == b->buffer_token && a->id == b->id && a->offset == b->offset &&
           a->size == b->size && !a->image == !b->image &&
           (!a->image || memcmp(a->image, b->image, sizeof *a->image) == 0);
}

static bool same_pools(const struct hy_pool *a, const struct hy_pool *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_pool(&a[i], &b[i]))
            return false;
    }
    return true;
}

bool same_hints(const struct hy_hint *a, const struct hy_hint *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].token != b[i].token || a[i].length != b[i].length ||
            !same_bytes(a[i].data, b[i].data, a[i].length))
            return false;
    }
    return true;
}

bool same_prefixes(const struct hy_extension_prefix *a, const struct hy_extension_prefix *b,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].prefix != b[i].prefix || strcmp(a[i].name, b[i].name) != 0)
            return false;
    }
    return true;
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* A constant of no bytes lies nowhere, whatever its location says. */
static bool same_location(const struct hy_operand *a, const struct hy_operand *b)
{
    return (hy_lifetime_is_constant(a->lifetime) && a->location.length == 0 &&
            b->location.length == 0) ||
           memcmp(&a->location, &b->location, sizeof a->location) == 0;
}

static bool same_operand(const struct hy_operand *a, const struct hy_operand *b)
{
    return
#define OPERAND_NUMBER(member, kind, token, architecture) a->member == b->member &&
#include "common/model/model_fields.def"
        same_u32s(a->dims, b->dims, a->rank) && same_location(a, b) &&
        same_bytes(a->channel_scales, b->channel_scales,
                   a->channel_count * sizeof *a->channel_scales) &&
        a->extension_length == b->extension_length &&
        same_bytes(a->extension_data, b->extension_data, a->extension_length);
}

static bool same_operation(const struct hy_operation *a, const struct hy_operation *b)
{
    return
#define OPERATION(member) a->member == b->member &&
#include "common/model/model_fields.def"
        same_u32s(a->inputs, b->inputs, a->input_count) &&
        same_u32s(a->outputs, b->outputs, a->output_count);
}

static bool same_subgraph(const struct hy_subgraph *a, const struct hy_subgraph *b)
{
    bool are_same =
#define SUBGRAPH(member) a->member == b->member &&
#include "common/model/model_fields.def"
        b->struct_size == sizeof *b && same_u32s(a->inputs, b->inputs, a->input_count) &&
        same_u32s(a->outputs, b->outputs, a->output_count);

    for (uint32_t i = 0; are_same && i < a->operand_count; i++)
        are_same = same_operand(&a->operands[i], &b->operands[i]);
    for (uint32_t i = 0; are_same && i < a->operation_count; i++)
        are_same = same_operation(&a->operations[i], &b->operations[i]);
    return are_same;
}

bool same_model(const struct hy_model *a, const struct hy_model *b)
{
    bool are_same =
#define MODEL(member) a->member == b->member &&
#include "common/model/model_fields.def"
        b->struct_size == sizeof *b && same_bytes(a->values, b->values, a->values_size) &&
        same_pools(a->pools, b->pools, a->pool_count) &&
        same_prefixes(a->extensions, b->extensions, a->extension_count);

    for (uint32_t i = 0; are_same && i <= a->referenced_count; i++)
        are_same = same_subgraph(hy_model_subgraph(a, i), hy_model_subgraph(b, i));
    return are_same;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool same_arguments(const struct hy_argument *a, const struct hy_argument *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].flags != b[i].flags || a[i].rank != b[i].rank ||
            !same_u32s(a[i].dims, b[i].dims, a[i].rank) ||
            memcmp(&a[i].location, &b[i].location, sizeof a[i].location) != 0)
            return false;
    }
    return true;
}

bool same_request(const struct hy_request *a, const struct hy_request *b)
{
    return b->struct_size == sizeof *b && a->input_count == b->input_count &&
           a->output_count == b->output_count && a->pool_count == b->pool_count &&
           same_arguments(a->inputs, b->inputs, a->input_count) &&
           same_arguments(a->outputs, b->outputs, a->output_count) &&
           same_pools(a->pools, b->pools, a->pool_count);
}
