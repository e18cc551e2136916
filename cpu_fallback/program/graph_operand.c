#include "cpu_fallback/program/graph_operand.h"

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/checked.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/run/pool.h"

/* `ret`: bytes of a value whose shape is known; 0 for types without an element size. */
static enum hy_code load_shape(const struct hy_operand *view, struct hy_value *value, uint64_t *ret,
                               struct hy_error *err)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(view->type);
    const uint32_t element = info ? info->element_bytes : 0;

    if (view->rank > HY_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "rank %u is above %u", view->rank, HY_MAX_RANK);
    if (view->rank > 0 && !view->dims)
        return hy_fail(err, HY_BAD_DATA, "rank %u, but dims is NULL", view->rank);
    if (info && info->is_scalar && view->rank > 0)
        return hy_fail(err, HY_BAD_DATA, "%s has rank %u", info->name, view->rank);
    (void)hy_shape_set(&value->shape, view->rank, view->dims);
    if (!hy_shape_bytes(&value->shape, element, ret) || *ret > HY_CPU_TENSOR_LIMIT)
        return hy_fail(err, HY_BAD_DATA, "the extents are too large");
    value->known = (info && info->is_scalar) || hy_shape_is_complete(&value->shape);
    return HY_OK;
}

/* Looks for the invalid scale only if there is one, because models have thousands of scales. */
static enum hy_code check_scales(const float *scales, uint32_t count, struct hy_error *err)
{
    bool are_good = true;
    uint32_t i = 0;

    for (uint32_t k = 0; k < count; k++)
        are_good &= hy_scale_is_good(scales[k]);
    if (are_good)
        return HY_OK;
    while (hy_scale_is_good(scales[i]))
        i++;
    return hy_fail(err, HY_BAD_DATA, "scale %u is %g", i, (double)scales[i]);
}

/* A constant that cannot be mapped needs no scales: either no operation reads it, or its packed
 * weights include the scales. */
static enum hy_code load_channel_scales(struct hy_cpu_graph *graph, const struct hy_operand *view,
                                        const struct hy_cpu_operand *operand,
                                        struct hy_value *value, struct hy_error *err)
{
    uint32_t count = view->channel_count;

    if ((!view->channel_scales && !operand->is_unreachable) || view->channel_dim >= view->rank ||
        view->dims[view->channel_dim] != count)
        return hy_fail(err, HY_BAD_DATA, "%u scales along dimension %u of rank %u", count,
                       view->channel_dim, view->rank);
    value->channel_dim = view->channel_dim;
    value->channel_count = count;
    if (!view->channel_scales)
        return HY_OK;
    value->channel_scales =
        hy_arena_copy(&graph->memory, view->channel_scales, count, sizeof *view->channel_scales);
    if (!value->channel_scales)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u scales", count);
    return check_scales(value->channel_scales, count, err);
}

/* HY_BAD_DATA unless the shape is complete and its size equals the length in the view. */
static enum hy_code check_constant(const struct hy_operand *view, const struct hy_value *value,
                                   uint64_t bytes, struct hy_error *err)
{
    if (!value->known || bytes == 0)
        return hy_fail(err, HY_BAD_DATA, "the size of a constant is unknown");
    if (view->location.length != bytes)
        return hy_fail(err, HY_BAD_DATA, "a constant needs %llu bytes, has %llu",
                       (unsigned long long)bytes, (unsigned long long)view->location.length);
    return HY_OK;
}

static enum hy_code copy_constant(struct hy_cpu_graph *graph, const uint8_t *bytes, uint64_t length,
                                  struct hy_value *value, struct hy_error *err)
{
    value->data = hy_arena_copy(&graph->memory, bytes, length, 1);
    if (!value->data)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %llu bytes of a value",
                       (unsigned long long)length);
    return HY_OK;
}

static enum hy_code load_value_constant(struct hy_cpu_graph *graph, const struct hy_model *model,
                                        const struct hy_operand *view, struct hy_value *value,
                                        struct hy_error *err)
{
    const struct hy_location *at = &view->location;

    if (!hy_range_inside(at->offset, at->length, model->values_size))
        return hy_fail(err, HY_BAD_DATA,
                       "the value at offset %llu does not fit the %llu bytes of values",
                       (unsigned long long)at->offset, (unsigned long long)model->values_size);
    return copy_constant(graph, model->values + at->offset, at->length, value, err);
}

