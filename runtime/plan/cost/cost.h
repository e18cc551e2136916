#ifndef HY_RUNTIME_PLAN_COST_COST_H
#define HY_RUNTIME_PLAN_COST_COST_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "runtime/plan/cost/work_estimate.h"
#include "runtime/profile/profile.h"

/* Assumed number of iterations of a WHILE, as a model does not define the number. */
#define HY_ASSUMED_ITERATIONS 8.0

/* Cost of an IF or WHILE on halyard-cpu without its bodies. */
#define HY_CONTROL_FLOW_NS 500.0

/* Ratio for a type without declared figures: as slow as possible. */
#define HY_SLOWEST_RATIO 1e9

/* Information about the speed of a device. */
struct hy_cost_basis {
    const struct hy_capabilities *capabilities;
    const struct hy_profile *profile;        /* measured on the device, or NULL */
    const struct hy_profile *cpu_profile;    /* measured on halyard-cpu, or NULL */
    const struct hy_work_estimate *estimate; /* [operation] of the main subgraph */
    int32_t preference;                      /* HY_PREFER_* */
};

/*
 * Computes the time of each operation of the main subgraph on a device, in nanoseconds. A measured
 * time of a similar operation comes first. Otherwise the time is the measured or estimated time on
 * halyard-cpu, multiplied by the driver's ratio for the type of the first operand. Relaxed models
 * use the relaxed ratio for float32, and extension types use the ratio of the nearest NNAPI type,
 * or 1. IF takes its overhead and the mean of both branches; WHILE takes its overhead and the
 * assumed iterations of condition and body. Operations that read only constants take no time.
 * `costs` equals `times`, except with HY_PREFER_LOW_POWER: energy, in nanoseconds of halyard-cpu's
 * power. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_costs(const struct hy_cost_basis *basis,
                                         const struct hy_model *model, struct hy_arena *arena,
                                         double *times, double *costs, struct hy_error *err);

#endif
