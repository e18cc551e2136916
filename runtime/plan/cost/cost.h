#ifndef HY_RUNTIME_PLAN_COST_COST_H
#define HY_RUNTIME_PLAN_COST_COST_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "runtime/plan/cost/work_estimate.h"
#include "runtime/profile/profile.h"

/* How often the body of a WHILE is taken to run: nothing in a model tells. */
#define HY_ASSUMED_ITERATIONS 8.0

/* What an IF or WHILE costs on halyard-cpu beside its bodies. */
#define HY_CONTROL_FLOW_NS 500.0

/* What a type that a driver does not list counts as: as slow as can be. */
#define HY_SLOWEST_RATIO 1e9

/* What is known of the speed of a device. */
struct hy_cost_basis {
    const struct hy_capabilities *capabilities;
    const struct hy_profile *profile;        /* measured on it, or NULL */
    const struct hy_profile *cpu_profile;    /* measured on halyard-cpu, or NULL */
    const struct hy_work_estimate *estimate; /* [operation] of the main subgraph */
    int32_t preference;                      /* HY_PREFER_* */
};

/*
 * What each operation of the main subgraph takes on a device, in nanoseconds: as measured where
 * something like it was; else its time on halyard-cpu, measured or estimated, times the figure that
 * the driver declares for the type of its first operand (relaxed figures for float32 in a relaxed
 * model; for a type of an extension those of the nearest type of NNAPI, or 1). IF takes its
 * overhead and the mean of both branches, WHILE its overhead, and the condition and body as often
 * as assumed; what reads constants alone takes nothing. `costs` are the same as `times`, except
 * with HY_PREFER_LOW_POWER: there they are energy, in nanoseconds of halyard-cpu's power. Errors:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_costs(const struct hy_cost_basis *basis,
                                         const struct hy_model *model, struct hy_arena *arena,
                                         double *times, double *costs, struct hy_error *err);

#endif
