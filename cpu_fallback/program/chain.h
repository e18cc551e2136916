#ifndef HY_CPU_FALLBACK_PROGRAM_CHAIN_H
#define HY_CPU_FALLBACK_PROGRAM_CHAIN_H

#include "cpu_fallback/program/plan.h"

/*
 * Chains of steps. Each step of a chain is the only reader of the step before it, pixel by pixel,
 * for example a depthwise convolution and the 1x1 convolution behind it, or a convolution and its
 * PRELU, ADD or HARD_SWISH. A chain is computed band by band (band.h): intermediate tensors stay in
 * the L2 cache of the processor and have no memory in the arena. A convolution may also read a
 * window of several lines if its whole input does not stay in the L2 cache, for example a depthwise
 * convolution behind a 1x1 convolution with many output channels.
 *
 * Each step of a chain runs the same kernel as it would run alone, and adds in the same order.
 *
 * The last step of a chain runs the whole chain: its hy_cpu_plan_step.step.params is the struct
 * hy_chain (chain_parts.h), and its hy_cpu_plan_step.step.scratch holds the bands. The other steps
 * have hy_cpu_plan_step.is_joined, and do nothing by themselves.
 */

/*
 * Joins the steps of a plan to chains that pay, and lays the plan out again. The plan has a layout
 * (hy_cpu_plan_lay_out). If the new arena would be larger by more than the largest scratch of a
 * chain, all steps stay separate. HY_OK, also if the plan is unchanged: no chain pays, or the arena
 * would grow. Errors: HY_OUT_OF_MEMORY; the plan may have some of its chains, so the caller
 * destroys the plan.
 */
HY_MUST_CHECK enum hy_code hy_cpu_chain_join(const struct hy_cpu_program *program,
                                             struct hy_cpu_plan *plan, struct hy_error *err);

#endif
