/*
 * Memory whose size a model, a buffer or a request decides. The host is asked for it first, where
 * it has a quota (hy_host.memory_reserve, since ABI 1.1).
 */
#ifndef XD_MEMORY_H
#define XD_MEMORY_H

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

/* `count` elements of zeros; or bytes of any content, at a multiple of XD_MEMORY_ALIGNMENT. NULL:
 * the host says no, or there is no memory. */
#define XD_MEMORY_ALIGNMENT 64u
void *xd_zeros(const struct hy_host *host, uint64_t count, size_t size);
void *xd_bytes(const struct hy_host *host, uint64_t bytes);

/* Gives back either, from any thread. Takes NULL. */
void xd_free(void *memory);

/* A question for memory that somebody else allocates. All zero bytes: nothing was asked. */
struct xd_ticket {
    const struct hy_host *host; /* NULL: it was not asked */
    void *reservation;
};

bool xd_ask(const struct hy_host *host, uint64_t bytes, struct xd_ticket *ticket);
void xd_give_back(const struct xd_ticket *ticket);

#endif
