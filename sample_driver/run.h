/* How a program runs. */
#ifndef SAMPLE_RUN_H
#define SAMPLE_RUN_H

#include "driver_kit/request.h"
#include "program.h"

/* Checks the request, runs all steps and tells the shapes: hy_device.execute. Any number of
 * threads may run one program. */
int32_t sample_program_run(struct sample_program *program, const struct hy_request_target *target,
                           const struct hy_request *request, const struct hy_run_options *options,
                           struct hy_result *result);

/* Working memory for one execution, made beforehand so that a single thread never allocates;
 * false: out of memory. */
bool sample_scratch_ready(struct sample_program *program);

#endif
