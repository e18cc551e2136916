#ifndef HY_CPU_FALLBACK_TUNING_TUNING_H
#define HY_CPU_FALLBACK_TUNING_TUNING_H

#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_prepared.h"

/*
 * The second stage of compilation. A rule decides the first blocking of a prepared model. After
 * HY_CPU_TUNING_RUNS runs, a background task of the host measures other blockings, and later
 * executions use the fastest. The choices are saved in the cache files, if any; a model restored
 * with choices is not tuned again.
 *
 * Models with undeclared shapes, and short operations, are not tuned.
 */

/* Runs on one context of the prepared model before the model is tuned. */
#define HY_CPU_TUNING_RUNS 32u

/*
 * Prepares tuning of a model if the device tunes, the host has background tasks, some operation has
 * several blockings, and the model is not already tuned. Without memory the model is not tuned.
 */
void hy_cpu_tuning_attach(const struct hy_cpu_device *device,
                          const struct hy_prepare_options *options,
                          struct hy_cpu_prepared *prepared);

/* Counts a run of the context. The run that reaches HY_CPU_TUNING_RUNS asks the host for the task.
 * `tuning` may be NULL. */
void hy_cpu_tuning_note_run(struct hy_cpu_tuning *tuning, struct hy_cpu_context *context);

/* Cancels tuning. Waits for a running measurement to stop; a pending task will do nothing. NULL is
 * allowed. */
void hy_cpu_tuning_destroy(struct hy_cpu_tuning *tuning);

#endif
