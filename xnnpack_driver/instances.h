/*
 * A pool of instances of one program. Instances are created on demand, kept, and limited in number,
 * because each instance has its own copy of the weights. Acquiring or returning an idle instance is
 * one atomic exchange. A thread only waits if no instance is idle and the limit is reached.
 */
#ifndef XD_INSTANCES_H
#define XD_INSTANCES_H

#include "instance.h"

struct xd_instances;

/* Creates the pool with a first instance. Only the first instance has `threads` threads. Errors:
 * those of xd_instance_create. */
int32_t xd_instances_create(const struct xd_program *program, uint32_t threads,
                            const struct hy_message *message, struct xd_instances **ret);
void xd_instances_destroy(struct xd_instances *instances);

/* An acquired instance. */
struct xd_lease {
    struct xd_instance *instance;
    uint32_t slot; /* of the pool */
    bool is_alone; /* no other run of the program was active: threads may help */
};

/* Acquires an instance; return the instance with xd_instances_release. Errors:
 * HY_STATUS_MISSED_DEADLINE_TRANSIENT (no instance became idle before the deadline). */
int32_t xd_instances_acquire(struct xd_instances *instances, int64_t deadline,
                             const struct hy_message *message, struct xd_lease *ret);
void xd_instances_release(struct xd_instances *instances, const struct xd_lease *lease);

#endif
