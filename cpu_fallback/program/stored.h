#ifndef HY_CPU_FALLBACK_PROGRAM_STORED_H
#define HY_CPU_FALLBACK_PROGRAM_STORED_H

#include "cpu_fallback/program/program.h"

/*
 * Filters of int8 that a model dequantises for convolutions of float32, and that stay as they are
 * stored: kernels for such filters pack the bytes, and no floats are made of them. An operand is
 * one if it has the value of a DEQUANTIZE of a constant with zero points of 0, and is read as
 * nothing but the filter of CONV_2D with a window of one pixel or of FULLY_CONNECTED; larger
 * windows may be computed by fewer products, of floats.
 *
 * Their DEQUANTIZEs are dropped, and count as folded; they themselves are constants without data.
 * HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_keep_stored(struct hy_cpu_program *program, struct hy_error *err);

/* The constant that the filter of operation `index` is stored as; NULL: it is floats. */
const struct hy_value *hy_cpu_stored_filter(const struct hy_cpu_program *program, uint32_t index);

#endif
