#ifndef HY_TOOLS_VECTORS_MERGE_H
#define HY_TOOLS_VECTORS_MERGE_H

#include "tools/vectors/vector.h"

/*
 * Several tests as one: their operations side by side in one model, so that the planner has
 * something to share out. So that values go from device to device, operations that copy a tensor
 * (RESHAPE to the shape it has, CAST to the type it has) stand before some inputs and behind some
 * outputs; a copy of an output is an output too, and has to be what the output has to be.
 */

/* Where a test is in the model of all. */
struct hy_merge_part {
    const struct hy_vector *test;
    uint32_t first_input;  /* of the model's inputs */
    uint32_t first_output; /* of the model's outputs */
    uint32_t output_count; /* copies included */
};

struct hy_merge {
    struct hy_vector vector; /* as a test of its own */
    uint32_t part_count;
    const struct hy_merge_part *parts;
};

/* Which copies a model gets: devices may lack the operations, or those of some types. */
enum hy_merge_copies {
    HY_MERGE_COPIES,   /* by CAST and RESHAPE */
    HY_MERGE_RESHAPES, /* by RESHAPE alone */
    HY_MERGE_NO_COPIES,
};

/* Tests of one class can be parts of one model; one that has to fail has none to be with. */
#define HY_MERGE_ALONE UINT64_MAX
uint64_t hy_merge_class(const struct hy_vector *test);

/*
 * `seed` says where copies stand. The tests are of one class; `out` shares memory with them, all
 * else is memory of the arena. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_merge_make(const struct hy_vector *const *tests, uint32_t count,
                                         enum hy_merge_copies copies, uint64_t seed,
                                         struct hy_arena *arena, struct hy_merge *out,
                                         struct hy_error *err);

#endif
