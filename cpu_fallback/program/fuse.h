#ifndef HY_CPU_FALLBACK_PROGRAM_FUSE_H
#define HY_CPU_FALLBACK_PROGRAM_FUSE_H

#include "cpu_fallback/program/program.h"

/*
 * Gives operations what their neighbours do besides: a convolution the zeros that a PAD puts around
 * its input, and whatever ends with an activation the RELU, RELU1 or RELU6 that alone reads it. Not
 * a bit of any result changes where weights are finite (a zero of a PAD times infinity is NaN; a
 * convolution leaves its own zeros out).
 *
 * Only what is known before there is a request counts: sizes, pads, activations. The RELUs are
 * dropped here, and PADs that nobody reads any more by folding, which comes next. HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_fuse(struct hy_cpu_program *program, struct hy_error *err);

#endif
