/*
 * The private state of one execution of a program: operators of XNNPACK with their addresses, an
 * arena for intermediate tensors, and optional threads.
 */
#ifndef XD_INSTANCE_H
#define XD_INSTANCE_H

#include "program.h"

struct hy_bound_argument;
struct xd_instance;

/*
 * Creates an instance and packs its weights. `threads`: number of threads for one execution,
 * including the caller. Returns HY_STATUS_OK, or, with a text in `message`,
 * HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT or HY_STATUS_GENERAL_FAILURE.
 */
int32_t xd_instance_create(const struct xd_program *program, uint32_t threads,
                           const struct hy_message *message, struct xd_instance **ret);
void xd_instance_destroy(struct xd_instance *instance);

/* One address for each argument of the program, written by the caller before a run. */
const uint8_t **xd_instance_arguments(struct xd_instance *instance);

/* The binding of each argument of a request, written by the caller before a run. */
struct hy_bound_argument *xd_instance_bound(struct xd_instance *instance);

/* Memory for a copy of input `input`, for an input that is not readable in place. */
uint8_t *xd_instance_input_buffer(struct xd_instance *instance, uint32_t input);

/*
 * Runs the program once on the addresses in xd_instance_arguments. An input must be aligned to its
 * elements and have XNN_EXTRA_BYTES readable bytes after its end. Nothing is allocated.
 * `may_use_threads`: the threads of the instance help. Returns HY_STATUS_OK,
 * HY_STATUS_MISSED_DEADLINE_TRANSIENT (deadline or cancellation, checked before each operator) or
 * HY_STATUS_GENERAL_FAILURE.
 */
int32_t xd_instance_run(struct xd_instance *instance, bool may_use_threads, int64_t deadline,
                        const uint32_t *cancelled);

#endif
