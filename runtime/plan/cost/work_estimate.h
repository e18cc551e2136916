#ifndef HY_RUNTIME_PLAN_COST_WORK_ESTIMATE_H
#define HY_RUNTIME_PLAN_COST_WORK_ESTIMATE_H

#include "halyard/driver.h"

/* Assumed number of elements of a tensor with unknown size. */
#define HY_UNKNOWN_ELEMENTS 16384.0

/*
 * The estimated work of an operation, from its kind and shapes. Units are multiply-accumulates for
 * operations with weights, and elements for all others; units are comparable for one kind of
 * operation and one type. The time is an estimate for halyard-cpu from rates measured on one
 * machine (docs/planning.md). The proportions between operations are right, but absolute times
 * differ between machines.
 */
struct hy_work_estimate {
    double units;
    double ns;
};

struct hy_work_estimate hy_work_estimate_of(const struct hy_subgraph *graph,
                                            const struct hy_operation *operation);

#endif
