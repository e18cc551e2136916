#ifndef HY_CPU_FALLBACK_PROGRAM_CHAIN_H
#define HY_CPU_FALLBACK_PROGRAM_CHAIN_H

#include "cpu_fallback/program/plan.h"

/*
 * Chains: steps of a plan that follow each other, each of which alone reads what the one before
 * writes, pixel by pixel: a depthwise convolution and the 1x1 convolution behind it, a convolution
 * and its PRELU, ADD or HARD_SWISH. A chain is computed band after band (band.h), so that what lies
 * between two of its steps stays in the cache: it has no place in the arena. Where the second cache
 * would lose it, a convolution may also read lines around its own, as the depthwise one does behind
 * a 1x1 convolution that has made many channels.
 *
 * Each step of a chain runs the kernel that it would run alone, and sums are in the same order.
 */

/*
 * Joins steps of a plan that has been placed to chains where that pays, and places it again. The
 * arena does not become larger but by scratch of chains: where it would, the plan stays as it is.
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_chain_join(const struct hy_cpu_program *program,
                                             struct hy_cpu_plan *plan, struct hy_error *err);

#endif
