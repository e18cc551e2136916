#ifndef HY_CPU_FALLBACK_TUNING_TUNING_H
#define HY_CPU_FALLBACK_TUNING_TUNING_H

#include "cpu_fallback/device.h"
#include "cpu_fallback/prepared.h"

/*
 * The second stage of compilation. A prepared model is first cut by rule; when it has run often
 * enough, the host runs a task later that measures what else its operations can be cut to, and
 * hands the fastest to the executions that start from then on. With cache files the choices are
 * kept: a model that comes from there with them is not tuned again.
 *
 * Models whose shapes are not all declared, and operations that are soon done, stay as they are.
 */

/* Runs, on one of the prepared model's contexts, after which it is tuned. */
#define HY_CPU_TUNING_RUNS 32u

/*
 * Has a prepared model tuned some day, if the device tunes, the host runs tasks later, there is
 * something to choose, and it has not been chosen already. Without memory it stays as it is.
 */
void hy_cpu_tuning_attach(const struct hy_cpu_device *device,
                          const struct hy_prepare_options *options,
                          struct hy_cpu_prepared *prepared);

/* After a run in this context. `tuning` may be NULL. Only the one run that is the last to be waited
 * for does more than count: it asks the host for the task. */
void hy_cpu_tuning_note_run(struct hy_cpu_tuning *tuning, struct hy_cpu_context *context);

/* Waits for a measurement that is under way, no longer; a task that has not begun will do nothing.
 * Takes NULL. */
void hy_cpu_tuning_destroy(struct hy_cpu_tuning *tuning);

#endif
