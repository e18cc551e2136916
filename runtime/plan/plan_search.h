#ifndef HY_RUNTIME_PLAN_SEARCH_STATE_H
#define HY_RUNTIME_PLAN_SEARCH_STATE_H

#include "runtime/plan/search/flow.h"

/*
 * The state of the planner until the plan is prepared. hy_plan_prepare frees the state; finished
 * plans and executions do not use it.
 */
struct hy_plan_search {
    struct hy_arena arena; /* all memory of the search */
    struct hy_flow flow;   /* of the main subgraph; empty before the model is split */
    double *times; /* [device * operation_count + operation]: predicted nanoseconds, for each cell
                      of the support matrix */
};

/* Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plan_search_create(uint32_t device_count, uint32_t operation_count,
                                                 struct hy_plan_search **ret, struct hy_error *err);

/* NULL is allowed. */
void hy_plan_search_destroy(struct hy_plan_search *search);

/* Makes the flow of the graph at the first call. The graph must be the same in all calls. Errors:
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_plan_search_need_flow(struct hy_plan_search *search,
                                                    const struct hy_subgraph *graph,
                                                    struct hy_error *err);

#endif
