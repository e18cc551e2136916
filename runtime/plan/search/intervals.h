#ifndef HY_RUNTIME_PLAN_SEARCH_INTERVALS_H
#define HY_RUNTIME_PLAN_SEARCH_INTERVALS_H

#include "runtime/plan/search/partition.h"

/* Number of possible starts of the current step stored for each device. */
#define HY_INTERVAL_STARTS 8u

/* A possible current step, which began at position `start` of the order. */
struct hy_interval {
    uint32_t start;
    double spent; /* cost so far, without the transfer of `live` */
    double live;  /* bytes written by the step that later operations read */
};

/* The last use of an operand that is an output of the graph. */
#define HY_NEVER_LAST UINT32_MAX

/* An operand during a run; four operands fit a cache line. Positions count from 1; 0 is before all
 * positions. */
struct hy_passage {
    float bytes;
    uint32_t written;   /* 0: an input of the graph */
    uint32_t last_seen; /* last position so far that touches the operand */
    uint32_t last_use;  /* position of the last read, or HY_NEVER_LAST */
};

/* The possible current steps of a device, with ascending starts and descending costs. */
struct hy_lane {
    uint32_t count;
    struct hy_interval intervals[HY_INTERVAL_STARTS + 1]; /* one more for insertion */
};

/*
 * Divides an order of operations into steps at the lowest cost. The cost of a step on a device
 * depends only on its own operations. Therefore the best plan up to a position is the best plan up
 * to the start of its last step, plus the last step. For each device, a start is dropped if a later
 * start is at least as good, and only the HY_INTERVAL_STARTS cheapest starts stay. The work is
 * linear, and the result is exact except in rare cases. The struct has the memory for any number of
 * runs over one graph.
 */
struct hy_intervals {
    const struct hy_flow *flow;
    const struct hy_cost_model *cost_model;
    struct hy_passage *passages; /* [operand] */
    uint32_t *touched;           /* operands by position: reads, then writes */
    uint32_t *reads_at;          /* [position]: start in `touched`; one entry more */
    uint32_t *writes_at;         /* [position]: start of the writes */
    double *best;                /* [position]: cost of everything before */
    uint32_t *device;            /* [position]: device of the best step that ends here */
    uint32_t *start;             /* [position]: start of the best step that ends here */
    struct hy_lane *lanes;       /* [device] */
    uint64_t visited;            /* operations visited in all runs */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_intervals_init(struct hy_intervals *intervals,
                                             const struct hy_flow *flow,
                                             const struct hy_cost_model *cost_model,
                                             struct hy_arena *arena, struct hy_error *err);

/*
 * Divides `order`, an order of all operations; `order` may be the array of `ret`. Returns the cost
 * without cost_model.least. Adjacent steps merged into one cost less. Linear in operations and
 * operands, for each device.
 */
double hy_intervals_run(struct hy_intervals *intervals, const uint32_t *order,
                        struct hy_partition *ret);

#endif
