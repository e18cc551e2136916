#ifndef HY_RUNTIME_FALLBACK_H
#define HY_RUNTIME_FALLBACK_H

#include "runtime/execute/run_call.h"

/* What becomes of a step whose device fails: the fallback steps of the plan run it (see
 * plan/fallback_step.h), and the device is left out for a while if it fails again and again (see
 * health.h). */

/* Whether another device may do better than this one, which has ended with `code`. Outputs that are
 * too small are so everywhere, and who is late is late. A loop that takes too long on our own
 * devices does so on the others, too. */
bool hy_fallback_may_help(const struct hy_run *run, const struct hy_runtime_device *device,
                          enum hy_code code);

/*
 * Runs the step on its fallback steps, one after the other, until one does; lends them what lies in
 * memory of the step's device. `err`, never NULL, holds the failure before, and gets the words of
 * those that fail as well. `is_told`: each fallback step is worth a line in the log. Returns the
 * code of the last that ran; that in `err` if there was none; FAILED if memory could not be lent.
 */
HY_MUST_CHECK enum hy_code hy_fallback_call(struct hy_run *run, const struct hy_step *step,
                                            struct hy_bound_step *bound, bool is_told,
                                            struct hy_error *err);

/*
 * Runs the step on its own device, compiled anew: the prepared model of the plan reads a cache file
 * that somebody has cut. Errors: what preparing gives; those of hy_run_call.
 */
HY_MUST_CHECK enum hy_code hy_fallback_call_anew(struct hy_run *run, const struct hy_step *step,
                                                 struct hy_bound_step *bound, struct hy_error *err);

/* After the device failed with `failure`, and its fallback steps with `outcome`: a device is to
 * blame for what another can do, and for being away. */
void hy_fallback_note_failure(const struct hy_runtime_device *device, enum hy_code failure,
                              enum hy_code outcome);

/* Whether the device is in quarantine, so that fallback steps come first. */
bool hy_fallback_is_due(const struct hy_runtime_device *device);

#endif
