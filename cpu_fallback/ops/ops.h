#ifndef HY_CPU_FALLBACK_OPS_OPS_H
#define HY_CPU_FALLBACK_OPS_OPS_H

#include "cpu_fallback/program/op.h"

/* Declares the functions of the rows of common/operations/ops.def, see op.h. */
#define CPU(resolved, ran, ...) \
    hy_cpu_resolve_fn hy_cpu_##resolved##_resolve; \
    hy_cpu_run_fn hy_cpu_##ran##_run;
#define NO_CPU
#define OP(code, name, level, in_min, in_max, out_min, out_max, work, shapes, cpu) cpu
#define EXTENSION_OP(name, in_min, in_max, out_min, out_max, work, shapes, cpu)    cpu
#include "common/operations/ops.def"

#endif
