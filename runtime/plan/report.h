#ifndef HY_RUNTIME_PLAN_REPORT_H
#define HY_RUNTIME_PLAN_REPORT_H

#include "runtime/plan/plan.h"

/*
 * Fills plan->why, plan->index_of and plan->fallback_count from the choices made, and writes the
 * one warning line of a compilation that did not go where it could. An operation fell back when it
 * is on the CPU although there is another device, and none of those takes it, or when the whole
 * model had to go to one device. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_explain(struct hy_plan *plan, struct hy_error *err);

/* Fills predicted_ns of the plan and of its steps. `times` as in hy_plan_search. */
void hy_plan_predict(struct hy_plan *plan, const double *times);

/* The token of a step, see cache/identity.h: that of its cache entry, or what it would be. Where it
 * is not known yet, all constants of the step are read. */
HY_MUST_CHECK enum hy_code hy_plan_step_token(const struct hy_plan *plan,
                                              const struct hy_step *step,
                                              uint8_t token[HY_TOKEN_SIZE], struct hy_error *err);

#endif
