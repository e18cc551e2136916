/* The operands of a subgraph: their types and their values. */
#include "plugins/support_library/builder.h"

#include "common/checked.h"
#include "common/model/model_view.h"
#include "common/operations/operand_type.h"
#include "plugins/support_library/result.h"
#include "plugins/support_library/sl_memories.h"

#include <inttypes.h>

/* ---- Types ----------------------------------------------------------------------------------- */

enum hy_code hy_sl_find_extension(const struct hy_sl_builder *builder, int32_t type,
                                  const char **ret)
{
    const struct hy_model *view = builder->view;
    const uint32_t prefix = (uint32_t)type >> 16;

    *ret = hy_prefix_name(view->extensions, view->extension_count, prefix);
    if (!*ret)
        return hy_fail(builder->err, HY_BAD_DATA, "no extension has the prefix %u of type %d",
                       prefix, type);
    return HY_OK;
}

static enum hy_code map_operand_type(const struct hy_sl_builder *builder,
                                     ANeuralNetworksModel *model, int32_t type, int32_t *ret)
{
    const char *name;

    *ret = type;
    if (!hy_type_is_extension(type))
        return HY_OK;
    enum hy_code code = hy_sl_find_extension(builder, type, &name);
    if (code != HY_OK)
        return code;
    int result = builder->api->ANeuralNetworksModel_getExtensionOperandType(model, name,
                                                                            (uint16_t)type, ret);
    return hy_sl_result(result, "Model_getExtensionOperandType", builder->err);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The library copies small values at once and keeps the addresses of larger values. The view does
 * not live long enough, so larger values are copied to the model. */
static enum hy_code save_values(struct hy_sl_builder *builder)
{
    const struct hy_model *view = builder->view;
    struct hy_sl_model *out = builder->out;

    if (!out->values)
        out->values = hy_arena_copy(&out->memory, view->values, view->values_size, 1);
    return out->values ? HY_OK
                       : hy_fail(builder->err, HY_OUT_OF_MEMORY, "%" PRIu64 " bytes of constants",
                                 view->values_size);
}

static enum hy_code set_copied(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                               uint32_t index, const struct hy_location *location)
{
    const uint8_t *values = builder->view->values;

    if (!hy_range_inside(location->offset, location->length, builder->view->values_size))
        return hy_fail(builder->err, HY_BAD_DATA, "the value lies outside the values of the model");
    if (location->length > ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
        enum hy_code code = save_values(builder);
        if (code != HY_OK)
            return code;
        values = builder->out->values;
    }
    return hy_sl_result(
        builder->api->ANeuralNetworksModel_setOperandValue(
            graph->handle, (int32_t)index, values + location->offset, location->length),
        "Model_setOperandValue", builder->err);
}

static enum hy_code set_from_memory(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                                    uint32_t index, const struct hy_location *location)
{
    ANeuralNetworksMemory **memory = &builder->out->memories[location->pool];

    if (!*memory) {
        enum hy_code code = hy_sl_memory_create(builder->api, &builder->view->pools[location->pool],
                                                memory, builder->err);
        if (code != HY_OK)
            return code;
    }
    return hy_sl_result(
        builder->api->ANeuralNetworksModel_setOperandValueFromMemory(
            graph->handle, (int32_t)index, *memory, location->offset, location->length),
        "Model_setOperandValueFromMemory", builder->err);
}

static enum hy_code set_pooled(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                               uint32_t index, const struct hy_location *location)
{
    if (location->pool >= builder->view->pool_count)
        return hy_fail(builder->err, HY_BAD_DATA, "the value lies in pool %u, there are %u",
                       location->pool, builder->view->pool_count);
    const struct hy_pool *pool = &builder->view->pools[location->pool];
    if (!hy_range_inside(location->offset, location->length, pool->size))
        return hy_fail(builder->err, HY_BAD_DATA, "the value lies outside pool %u", location->pool);
    if (hy_sl_memory_has_fd(pool))
        return set_from_memory(builder, graph, index, location);
    if (pool->kind != HY_POOL_HOST)
        return hy_fail(builder->err, HY_FAILED,
                       "the value lies in memory of kind %u, which is not supported", pool->kind);
    return hy_sl_result(builder->api->ANeuralNetworksModel_setOperandValue(
                            graph->handle, (int32_t)index,
                            (const char *)pool->address + location->offset, location->length),
                        "Model_setOperandValue", builder->err);
}

static enum hy_code set_value(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                              uint32_t index)
{
    const NnApiSLDriverImplFL5 *api = builder->api;
    const struct hy_operand *operand = &graph->view->operands[index];
    const struct hy_location *location = &operand->location;

    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
        return set_copied(builder, graph, index, location);
    case HY_LIFETIME_CONSTANT_POOL:
        return set_pooled(builder, graph, index, location);
    case HY_LIFETIME_NO_VALUE:
        return hy_sl_result(
            api->ANeuralNetworksModel_setOperandValue(graph->handle, (int32_t)index, NULL, 0),
            "Model_setOperandValue", builder->err);
    case HY_LIFETIME_SUBGRAPH: /* the body is built, so the offset has been checked */
        return hy_sl_result(api->ANeuralNetworksModel_setOperandValueFromModel(
                                graph->handle, (int32_t)index, builder->bodies[location->offset]),
                            "Model_setOperandValueFromModel", builder->err);
    case HY_LIFETIME_TEMPORARY:
    case HY_LIFETIME_INPUT:
    case HY_LIFETIME_OUTPUT:
        return HY_OK;
    default:
        return hy_fail(builder->err, HY_BAD_DATA, "the lifetime is %d", operand->lifetime);
    }
}

