#ifndef HY_CPU_FALLBACK_PROGRAM_FOLD_H
#define HY_CPU_FALLBACK_PROGRAM_FOLD_H

#include "cpu_fallback/program/program.h"

/*
 * Runs, once and for all, every operation whose inputs are all constant (a DEQUANTIZE of weights):
 * its outputs become constants. A DEQUANTIZE of a large constant runs each time where nothing packs
 * what it gives. Then drops the operations whose outputs nobody reads. Operations
 * that write an output of the model stay.
 * Errors: as when the operation runs, but HY_BAD_DATA where the model is to blame;
 * HY_MISSED_DEADLINE, looked at after each operation.
 */
HY_MUST_CHECK enum hy_code hy_cpu_fold(struct hy_cpu_program *program, struct hy_error *err);

#endif
