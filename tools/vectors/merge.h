#ifndef HY_TOOLS_VECTORS_MERGE_H
#define HY_TOOLS_VECTORS_MERGE_H

#include "tools/vectors/vector.h"

/*
 * Several tests as one: their operations are parallel in one model, which gives the planner work to
 * distribute. Operations that copy a tensor (RESHAPE to its own shape, CAST to its own type)
 * precede some inputs and follow some outputs: values move between devices. A copy of an output is
 * also an output, with the same expected value.
 */

/* The position of a test in the merged model. */
struct hy_merge_part {
    const struct hy_vector *test;
    uint32_t first_input;  /* index among the model's inputs */
    uint32_t first_output; /* index among the model's outputs */
    uint32_t output_count; /* with copies */
};

struct hy_merge {
    struct hy_vector vector; /* the merged test */
    uint32_t part_count;
    const struct hy_merge_part *parts;
};

/* The kinds of copies in a model: devices may lack the operations, or some of their types. */
enum hy_merge_copies {
    HY_MERGE_COPIES,   /* by CAST and RESHAPE */
    HY_MERGE_RESHAPES, /* by RESHAPE alone */
    HY_MERGE_NO_COPIES,
};

/* Tests of the same class can be parts of a model; a test with an expected failure cannot be
 * merged. */
#define HY_MERGE_ALONE UINT64_MAX
uint64_t hy_merge_class(const struct hy_vector *test);

/*
 * `seed` determines the positions of copies. The tests are of one class; `out` shares memory with
 * the tests, all other memory belongs to the arena. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_merge_make(const struct hy_vector *const *tests, uint32_t count,
                                         enum hy_merge_copies copies, uint64_t seed,
                                         struct hy_arena *arena, struct hy_merge *out,
                                         struct hy_error *err);

#endif
