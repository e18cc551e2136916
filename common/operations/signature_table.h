#ifndef HY_COMMON_OPERATIONS_SIGNATURE_TABLE_H
#define HY_COMMON_OPERATIONS_SIGNATURE_TABLE_H

#include "common/operations/operation.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The rows of signatures.def by operation. compile_signatures.py generates the table at build time,
 * so no check parses a pattern. signatures.def describes each kind of row.
 */

/* A symbol describes an operand: the row of a type, HY_SYMBOL_FIRST + n for type n of a variant, or
 * HY_SYMBOL_ANY. */
#define HY_SYMBOL_FIRST 0x80
#define HY_SYMBOL_ANY   0xff

/* Inputs or outputs. */
struct hy_operand_list {
    const uint8_t *symbols; /* for `least` operands */
    uint8_t least;
    uint8_t more_at;     /* position of further operands */
    uint8_t more_symbol; /* symbol of further operands */
    uint32_t most;       /* or HY_OP_MANY */
};

/* The symbol of operand `index` of `count` operands; `count` must be between `least` and `most`. */
static inline uint8_t hy_operand_list_symbol(const struct hy_operand_list *list, uint32_t count,
                                             uint32_t index)
{
    const uint32_t more = count - list->least;

    if (index < list->more_at)
        return list->symbols[index];
    return index - list->more_at < more ? list->more_symbol : list->symbols[index - more];
}

struct hy_signature_variant {
    uint8_t level;
    uint8_t types[3]; /* rows */
};

struct hy_signature {
    struct hy_operand_list inputs, outputs;
    uint32_t variant_count;
    const struct hy_signature_variant *variants;
};

struct hy_rank_rule {
    uint32_t first, last, least, most;
};

struct hy_same_rank {
    uint32_t first, last, more;
};

struct hy_same_scale {
    uint32_t first_input, last_input, first_output, last_output;
};

struct hy_fixed_scale {
    bool is_input;
    uint32_t index;
    int32_t type;
    float scale;
    int32_t zero_point;
};

struct hy_channel_rule {
    uint32_t input, dimension;
};

struct hy_operation_rules {
    uint32_t signature_count;
    uint32_t rank_count;
    uint32_t fixed_scale_count;
    const struct hy_signature *signatures;
    const struct hy_rank_rule *ranks;
    const struct hy_fixed_scale *fixed_scales;
    const struct hy_same_rank *same_rank; /* this and the next two: may be NULL */
    const struct hy_same_scale *same_scale;
    const struct hy_channel_rule *channel;
    bool has_early_scales;
    uint64_t optional; /* bit i: input i may be omitted */
};

/* A row for each operation of ops.def, see hy_op_row. */
extern const struct hy_operation_rules hy_operation_rules[HY_OP_COUNT + 1];

#endif
