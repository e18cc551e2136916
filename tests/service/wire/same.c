#include "same.h"

#include <string.h>

bool same_bytes(const void *a, const void *b, uint64_t size)
{
    return size == 0 || (a && b && memcmp(a, b, size) == 0);
}

static bool same_words(const uint32_t *a, const uint32_t *b, uint32_t count)
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
static bool same_place(const struct hy_operand *a, const struct hy_operand *b)
{
    const bool is_constant =
        a->lifetime == HY_LIFETIME_CONSTANT_COPY || a->lifetime == HY_LIFETIME_CONSTANT_POOL;

    return (is_constant && a->location.length == 0 && b->location.length == 0) ||
           memcmp(&a->location, &b->location, sizeof a->location) == 0;
}

static bool same_operand(const struct hy_operand *a, const struct hy_operand *b)
{
    return a->type == b->type && a->lifetime == b->lifetime && a->rank == b->rank &&
           same_words(a->dims, b->dims, a->rank) && a->scale == b->scale &&
           a->zero_point == b->zero_point && same_place(a, b) && a->channel_dim == b->channel_dim &&
           a->channel_count == b->channel_count &&
           same_bytes(a->channel_scales, b->channel_scales,
                      a->channel_count * sizeof *a->channel_scales) &&
           a->extension_length == b->extension_length &&
           same_bytes(a->extension_data, b->extension_data, a->extension_length);
}

static bool same_operation(const struct hy_operation *a, const struct hy_operation *b)
{
    return a->type == b->type && a->input_count == b->input_count &&
           a->output_count == b->output_count && same_words(a->inputs, b->inputs, a->input_count) &&
           same_words(a->outputs, b->outputs, a->output_count);
}

static bool same_subgraph(const struct hy_subgraph *a, const struct hy_subgraph *b)
{
    if (b->struct_size != sizeof *b || a->operand_count != b->operand_count ||
        a->operation_count != b->operation_count || a->input_count != b->input_count ||
        a->output_count != b->output_count || !same_words(a->inputs, b->inputs, a->input_count) ||
        !same_words(a->outputs, b->outputs, a->output_count))
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++) {
        if (!same_operand(&a->operands[i], &b->operands[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->operation_count; i++) {
        if (!same_operation(&a->operations[i], &b->operations[i]))
            return false;
    }
    return true;
}

bool same_model(const struct hy_model *a, const struct hy_model *b)
{
    if (b->struct_size != sizeof *b || a->relaxed_float != b->relaxed_float ||
        a->feature_level != b->feature_level || a->values_size != b->values_size ||
        a->referenced_count != b->referenced_count || a->pool_count != b->pool_count ||
        a->extension_count != b->extension_count ||
        !same_bytes(a->values, b->values, a->values_size) ||
        !same_pools(a->pools, b->pools, a->pool_count) ||
        !same_prefixes(a->extensions, b->extensions, a->extension_count) ||
        !same_subgraph(a->main, b->main))
        return false;
    for (uint32_t i = 0; i < a->referenced_count; i++) {
        if (!same_subgraph(a->referenced[i], b->referenced[i]))
            return false;
    }
    return true;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool same_arguments(const struct hy_argument *a, const struct hy_argument *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].flags != b[i].flags || a[i].rank != b[i].rank ||
            !same_words(a[i].dims, b[i].dims, a[i].rank) ||
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
