#ifndef HY_RUNTIME_PLAN_STEP_MODEL_H
#define HY_RUNTIME_PLAN_STEP_MODEL_H

#include "runtime/plan/plan.h"
#include "runtime/plan/search/partition.h"

/*
 * Fills plan->steps and plan->tensors from a partition. A single step uses the app's model. Each of
 * several steps gets its own model with renumbered operands, and shares values and pools with the
 * app's model. Inputs of a step are the used inputs of the model and results of earlier steps.
 * Outputs are all results used by the app or by later steps. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_step_models_make(struct hy_plan *plan, struct hy_plan_search *search,
                                               const struct hy_partition *partition,
                                               struct hy_error *err);

#endif
