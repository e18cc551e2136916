#ifndef HY_RUNTIME_PLAN_COST_WORK_ESTIMATE_H
#define HY_RUNTIME_PLAN_COST_WORK_ESTIMATE_H

#include "halyard/driver.h"

/* What a tensor of unknown size counts as when work is estimated. */
#define HY_UNKNOWN_ELEMENTS 16384.0

/*
 * How much an operation has to do, from its kind and shapes alone. Units are multiplications that
 * are added up where there are weights, else elements; those of one kind of operation and one type
 * compare with each other. The time is an estimate for halyard-cpu: its rates are measured on one
 * machine (see docs/planning.md), so they get the proportions of operations right, not the times of
 * every machine.
 */
struct hy_work_estimate {
    double units;
    double ns;
};

struct hy_work_estimate hy_work_estimate_of(const struct hy_subgraph *graph,
                                            const struct hy_operation *operation);

#endif
