#ifndef HY_RUNTIME_EXECUTE_RUN_STEP_H
#define HY_RUNTIME_EXECUTE_RUN_STEP_H

#include "runtime/execute/run_call.h"

/*
 * Runs step `index` of the plan on its device, or on fallback devices if the device fails or is in
 * quarantine. Notes the shapes of the outputs and passes them on. Sets `has_lost_buffers` of the
 * run if the failed step had data in device memory. Errors: those of hy_run_call and
 * hy_fallback_call; UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_run_step(struct hy_run *run, uint32_t index, struct hy_error *err);

#endif
