#ifndef HY_TESTS_GRAPHS_MAKER_H
#define HY_TESTS_GRAPHS_MAKER_H

#include "common/random.h"
#include "tests/graphs/graph.h"

/* Adds random operations to a graph. Type letters are those of common/operations/signatures.def. */
#define MAKER_NONE         UINT32_MAX
#define MAKER_ELEMENTS_MAX 256u /* of a tensor */

struct maker {
    struct graph *graph;
    struct hy_random chance;
    bool is_dynamic; /* the model has few known shapes; some depend on computed values */
    bool is_flat;    /* no IF and WHILE */
};

/* Adds one operation. Returns false without adding if the graph has no suitable operands. */
typedef bool maker_fn(struct maker *maker);
maker_fn maker_arithmetic, maker_unary, maker_compare, maker_logical, maker_select, maker_convert;
maker_fn maker_reshape, maker_transpose, maker_concatenate, maker_slice, maker_late_slice,
    maker_pad, maker_split, maker_expand, maker_tile, maker_reverse;
maker_fn maker_reduce, maker_arg_extreme, maker_softmax, maker_fully_connected;
maker_fn maker_if, maker_while;

/* Adds inputs of all types to a new graph. */
void maker_inputs(struct maker *maker);

/* Adds `count` operations. */
void maker_operations(struct maker *maker, uint32_t count);

/* ---- For makers ------------------------------------------------------------------------------ */

static inline uint32_t maker_below(struct maker *maker, uint32_t limit)
{
    return hy_random_below(&maker->chance, limit);
}

/* A random character of `letters`. */
char maker_letter(struct maker *maker, const char *letters);

/* The type of a letter, without shape. Quantised types get a random scale and zero point. */
struct graph_type maker_type(struct maker *maker, char letter);
bool maker_is(const struct graph_type *type, const char *letters);

/* A tensor with one of the types and a rank up to `rank_max`, or MAKER_NONE. */
uint32_t maker_pick(struct maker *maker, const char *letters, uint32_t rank_max);

/* Another tensor with the type and shape of `like`, and with `exactly` the same scale. Returns
 * `like` if no other tensor is found. */
uint32_t maker_pick_like(struct maker *maker, uint32_t like, bool exactly);

/* Writes random values. `values` needs capacity for MAKER_ELEMENTS_MAX elements of 8 bytes. */
void maker_values(struct maker *maker, const struct graph_type *type, void *values);
uint32_t maker_constant(struct maker *maker, const struct graph_type *type);

static inline const struct graph_type *maker_type_of(const struct maker *maker, uint32_t operand)
{
    return &maker->graph->operands[operand].type;
}

/* Adds a result; maker_add also adds the operation that computes the result. */
uint32_t maker_result(struct maker *maker, const struct graph_type *type);
bool maker_add(struct maker *maker, int32_t code, uint32_t input_count, const uint32_t *inputs,
               const struct graph_type *result);

#endif
