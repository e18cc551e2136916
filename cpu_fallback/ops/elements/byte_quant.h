#ifndef HY_CPU_FALLBACK_OPS_ELEMENTS_BYTE_QUANT_H
#define HY_CPU_FALLBACK_OPS_ELEMENTS_BYTE_QUANT_H

#include "common/call.h"
#include "common/memory/arena.h"
#include "cpu_fallback/kernels/byte_table.h"
#include "cpu_fallback/program/op.h"

/* Quantized, with a byte per element. */
static inline bool hy_cpu_is_byte_quant(enum hy_element element)
{
    return element == HY_ELEMENT_U8 || element == HY_ELEMENT_S8;
}

struct hy_byte_quant hy_cpu_byte_quant(const struct hy_value *value);

/* Makes the hy_table_requantise from `in` to `out`, in `memory`; NULL if both have the same
 * quantization. Errors: HY_OUT_OF_MEMORY. */
enum hy_code hy_cpu_requantise_table(struct hy_arena *memory, const struct hy_value *in,
                                     const struct hy_value *out, const uint8_t **ret_table,
                                     struct hy_error *err);

#endif
