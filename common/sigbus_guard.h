#ifndef HY_COMMON_SIGBUS_GUARD_H
#define HY_COMMON_SIGBUS_GUARD_H

#include "common/error.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * SIGBUS guard for mapped files that other processes may truncate: memory of a client in a service,
 * large cache files in an app. An access behind the end of a truncated file raises SIGBUS. For
 * registered mappings the guard replaces the pages from the fault to the end of the mapping by zero
 * pages, and marks the mapping as truncated: results computed from the mapping are invalid. Every
 * other SIGBUS goes to the previous handler. A handler installed after the guard must pass on
 * foreign signals.
 */
#define HY_SIGBUS_GUARD_SLOTS 8192u

/* Installs the handler once for the process; later calls do nothing. Errors: FAILED. */
HY_MUST_CHECK enum hy_code hy_sigbus_guard_install(struct hy_error *err);

/*
 * Registers a mapping with a page-aligned `address`. `*truncated` becomes true at the first fault,
 * and must stay valid until removal. Errors: EXHAUSTED (all slots are in use).
 */
HY_MUST_CHECK enum hy_code hy_sigbus_guard_add(void *address, size_t bytes, atomic_bool *truncated,
                                               uint32_t *slot, struct hy_error *err);

/* Call before unmapping, when no thread accesses the mapping any more. */
void hy_sigbus_guard_remove(uint32_t slot);

/*
 * Brackets reads of a guarded mapping on a thread of the app. The app may have blocked SIGBUS, and
 * a fault with a blocked signal ends the process regardless of the handler. True: the signal was
 * blocked and is unblocked now; hy_sigbus_guard_leave restores the mask. A thread without a blocked
 * signal is checked only once, so later reads cost no system call.
 */
HY_MUST_CHECK bool hy_sigbus_guard_enter(sigset_t *before);
void hy_sigbus_guard_leave(const sigset_t *before);

/* Call around fork(): the child gets a free lock. */
void hy_sigbus_guard_fork_before(void);
void hy_sigbus_guard_fork_after(void);

#endif
