#ifndef HY_RUNTIME_EXECUTE_RUN_STEP_H
#define HY_RUNTIME_EXECUTE_RUN_STEP_H

#include "runtime/execute/run_call.h"

/*
 * Runs step `index` of the plan on its device, or where the device fails or is in quarantine on
 * those that stand in for it; then notes the shapes of its outputs and passes them on. Errors:
 * those of hy_run_call and hy_fallback_call; UNMAPPABLE. Where memory of the device is lost with
 * the step, `has_lost_buffers` of the run says so.
 */
HY_MUST_CHECK enum hy_code hy_run_step(struct hy_run *run, uint32_t index, struct hy_error *err);

#endif
