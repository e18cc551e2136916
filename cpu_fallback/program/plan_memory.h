#ifndef HY_CPU_FALLBACK_PROGRAM_PLAN_MEMORY_H
#define HY_CPU_FALLBACK_PROGRAM_PLAN_MEMORY_H

#include "cpu_fallback/program/plan.h"

/*
 * Gives every temporary of known size its place in the plan's arena: sets places and arena of
 * a plan whose steps are done. A RESHAPE shares the place of its input, and
 * what a CONCATENATION puts together lies in its output from the start where that costs no memory.
 */
HY_MUST_CHECK enum hy_code hy_cpu_plan_place(const struct hy_cpu_graph *graph,
                                             struct hy_cpu_plan *plan, struct hy_error *err);

#endif
