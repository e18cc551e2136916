#ifndef HY_CPU_FALLBACK_RUN_REUSABLE_H
#define HY_CPU_FALLBACK_RUN_REUSABLE_H

#include "cpu_fallback/prepared.h"

/*
 * One request, to be run many times on one prepared model, one run at a time. What can be found out
 * before the first run is not looked at again. The request and what it points to belong to the
 * caller and stay until the end; tensors may change between runs.
 */
struct hy_cpu_reusable;

/* `given`: as in hy_cpu_prepared_execute, for every run. `cancelled`, `measure`: as in
 * hy_run_options. Errors: those of request.h, and HY_FAILED (shapes that do not go through). A
 * request with outputs that turn out too small is no error before it runs. */
HY_MUST_CHECK enum hy_code
hy_cpu_reusable_create(struct hy_cpu_prepared *prepared, const struct hy_request *request,
                       struct hy_cpu_block given, uint64_t loop_timeout, const uint32_t *cancelled,
                       bool measure, struct hy_cpu_reusable **out, struct hy_error *err);
void hy_cpu_reusable_destroy(struct hy_cpu_reusable *reusable); /* takes NULL */

/* One run; writes shapes and times. Errors: those of hy_cpu_prepared_execute, and BAD_DATA (a
 * result with another number of outputs). */
HY_MUST_CHECK enum hy_code hy_cpu_reusable_execute(struct hy_cpu_reusable *reusable,
                                                   int64_t deadline, struct hy_result *result,
                                                   struct hy_error *err);

#endif
