#ifndef HY_RUNTIME_PLAN_STEP_MODEL_H
#define HY_RUNTIME_PLAN_STEP_MODEL_H

#include "runtime/plan/plan.h"
#include "runtime/plan/search/partition.h"

/*
 * Fills plan->steps and plan->tensors from a partition. A single step gets the app's model as it
 * is. Each of several gets a model of its own: operands renumbered, values and pools shared with
 * the app's; inputs are what it reads of the model's inputs and of earlier steps, outputs what the
 * app or later steps read. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_step_models_make(struct hy_plan *plan, struct hy_plan_search *search,
                                               const struct hy_partition *partition,
                                               struct hy_error *err);

#endif
