#ifndef HY_CPU_FALLBACK_PROGRAM_CHAIN_H
#define HY_CPU_FALLBACK_PROGRAM_CHAIN_H

#include "cpu_fallback/program/plan.h"

/*
 * Chains of steps. Each step of a chain is the only reader of the step before it, pixel by pixel,
 * for example a depthwise convolution and the 1x1 convolution behind it, or a convolution and its
 * PRELU, ADD or HARD_SWISH. A chain is computed band by band (band.h): intermediate tensors stay in
 * the cache and have no memory in the arena. A convolution may also read a window of several lines
 * if its whole input does not stay in the L2 cache, for example a depthwise convolution behind a
 * 1x1 convolution with many output channels.
 *
 * Each step of a chain runs the same kernel as it would run alone, and adds in the same order.
 */

/*
 * Joins the steps of a placed plan to chains that pay, and places the plan again. If the new arena
 * would be larger by more than the scratch of a chain, the plan stays unchanged. Errors:
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_chain_join(const struct hy_cpu_program *program,
                                             struct hy_cpu_plan *plan, struct hy_error *err);

#endif
