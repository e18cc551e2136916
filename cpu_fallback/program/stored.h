#ifndef HY_CPU_FALLBACK_PROGRAM_STORED_H
#define HY_CPU_FALLBACK_PROGRAM_STORED_H

#include "cpu_fallback/program/program.h"

/*
 * Operands that a DEQUANTIZE gives their value, and that operations read as they are stored: no
 * floats are made of them. graph->stored tells what is read instead. HY_OUT_OF_MEMORY.
 *
 * Filters of int8 are read where convolutions of float32 pack them: as bytes, see conv_hybrid.h, or
 * as floats, which are made of one filter at a time for that.
 * An operand is such a filter if it has the value of a constant with zero points of 0, and is read
 * as nothing else. Their DEQUANTIZEs are dropped, and count as folded; they themselves are
 * constants without data.
 */
HY_MUST_CHECK enum hy_code hy_cpu_keep_stored(struct hy_cpu_program *program, struct hy_error *err);

/* The constant that the filter of operation `index` is stored as; NULL: it is floats. */
const struct hy_value *hy_cpu_stored_filter(const struct hy_cpu_graph *graph, uint32_t index);

/*
 * DETECTION_POSTPROCESSING reads few of its boxes and anchors. A DEQUANTIZE of which nothing else
 * reads what it gives is absorbed. Programs from a cache go through this, too: what is cached has
 * the operations as they were.
 */
HY_MUST_CHECK enum hy_code hy_cpu_read_stored(struct hy_cpu_program *program, struct hy_error *err);

#endif
