#ifndef HY_RUNTIME_PLAN_SEARCH_WALK_H
#define HY_RUNTIME_PLAN_SEARCH_WALK_H

#include "runtime/plan/search/partition.h"

enum hy_direction {
    HY_FROM_INPUTS,  /* each operation runs as early as possible */
    HY_FROM_OUTPUTS, /* each operation runs as late as possible */
};

/* For each operation a list of linked operations. */
struct hy_links {
    uint32_t *first; /* [operation]: start of its list in `operations`; one entry more */
    uint32_t *operations;
};

/* The state of an operation during a walk. */
struct hy_walk_node {
    float height;     /* launches in the longest chain behind it; four nodes per cache line */
    uint32_t pending; /* incoming links not yet visited */
    uint32_t below;   /* next in its stack */
    uint32_t device;
};

/*
 * Forms steps from a choice of devices. A step consists of all operations ready on a device, and of
 * all operations on the device that become ready through the step. The device with the longest
 * chain of waiting launches comes first, because operations ready on other devices can join a later
 * step. The struct has the memory for any number of walks over a single graph.
 */
struct hy_walk {
    const struct hy_cost_model *cost_model;
    uint32_t operation_count;
    struct hy_links links[2];   /* [direction]: operations enabled by an operation */
    struct hy_walk_node *nodes; /* [operation] */
    uint32_t *top;              /* [device]: stack of ready operations */
    float *urgency;             /* [device]: greatest height in its stack */
    uint64_t visited;           /* operations visited in all walks */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_walk_init(struct hy_walk *walk, const struct hy_flow *flow,
                                        const struct hy_cost_model *cost_model,
                                        struct hy_arena *arena, struct hy_error *err);

/* Runs a walk. `device_of` has an entry for each operation and may be the array of `ret`; step_of
 * of `ret` is unchanged. Linear in operations and operands; each step costs the number of
 * devices. */
void hy_walk_run(struct hy_walk *walk, const uint32_t *device_of, enum hy_direction direction,
                 struct hy_partition *ret);

#endif
