#ifndef HY_SERVICE_TORN_GUARD_H
#define HY_SERVICE_TORN_GUARD_H

#include "common/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory that a client shares may be cut short under the eyes of a service, and whoever then
 * touches what is gone gets SIGBUS. For mappings that are registered here such a fault is answered
 * with zero pages, from the page touched to the end of the mapping, and the mapping counts as torn
 * from then on: what was computed from it is worth nothing. Any other SIGBUS takes the way it took
 * before. For processes of our own only: a signal handler in the app would be the app's concern.
 */
#define HY_TORN_GUARD_SLOTS 8192u

/* Sets the handler, once for the process; later calls do nothing. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_torn_guard_install(struct hy_error *err);

/*
 * Registers a mapping, `address` being at a page. `torn` becomes true at its first fault; it stays
 * with the caller until the removal. Errors: EXHAUSTED (all slots are taken).
 */
HY_MUST_CHECK enum hy_code hy_torn_guard_add(void *address, size_t bytes, atomic_bool *torn,
                                             uint32_t *slot, struct hy_error *err);

/* Before the mapping goes, while nobody touches it any more. */
void hy_torn_guard_remove(uint32_t slot);

#endif