static enum hy_code load_pool_constant(struct hy_cpu_graph *graph, const struct hy_model *model,
                                       const struct hy_operand *view, const struct hy_host *host,
                                       struct hy_cpu_operand *operand, struct hy_value *value,
                                       struct hy_error *err)
{
    const struct hy_location *at = &view->location;
    void *address;

    enum hy_code code = hy_cpu_location_check(at, model->pools, model->pool_count, err);
    if (code != HY_OK)
        return code;
    code = hy_cpu_pool_map(host, NULL, &model->pools[at->pool], at->pool, HY_PROTECT_READ, &address,
                           NULL);
    if (code != HY_OK) {
        operand->is_unreachable = true;
        return HY_OK;
    }
    uint8_t *bytes = (uint8_t *)address + at->offset;
    if ((uintptr_t)bytes % hy_operand_type_bytes(view->type) != 0)
        return copy_constant(graph, bytes, at->length, value, err);
    value->data = bytes;
    return HY_OK;
}

/* Loads a reference to a body. Only operands that expect a model may be one. */
static enum hy_code load_reference(const struct hy_model *model, const struct hy_operand *view,
                                   struct hy_cpu_operand *operand, struct hy_error *err)
{
    if (view->lifetime != HY_LIFETIME_SUBGRAPH || view->type != ANEURALNETWORKS_MODEL)
        return hy_fail(err, HY_BAD_DATA, "%s with lifetime %d", hy_operand_type_name(view->type),
                       view->lifetime);
    if (view->location.offset >= model->referenced_count)
        return hy_fail(err, HY_BAD_DATA, "model %llu does not exist, there are %u",
                       (unsigned long long)view->location.offset, model->referenced_count);
    operand->body = (uint32_t)view->location.offset;
    return HY_OK;
}

static enum hy_code load_value(struct hy_cpu_graph *graph, const struct hy_model *model,
                               const struct hy_operand *view, const struct hy_host *host,
                               uint64_t bytes, struct hy_cpu_operand *operand,
                               struct hy_value *value, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (view->lifetime == HY_LIFETIME_SUBGRAPH || view->type == ANEURALNETWORKS_MODEL)
        return load_reference(model, view, operand, err);
    switch (view->lifetime) {
    case HY_LIFETIME_TEMPORARY:
    case HY_LIFETIME_INPUT:
    case HY_LIFETIME_OUTPUT:
        return HY_OK;
    case HY_LIFETIME_NO_VALUE:
        value->omitted = true;
        return HY_OK;
    case HY_LIFETIME_CONSTANT_COPY:
    case HY_LIFETIME_CONSTANT_POOL:
        code = check_constant(view, value, bytes, err);
        break;
    default:
        return hy_fail(err, HY_BAD_DATA, "lifetime %d is unknown", view->lifetime);
    }
    if (code == HY_OK && view->lifetime == HY_LIFETIME_CONSTANT_COPY)
        code = load_value_constant(graph, model, view, value, err);
    else if (code == HY_OK)
        code = load_pool_constant(graph, model, view, host, operand, value, err);
    operand->is_constant = value->data != NULL;
    return code;
}

enum hy_code hy_cpu_graph_load_operand(struct hy_cpu_graph *graph, const struct hy_model *model,
                                       const struct hy_subgraph *graph_view, uint32_t index,
                                       const struct hy_host *host, struct hy_error *err)
{
    const struct hy_operand *view = &graph_view->operands[index];
    struct hy_value *value = &graph->values[index];
    struct hy_cpu_operand *operand = &graph->operands[index];

    *operand = (struct hy_cpu_operand){.lifetime = view->lifetime};
    *value =
        (struct hy_value){.type = view->type, .scale = view->scale, .zero_point = view->zero_point};
    enum hy_code code = HY_OK;
    uint64_t bytes = 0;
    if (!hy_type_is_extension(view->type))
        code = hy_operand_type_check_quant(view->type, view->scale, view->zero_point, err);
    if (code == HY_OK)
        code = load_shape(view, value, &bytes, err);
    if (code == HY_OK)
        code = load_value(graph, model, view, host, bytes, operand, value, err);
    if (code == HY_OK && view->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        code = load_channel_scales(graph, view, operand, value, err);
    return code;
}
