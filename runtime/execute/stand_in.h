#ifndef HY_RUNTIME_STAND_IN_H
#define HY_RUNTIME_STAND_IN_H

#include "runtime/execute/run_call.h"

/* What becomes of a step whose device fails: the stand-ins of the plan run it (see plan/spare.h),
 * and the device is left out for a while if it fails again and again (see health.h). */

/* Whether another device may do better than this one, which has ended with `code`. Outputs that are
 * too small are so everywhere, and who is late is late. A loop that takes too long on our own
 * devices does so on the others, too. */
bool hy_stand_in_may_help(const struct hy_run *run, const struct hy_runtime_device *device,
                          enum hy_code code);

/*
 * Runs the step on its stand-ins, one after the other, until one does; lends them what lies in
 * memory of the step's device. `err`, never NULL, holds the failure before, and gets the words of
 * those that fail as well. `is_told`: each stand-in is worth a line in the log. Returns the code of
 * the last that ran; that in `err` if there was none; FAILED if memory could not be lent.
 */
HY_MUST_CHECK enum hy_code hy_stand_in_call(struct hy_run *run, struct hy_step *step,
                                            struct hy_bound_step *bound, bool is_told,
                                            struct hy_error *err);

/*
 * Runs the step on its own device, compiled anew: the prepared model of the plan reads a cache file
 * that somebody has cut. Errors: what preparing gives; those of hy_run_call.
 */
HY_MUST_CHECK enum hy_code hy_stand_in_call_anew(struct hy_run *run, struct hy_step *step,
                                                 struct hy_bound_step *bound, struct hy_error *err);

/* After the device failed with `failure`, and its stand-ins with `outcome`: a device is to blame
 * for what another can do, and for being away. */
void hy_stand_in_note_failure(const struct hy_runtime_device *device, enum hy_code failure,
                              enum hy_code outcome);

/* Whether the device is in quarantine, so that stand-ins come first. */
bool hy_stand_in_is_due(const struct hy_runtime_device *device);

#endif
