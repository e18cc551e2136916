#include "bodies.h"

#include "common/model/model_view.h"
#include "common/operations/control_flow.h"

#include <stdio.h>
#include <stdlib.h>

/* What views promise to those who use them without looking. */

static void demand(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "a view breaks its promise: %s\n", what);
    abort();
}

/* Only what can be read passes; the sum keeps the compiler from leaving it out. */
static void read_all(const void *bytes, uint64_t count)
{
    static volatile uint8_t sum;

    for (uint64_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
}

static void demand_indices(const uint32_t *indices, uint32_t count, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++)
        demand(indices[i] < limit, "an index of an operand");
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void demand_arguments(const struct hy_argument *arguments, uint32_t count,
                             uint32_t pool_count)
{
    for (uint32_t i = 0; i < count; i++) {
        demand(arguments[i].rank <= HY_MAX_RANK, "the rank of an argument");
        read_all(arguments[i].dims, arguments[i].rank * sizeof(uint32_t));
        demand(arguments[i].location.length == 0 || arguments[i].location.pool < pool_count,
               "the pool of an argument");
    }
}

void hy_wire_demand_request(const struct hy_request *request)
{
    demand_arguments(request->inputs, request->input_count, request->pool_count);
    demand_arguments(request->outputs, request->output_count, request->pool_count);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static void demand_operand(const struct hy_model *model, const struct hy_operand *operand)
{
    const struct hy_location *location = &operand->location;

    demand(operand->rank <= HY_MAX_RANK, "the rank of an operand");
    read_all(operand->dims, operand->rank * sizeof(uint32_t));
    read_all(operand->channel_scales, operand->channel_count * sizeof(float));
    read_all(operand->extension_data, operand->extension_length);
    if (operand->lifetime == HY_LIFETIME_CONSTANT_COPY && location->length > 0)
        read_all(model->values + location->offset, location->length);
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL && location->length > 0)
        demand(location->pool < model->pool_count, "the pool of a constant");
}

static void demand_subgraph(const struct hy_model *model, const struct hy_subgraph *subgraph)
{
    demand_indices(subgraph->inputs, subgraph->input_count, subgraph->operand_count);
    demand_indices(subgraph->outputs, subgraph->output_count, subgraph->operand_count);
    for (uint32_t i = 0; i < subgraph->operation_count; i++) {
        const struct hy_operation *operation = &subgraph->operations[i];
        demand_indices(operation->inputs, operation->input_count, subgraph->operand_count);
        demand_indices(operation->outputs, operation->output_count, subgraph->operand_count);
    }
    for (uint32_t i = 0; i < subgraph->operand_count; i++)
        demand_operand(model, &subgraph->operands[i]);
}

/* How deep bodies nest below each, by rounds, which a circle never ends. */
static void demand_nesting(const struct hy_model *model)
{
    uint32_t *depths = calloc(model->referenced_count + 1, sizeof *depths);
    int changed = depths != NULL;

    for (uint32_t round = 0; changed; round++) {
        demand(round <= HY_CONTROL_FLOW_DEPTH + 1, "bodies without circles");
        changed = 0;
        for (uint32_t i = 0; i < model->referenced_count; i++) {
            const struct hy_subgraph *body = model->referenced[i];
            for (uint32_t k = 0; k < body->operand_count; k++) {
                if (body->operands[k].lifetime != HY_LIFETIME_SUBGRAPH)
                    continue;
                const uint64_t inner = body->operands[k].location.offset;
                demand(inner < model->referenced_count, "the index of a body");
                if (depths[i] <= depths[inner]) {
                    depths[i] = depths[inner] + 1;
                    changed = 1;
                }
            }
        }
    }
    free(depths);
}

void hy_wire_demand_model(const struct hy_model *model)
{
    read_all(model->values, model->values_size);
    for (uint32_t i = 0; i <= model->referenced_count; i++)
        demand_subgraph(model, hy_model_subgraph(model, i));
    demand_nesting(model);
}
