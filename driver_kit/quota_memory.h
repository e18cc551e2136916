/*
 * Memory whose size a model, a buffer or a request decides. The host is asked for the memory first
 * where it has a quota (hy_host.memory_reserve, since ABI 1.1): a service has many clients, and one
 * client must not exhaust the memory of the others. Small structs of a device need no question.
 */
#ifndef HY_DRIVER_KIT_QUOTA_MEMORY_H
#define HY_DRIVER_KIT_QUOTA_MEMORY_H

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

#define HY_QUOTA_ALIGNMENT 64u

/* `count` elements of `size` bytes, above 0, all zero, aligned as malloc aligns. NULL: the host
 * refuses, or there is no memory. */
void *hy_quota_zeros(const struct hy_host *host, uint64_t count, size_t size);

/* `bytes` bytes of any content, at a multiple of HY_QUOTA_ALIGNMENT. NULL: as above. */
void *hy_quota_bytes(const struct hy_host *host, uint64_t bytes);

/* Frees either, from any thread. Takes NULL. */
void hy_quota_free(void *memory);

/* A share of the quota for memory that a library allocates. All zero bytes: nothing is reserved. */
struct hy_reservation {
    const struct hy_host *host; /* NULL: the host was not asked */
    void *handle;
};

/* Asks the host for `bytes` bytes. False: the host refuses, and `reservation` is zero. */
bool hy_reservation_make(const struct hy_host *host, uint64_t bytes,
                         struct hy_reservation *reservation);

/* Once, after the memory is freed, from any thread. */
void hy_reservation_release(const struct hy_reservation *reservation);

#endif
