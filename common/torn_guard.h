#ifndef HY_COMMON_TORN_GUARD_H
#define HY_COMMON_TORN_GUARD_H

#include "common/error.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Files that somebody else can cut short, while they are mapped here: a client's memory in a
 * service, large cache files in an app. Whoever then touches what is gone gets SIGBUS. For mappings
 * that are registered here such a fault is answered with zero pages, from the page touched to the
 * end of the mapping, and the mapping counts as torn from then on: what was computed from it is
 * worth nothing. Every other SIGBUS goes to the handler that was there before the guard. A handler
 * that is set after the guard has to pass on what is not its own.
 */
#define HY_TORN_GUARD_SLOTS 8192u

/* Sets the handler, once for the process, which keeps it; later calls do nothing. Errors: FAILED.
 */
HY_MUST_CHECK enum hy_code hy_torn_guard_install(struct hy_error *err);

/*
 * Registers a mapping, `address` being at a page. `torn` becomes true at its first fault; it stays
 * with the caller until the removal. Errors: EXHAUSTED (all slots are taken).
 */
HY_MUST_CHECK enum hy_code hy_torn_guard_add(void *address, size_t bytes, atomic_bool *torn,
                                             uint32_t *slot, struct hy_error *err);

/* Before the mapping goes, while nobody touches it any more. */
void hy_torn_guard_remove(uint32_t slot);

/*
 * Around reading such a mapping on a thread of the app's, which may have blocked SIGBUS: a fault on
 * a thread that blocks the signal ends the process, whatever the handler. True: the thread had
 * blocked the signal, and hy_torn_guard_leave restores its mask. A thread that was found to take
 * the signal is not asked again, so that reading costs no system call.
 */
HY_MUST_CHECK bool hy_torn_guard_enter(sigset_t *before);
void hy_torn_guard_leave(const sigset_t *before);

/* Around fork(): the child goes on with a lock that nobody holds. */
void hy_torn_guard_fork_before(void);
void hy_torn_guard_fork_after(void);

#endif
