#ifndef HY_CPU_FALLBACK_PROGRAM_FOLD_H
#define HY_CPU_FALLBACK_PROGRAM_FOLD_H

#include "cpu_fallback/program/program.h"

/*
 * Constant folding. Runs every operation whose inputs are all constant, and makes its outputs
 * constants, for example a DEQUANTIZE of weights. A DEQUANTIZE of a large constant is folded only
 * if its result is packed or folded further. Afterwards operations whose outputs are never read are
 * dropped. Operations that write an output of the model stay. Errors: those of the operation, with
 * HY_BAD_DATA in place of HY_FAILED; HY_MISSED_DEADLINE (checked after each operation).
 */
HY_MUST_CHECK enum hy_code hy_cpu_fold(struct hy_cpu_program *program, struct hy_error *err);

#endif
