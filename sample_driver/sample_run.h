/* Execution of programs. */
#ifndef SAMPLE_RUN_H
#define SAMPLE_RUN_H

#include "driver_kit/request_binding.h"
#include "program.h"

/* Implements hy_device.execute: checks the request, runs all steps and writes the result. Any
 * number of threads may run the same program at once. */
int32_t sample_program_run(struct sample_program *program, const struct hy_request_target *target,
                           const struct hy_request *request, const struct hy_run_options *options,
                           struct hy_result *result);

/* Preallocates the working memory of one execution, so executions by a single thread never
 * allocate. False: out of memory. */
bool sample_scratch_ready(struct sample_program *program);

#endif
