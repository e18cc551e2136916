#include "plugins/service/server/calls/estimate.h"

#include "common/checked.h"
#include "common/model/model_view.h"

#define MOST_ELEMENT_BYTES 4u /* maximum of the API's types; extension types may be larger */

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Counts constants in pools; constants inside the model are counted by values_size. */
static uint64_t referenced_bytes(const struct hy_subgraph *graph)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < graph->operand_count; i++) {
        const struct hy_operand *operand = &graph->operands[i];
        if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
            bytes = sum(bytes, operand->location.length);
    }
    return bytes;
}

uint64_t hy_server_estimate_model(const struct hy_model *model)
{
    uint64_t bytes = model->values_size;

    for (uint32_t i = 0; i <= model->referenced_count; i++)
        bytes = sum(bytes, referenced_bytes(hy_model_subgraph(model, i)));
    return bytes;
}

uint64_t hy_server_estimate_run(const struct hy_device *table, void *prepared)
{
    struct hy_scratch scratch = {.struct_size = sizeof scratch};

    if (!table->scratch_needed || table->scratch_needed(prepared, &scratch) != HY_STATUS_OK)
        return 0;
    return scratch.bytes;
}

uint64_t hy_server_estimate_buffer(const struct hy_buffer_desc *desc)
{
    uint64_t bytes = desc->rank > 0 ? MOST_ELEMENT_BYTES : 0;

    for (uint32_t i = 0; i < desc->rank; i++)
        bytes = hy_mul_u64(bytes, desc->dims[i], &bytes) ? bytes : UINT64_MAX;
    return bytes;
}
