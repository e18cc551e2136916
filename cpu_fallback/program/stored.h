#ifndef HY_CPU_FALLBACK_PROGRAM_STORED_H
#define HY_CPU_FALLBACK_PROGRAM_STORED_H

#include "cpu_fallback/program/program.h"

/*
 * Reads the stored input of a DEQUANTIZE instead of its float output. graph->stored names the
 * operand to read. Errors: HY_OUT_OF_MEMORY.
 *
 * int8 filters are packed directly by float32 convolutions: as bytes (conv_hybrid.h), or as
 * temporary floats of one filter at a time. An operand qualifies if it has the value of a constant
 * with zero points of 0 and has no other use. Its DEQUANTIZE is dropped and counts as folded; the
 * operand becomes a constant without data.
 */
HY_MUST_CHECK enum hy_code hy_cpu_use_stored_filters(struct hy_cpu_program *program,
                                                     struct hy_error *err);

/* The constant with the stored filter of operation `index`; NULL: the filter is floats. */
const struct hy_value *hy_cpu_stored_filter(const struct hy_cpu_graph *graph, uint32_t index);

/*
 * DETECTION_POSTPROCESSING reads few of its boxes and anchors, so a DEQUANTIZE with no other reader
 * is absorbed. Restored programs need this pass, too, because the cache holds the original
 * operations. Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cpu_read_stored(struct hy_cpu_program *program, struct hy_error *err);

#endif