/* ---- Operands ---------------------------------------------------------------------------------
 */

static enum hy_code set_extras(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                               uint32_t index)
{
    const struct hy_operand *operand = &graph->view->operands[index];
    enum hy_code code = HY_OK;

    if (operand->channel_scales) {
        const ANeuralNetworksSymmPerChannelQuantParams channels = {
            .channelDim = operand->channel_dim,
            .scaleCount = operand->channel_count,
            .scales = operand->channel_scales,
        };
        code = hy_sl_result(builder->api->ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                                graph->handle, (int32_t)index, &channels),
                            "Model_setOperandSymmPerChannelQuantParams", builder->err);
    }
    if (code == HY_OK && operand->extension_data)
        code = hy_sl_result(
            builder->api->ANeuralNetworksModel_setOperandExtensionData(
                graph->handle, (int32_t)index, operand->extension_data, operand->extension_length),
            "Model_setOperandExtensionData", builder->err);
    return code;
}

static enum hy_code add_operand(struct hy_sl_builder *builder, const struct hy_sl_graph *graph,
                                uint32_t index)
{
    const struct hy_operand *operand = &graph->view->operands[index];
    ANeuralNetworksOperandType type = {
        .dimensionCount = operand->rank,
        .dimensions = operand->rank ? operand->dims : NULL,
        .scale = operand->scale,
        .zeroPoint = operand->zero_point,
    };

    if (operand->rank > 0 && !operand->dims)
        return hy_fail(builder->err, HY_BAD_DATA, "the rank is %u, but dims is NULL",
                       operand->rank);
    enum hy_code code = map_operand_type(builder, graph->handle, operand->type, &type.type);
    if (code == HY_OK)
        code = hy_sl_result(builder->api->ANeuralNetworksModel_addOperand(graph->handle, &type),
                            "Model_addOperand", builder->err);
    if (code == HY_OK)
        code = set_extras(builder, graph, index);
    if (code == HY_OK)
        code = set_value(builder, graph, index);
    graph->types[index] = type.type;
    return code;
}

enum hy_code hy_sl_add_operands(struct hy_sl_builder *builder, const struct hy_sl_graph *graph)
{
    for (uint32_t i = 0; i < graph->view->operand_count; i++) {
        enum hy_code code = add_operand(builder, graph, i);
        if (code != HY_OK)
            return hy_error_prefix(builder->err, code, "operand %u", i);
    }
    return HY_OK;
}
