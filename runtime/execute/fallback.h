#ifndef HY_RUNTIME_FALLBACK_H
#define HY_RUNTIME_FALLBACK_H

#include "runtime/execute/run_call.h"

/* Runs the fallback steps of the plan after a device has failed (plan/fallback_step.h). Repeated
 * failures put the device into quarantine (health.h). */

/* True if another device may succeed after `device` has ended with `code`. False for an
 * insufficient output, for a missed deadline, and for a loop timeout on a built-in device, because
 * other devices would fail in the same way. */
bool hy_fallback_may_help(const struct hy_run *run, const struct hy_runtime_device *device,
                          enum hy_code code);

/*
 * Runs the fallback steps of a step in order until one succeeds. Data in memory of the step's
 * device is copied to bounce buffers for the fallback. `err`, never NULL, holds the previous
 * failure, and the texts of failing fallback steps are appended. `should_log`: log each fallback
 * step. Returns the code of the last fallback step, the code in `err` without a fallback step, or
 * FAILED without a bounce buffer.
 */
HY_MUST_CHECK enum hy_code hy_fallback_call(struct hy_run *run, const struct hy_step *step,
                                            struct hy_bound_step *bound, bool should_log,
                                            struct hy_error *err);

/*
 * Compiles the step anew on its own device and runs it. Needed if the prepared model of the plan
 * reads a truncated cache file. Errors: those of preparing and of hy_run_call.
 */
HY_MUST_CHECK enum hy_code hy_fallback_call_anew(struct hy_run *run, const struct hy_step *step,
                                                 struct hy_bound_step *bound, struct hy_error *err);

/* Notes the failure of a device. `failure` is the code of the device, `outcome` the code of its
 * fallback steps. A failure counts against the device if a fallback has succeeded or the device is
 * unavailable or dead. */
void hy_fallback_note_failure(const struct hy_runtime_device *device, enum hy_code failure,
                              enum hy_code outcome);

/* True if the device is in quarantine, and fallback steps come first. */
bool hy_fallback_is_in_quarantine(const struct hy_runtime_device *device);

#endif
