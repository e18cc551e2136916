#ifndef HY_RUNTIME_PLAN_COST_H
#define HY_RUNTIME_PLAN_COST_H

#include "common/arena.h"
#include "common/error.h"
#include "halyard/driver.h"

/*
 * What each operation of the main subgraph costs on a device by the driver's own declaration: the
 * figure for the type of the operation's first operand, time or power by preference, relaxed
 * figures for float32 in a relaxed model. IF costs its overhead and the mean of both branches,
 * WHILE its overhead, condition and body once. A type that is not listed costs FLT_MAX. Errors:
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_costs(const struct hy_capabilities *capabilities,
                                         const struct hy_model *model, int32_t preference,
                                         struct hy_arena *arena, double *costs,
                                         struct hy_error *err);

#endif
