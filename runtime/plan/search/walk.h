#ifndef HY_RUNTIME_PLAN_SEARCH_WALK_H
#define HY_RUNTIME_PLAN_SEARCH_WALK_H

#include "runtime/plan/search/partition.h"

enum hy_direction {
    HY_FROM_INPUTS,  /* each operation runs as early as it can */
    HY_FROM_OUTPUTS, /* as late as it can */
};

/* For each operation a list of others. */
struct hy_links {
    uint32_t *first; /* [operation]: where its list in `operations` starts; one entry more */
    uint32_t *operations;
};

/* An operation during a walk. */
struct hy_walk_node {
    float height;     /* launches that wait behind it; four nodes to a cache line */
    uint32_t pending; /* links to it that are still to come */
    uint32_t below;   /* the next in its stack */
    uint32_t device;
};

/*
 * Forms steps from a choice of devices: all that is ready on a device, and all that gets ready by
 * it, make one step. Of devices with something ready the one comes first behind which the longest
 * chain of other launches waits, so that what is ready elsewhere can join a later step. Holds the
 * room for any number of walks over one graph.
 */
struct hy_walk {
    const struct hy_cost_model *cost_model;
    uint32_t operation_count;
    struct hy_links links[2];   /* [direction]: what can run once an operation has */
    struct hy_walk_node *nodes; /* [operation] */
    uint32_t *top;              /* [device]: stack of operations that are ready */
    float *urgency;             /* [device]: the greatest height in its stack */
    uint64_t visited;           /* operations, over all walks */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_walk_init(struct hy_walk *walk, const struct hy_flow *flow,
                                        const struct hy_cost_model *cost_model,
                                        struct hy_arena *arena, struct hy_error *err);

/* Linear in operations and operands; each step costs the number of devices. `device_of`, one for
 * each operation, may be that of `ret`, whose step_of stays as it is. */
void hy_walk_run(struct hy_walk *walk, const uint32_t *device_of, enum hy_direction direction,
                 struct hy_partition *ret);

#endif
