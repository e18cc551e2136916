/*
 * The instances of one program: made when they are needed, kept, and never more than a limit, since
 * each has its own copy of the weights. Taking and giving back an idle one is an exchange of
 * pointers; only who finds none, with the limit reached, waits for another thread.
 */
#ifndef XD_INSTANCES_H
#define XD_INSTANCES_H

#include "instance.h"

struct xd_instances;

/* Makes the first instance: it alone has `threads`. Errors: those of xd_instance_create. */
int32_t xd_instances_create(const struct xd_program *program, uint32_t threads,
                            const struct hy_message *message, struct xd_instances **ret);
void xd_instances_destroy(struct xd_instances *instances);

/* An instance on loan. */
struct xd_lease {
    struct xd_instance *instance;
    uint32_t slot; /* where it belongs */
    bool is_alone; /* nothing else of the program ran when it began: threads may help */
};

/* Errors: MISSED_DEADLINE_TRANSIENT. */
int32_t xd_instances_acquire(struct xd_instances *instances, int64_t deadline,
                             const struct hy_message *message, struct xd_lease *ret);
void xd_instances_release(struct xd_instances *instances, const struct xd_lease *lease);

#endif
