#include "cpu_fallback/ops/elements/byte_quant.h"

struct hy_byte_quant hy_cpu_byte_quant(const struct hy_value *value)
{
    return (struct hy_byte_quant){
        .is_signed = hy_cpu_element(value->type) == HY_ELEMENT_S8,
        .scale = value->scale,
        .zero_point = value->zero_point,
    };
}

enum hy_code hy_cpu_requantise_table(struct hy_arena *memory, const struct hy_value *in,
                                     const struct hy_value *out, const uint8_t **ret_table,
                                     struct hy_error *err)
{
    struct hy_byte_quant from = hy_cpu_byte_quant(in), to = hy_cpu_byte_quant(out);
    uint8_t *table = NULL;

    if (from.is_signed != to.is_signed || from.scale != to.scale ||
        from.zero_point != to.zero_point) {
        table = hy_arena_alloc(memory, HY_TABLE_SIZE);
        if (!table)
            return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the table");
        hy_table_requantise(&from, &to, table);
    }
    *ret_table = table;
    return HY_OK;
}
