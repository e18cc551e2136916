#ifndef HY_TESTS_GRAPHS_MAKER_H
#define HY_TESTS_GRAPHS_MAKER_H

#include "common/random.h"
#include "tests/graphs/graph.h"

/* Adds operations to a graph by chance. Types are the letters of common/operations/signatures.def.
 */
#define MAKER_NONE         UINT32_MAX
#define MAKER_ELEMENTS_MAX 256u /* of a tensor */

struct maker {
    struct graph *graph;
    struct hy_random chance;
    bool is_dynamic; /* models tell few shapes, and some come from what is computed */
    bool is_flat;    /* no IF and WHILE */
};

/* Adds one operation, or adds nothing: false where the graph has nothing that it could take. */
typedef bool maker_fn(struct maker *maker);
maker_fn maker_arithmetic, maker_unary, maker_compare, maker_logical, maker_select, maker_convert;
maker_fn maker_reshape, maker_transpose, maker_concatenate, maker_slice, maker_late_slice,
    maker_pad, maker_split, maker_expand, maker_tile, maker_reverse;
maker_fn maker_reduce, maker_arg_extreme, maker_softmax, maker_fully_connected;
maker_fn maker_if, maker_while;

/* Inputs of all types, for a new graph. */
void maker_inputs(struct maker *maker);

/* Adds this many operations. */
void maker_operations(struct maker *maker, uint32_t count);

/* ---- For makers ------------------------------------------------------------------------------ */

static inline uint32_t maker_below(struct maker *maker, uint32_t limit)
{
    return hy_random_below(&maker->chance, limit);
}

/* One of the characters. */
char maker_letter(struct maker *maker, const char *letters);

/* The type of a letter, without shape; of quantised ones with some scale and zero point. */
struct graph_type maker_type(struct maker *maker, char letter);
bool maker_is(const struct graph_type *type, const char *letters);

/* A tensor with one of the types and a rank up to `rank_max`, or MAKER_NONE. */
uint32_t maker_pick(struct maker *maker, const char *letters, uint32_t rank_max);

/* Another one of the same type and shape, also of the same scale where `exactly`; or `like`
 * itself. */
uint32_t maker_pick_like(struct maker *maker, uint32_t like, bool exactly);

/* Values by chance; there is room for MAKER_ELEMENTS_MAX elements of 8 bytes. */
void maker_values(struct maker *maker, const struct graph_type *type, void *values);
uint32_t maker_constant(struct maker *maker, const struct graph_type *type);

static inline const struct graph_type *maker_type_of(const struct maker *maker, uint32_t operand)
{
    return &maker->graph->operands[operand].type;
}

/* A result, and the operation that gives it. */
uint32_t maker_result(struct maker *maker, const struct graph_type *type);
bool maker_add(struct maker *maker, int32_t code, uint32_t input_count, const uint32_t *inputs,
               const struct graph_type *result);

#endif
