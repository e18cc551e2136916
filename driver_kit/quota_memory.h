/*
 * Memory for sizes that come from a model, a buffer or a request. If the host has a quota, each
 * allocation first reserves its size (hy_host.memory_reserve, since ABI 1.1): a service has many
 * clients, and no client may exhaust the memory of the others. Small fixed structs of a device need
 * no reservation.
 */
#ifndef HY_DRIVER_KIT_QUOTA_MEMORY_H
#define HY_DRIVER_KIT_QUOTA_MEMORY_H

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

#define HY_QUOTA_ALIGNMENT 64u

/* Allocates `count` elements of `size` bytes (`size` above 0), zeroed, with the alignment of
 * malloc. NULL: the host refuses, or memory is exhausted. */
void *hy_quota_zeros(const struct hy_host *host, uint64_t count, size_t size);

/* Allocates `bytes` uninitialized bytes at a multiple of HY_QUOTA_ALIGNMENT. NULL: as above. */
void *hy_quota_bytes(const struct hy_host *host, uint64_t bytes);

/* Frees memory of hy_quota_zeros or hy_quota_bytes. Any thread may call. NULL is ignored. */
void hy_quota_free(void *memory);

/* A reserved part of the quota, for memory allocated by a library. All zero bytes: nothing is
 * reserved. */
struct hy_reservation {
    const struct hy_host *host; /* NULL: the host has no quota */
    void *handle;
};

/* Reserves `bytes` bytes. Succeeds without a reservation if the host has no quota. False: the host
 * refuses, and `reservation` is zero. */
bool hy_reservation_make(const struct hy_host *host, uint64_t bytes,
                         struct hy_reservation *reservation);

/* Releases the reservation. Call once, after the memory is freed. Any thread may call. */
void hy_reservation_release(const struct hy_reservation *reservation);

#endif
