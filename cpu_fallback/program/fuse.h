#ifndef HY_CPU_FALLBACK_PROGRAM_FUSE_H
#define HY_CPU_FALLBACK_PROGRAM_FUSE_H

#include "cpu_fallback/program/program.h"

/*
 * Fuses neighbouring operations. A convolution takes over the zeros of a PAD before it. An
 * operation with an activation takes over the RELU, RELU1 or RELU6 that is the only reader of its
 * output. Results keep every bit if weights are finite: a zero of a PAD times infinity is NaN, and
 * a convolution skips its own padding.
 *
 * Only sizes, pads and activations that are known at compile time are fused. Fused RELUs are
 * dropped here. PADs without readers are dropped by hy_cpu_fold, which comes next. Errors:
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_fuse(struct hy_cpu_program *program, struct hy_error *err);

#endif
