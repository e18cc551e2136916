#ifndef HY_TESTS_SCENARIOS_GRAPHS_GENERATOR_H
#define HY_TESTS_SCENARIOS_GRAPHS_GENERATOR_H

#include "common/random.h"
#include "tests/scenarios/graphs/graph.h"

/* Adds random operations to a graph. Type letters are those of common/operations/signatures.def. */
#define GENERATOR_NONE         UINT32_MAX
#define GENERATOR_ELEMENTS_MAX 256u /* of a tensor */

struct generator {
    struct graph *graph;
    struct hy_random chance;
    bool is_dynamic; /* the model has few known shapes; some depend on computed values */
    bool is_flat;    /* no IF and WHILE */
};

/* Adds one operation. Returns false without adding if the graph has no suitable operands. */
typedef bool generator_fn(struct generator *generator);
generator_fn generator_arithmetic, generator_unary, generator_compare, generator_logical,
    generator_select, generator_convert;
generator_fn generator_reshape, generator_transpose, generator_concatenate, generator_slice,
    generator_dynamic_slice, generator_pad, generator_split, generator_expand, generator_tile,
    generator_reverse;
generator_fn generator_reduce, generator_arg_min_max, generator_softmax, generator_fully_connected;
generator_fn generator_if, generator_while;

/* Adds inputs of all types to a new graph. */
void generator_inputs(struct generator *generator);

/* Adds `count` operations. */
void generator_operations(struct generator *generator, uint32_t count);

/* ---- For makers ------------------------------------------------------------------------------ */

static inline uint32_t generator_below(struct generator *generator, uint32_t limit)
{
    return hy_random_below(&generator->chance, limit);
}

/* A random character of `letters`. */
char generator_letter(struct generator *generator, const char *letters);

/* The type of a letter, without shape. Quantised types get a random scale and zero point. */
struct graph_type generator_type(struct generator *generator, char letter);
bool generator_is(const struct graph_type *type, const char *letters);

/* A tensor with one of the types and a rank up to `rank_max`, or GENERATOR_NONE. */
uint32_t generator_pick(struct generator *generator, const char *letters, uint32_t rank_max);

/* Another tensor with the type and shape of `like`, and with `exactly` the same scale. Returns
 * `like` if no other tensor is found. */
uint32_t generator_pick_like(struct generator *generator, uint32_t like, bool exactly);

/* Writes random values. `values` needs capacity for GENERATOR_ELEMENTS_MAX elements of 8 bytes. */
void generator_values(struct generator *generator, const struct graph_type *type, void *values);
uint32_t generator_constant(struct generator *generator, const struct graph_type *type);

static inline const struct graph_type *generator_type_of(const struct generator *generator,
                                                         uint32_t operand)
{
    return &generator->graph->operands[operand].type;
}

/* Adds a result; generator_add also adds the operation that computes the result. */
uint32_t generator_result(struct generator *generator, const struct graph_type *type);
bool generator_add(struct generator *generator, int32_t code, uint32_t input_count,
                   const uint32_t *inputs, const struct graph_type *result);

#endif
