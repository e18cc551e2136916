#ifndef HY_RUNTIME_PLAN_REPORT_H
#define HY_RUNTIME_PLAN_REPORT_H

#include "runtime/plan/plan.h"

/*
 * Fills plan->why, plan->index_of and plan->fallback_count, and logs one warning for a compilation
 * with fallbacks. An operation fell back if it runs on the CPU although another device exists, and
 * no other device supports the operation. All operations fell back if the whole model had to run on
 * one device. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_explain(struct hy_plan *plan, struct hy_error *err);

/* Fills predicted_ns of the plan and of its steps. `times` is as in hy_plan_search. */
void hy_plan_predict(struct hy_plan *plan, const double *times);

/* Writes the token of a step's cache entry, or the token of a possible entry, see cache/identity.h.
 * Reads all constants of the step if the token is still unknown. */
HY_MUST_CHECK enum hy_code hy_plan_step_token(const struct hy_plan *plan,
                                              const struct hy_step *step,
                                              uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
