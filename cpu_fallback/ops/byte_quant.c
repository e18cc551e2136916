#include "cpu_fallback/ops/byte_quant.h"

struct hy_byte_quant hy_cpu_byte_quant(const struct hy_value *value)
{
    return (struct hy_byte_quant){
        .is_signed = hy_cpu_element(value->type) == HY_ELEMENT_S8,
        .scale = value->scale,
        .zero_point = value->zero_point,
    };
}

const uint8_t *hy_cpu_requantise_table(struct hy_arena *memory, const struct hy_value *in,
                                       const struct hy_value *out)
{
    struct hy_byte_quant from = hy_cpu_byte_quant(in), to = hy_cpu_byte_quant(out);
    uint8_t *table = hy_arena_alloc(memory, HY_TABLE_SIZE);

    if (table)
        hy_table_requantise(&from, &to, table);
    return table;
}
