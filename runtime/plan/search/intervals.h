#ifndef HY_RUNTIME_PLAN_SEARCH_INTERVALS_H
#define HY_RUNTIME_PLAN_SEARCH_INTERVALS_H

#include "runtime/plan/search/partition.h"

/* Beginnings of the current step that are kept in mind for each device. */
#define HY_INTERVAL_STARTS 8u

/* A step that may be under way: it began at place `start` of the order. */
struct hy_interval {
    uint32_t start;
    double spent; /* by everything so far, without the cost of what `live` counts */
    double live;  /* bytes that the step has made and somebody still has to read */
};

/* Who reads an operand last, where that is the caller of the graph. */
#define HY_NEVER_LAST UINT32_MAX

/* An operand as the run meets it; four of them to a cache line. Places count from 1 here, so that 0
 * is before all of them. */
struct hy_passage {
    float bytes;
    uint32_t written;   /* 0: it comes from outside the graph */
    uint32_t last_seen; /* where it was touched last so far */
    uint32_t last_use;  /* where it is read last, or HY_NEVER_LAST */
};

/* A device with what may be under way on it: starts ascend, costs descend. */
struct hy_lane {
    uint32_t count;
    struct hy_interval intervals[HY_INTERVAL_STARTS + 1]; /* one more while a new one comes in */
};

/*
 * Divides an order of operations into steps at the least cost. What a piece of an order costs as a
 * step on a device depends on nothing outside it; so the best plan up to a place is the best up to
 * the start of its last step, and that step. Of all starts a device could have, those are dropped
 * at once that a later one can no longer beat, and of the others all but the HY_INTERVAL_STARTS
 * cheapest: so the work is linear, and the result exact in all but rare cases. Holds the room for
 * any number of runs over one graph.
 */
struct hy_intervals {
    const struct hy_flow *flow;
    const struct hy_cost_model *cost_model;
    struct hy_passage *passages; /* [operand] */
    uint32_t *touched;           /* operands, place by place: what is read, then what is written */
    uint32_t *reads_at;          /* [place]: where they start in `touched`; one entry more */
    uint32_t *writes_at;         /* [place]: where those that are written start */
    double *best;                /* [place]: cost of all before it */
    uint32_t *device;            /* [place]: of the best step that ends there */
    uint32_t *start;             /* [place]: its start */
    struct hy_lane *lanes;       /* [device] */
    uint64_t visited;            /* operations, over all runs */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_intervals_init(struct hy_intervals *intervals,
                                             const struct hy_flow *flow,
                                             const struct hy_cost_model *cost_model,
                                             struct hy_arena *arena, struct hy_error *err);

/*
 * Linear in operations and operands, for each device. `order`, of all operations, may be that of
 * `ret`. Returns the cost, without cost_model.least; neighbours that turn out to be one step cost
 * less.
 */
double hy_intervals_run(struct hy_intervals *intervals, const uint32_t *order,
                        struct hy_partition *ret);

#endif
