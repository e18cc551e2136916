#ifndef HY_CPU_FALLBACK_PROGRAM_PLAN_MEMORY_H
#define HY_CPU_FALLBACK_PROGRAM_PLAN_MEMORY_H

#include "cpu_fallback/program/plan.h"

/*
 * Assigns an offset in the arena to every temporary of known size: sets `offsets` and `arena` of a
 * plan whose steps are complete. The output of a RESHAPE shares the memory of its input. The inputs
 * of a CONCATENATION are written directly into its output if the arena does not grow. Errors:
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_plan_lay_out(const struct hy_cpu_graph *graph,
                                               struct hy_cpu_plan *plan, struct hy_error *err);

#endif
