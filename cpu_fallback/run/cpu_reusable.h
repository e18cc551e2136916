#ifndef HY_CPU_FALLBACK_RUN_CPU_REUSABLE_H
#define HY_CPU_FALLBACK_RUN_CPU_REUSABLE_H

#include "cpu_fallback/cpu_prepared.h"

/*
 * A request for many runs on the same prepared model. Runs must not overlap. Checks that need no
 * run are made once. The request and all its memory belong to the caller and must outlive the
 * object; the contents of tensors may change between runs.
 */
struct hy_cpu_reusable;

/* `given`: as in hy_cpu_prepared_execute, for every run. `cancelled`, `measure`: as in
 * hy_run_options. Too small outputs are an error of a run, not of this call. Errors: see
 * cpu_request.h, and HY_FAILED (an operation does not accept the shapes). */
HY_MUST_CHECK enum hy_code
hy_cpu_reusable_create(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                       struct hy_cpu_block given, uint64_t loop_timeout, const uint32_t *cancelled,
                       bool measure, struct hy_cpu_reusable **out, struct hy_error *err);
void hy_cpu_reusable_destroy(struct hy_cpu_reusable *reusable); /* NULL is allowed */

/* Runs the request, and writes shapes and times. Errors: those of hy_cpu_prepared_execute, and
 * HY_BAD_DATA (a result with another number of outputs). */
HY_MUST_CHECK enum hy_code hy_cpu_reusable_execute(struct hy_cpu_reusable *reusable,
                                                   int64_t deadline, struct hy_result *result,
                                                   struct hy_error *err);

#endif
