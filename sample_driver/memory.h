/*
 * Memory whose size a model, a buffer or a request decides. The host is asked for it first, where
 * it has a quota (hy_host.memory_reserve, since ABI 1.1): a service has many clients, and one of
 * them must not take the memory of the others. Small structs of the device's own need no question.
 */
#ifndef SAMPLE_MEMORY_H
#define SAMPLE_MEMORY_H

#include "halyard/driver.h"

#include <stddef.h>

/* `count` elements of zeros; or bytes of any content, at a multiple of SAMPLE_MEMORY_ALIGNMENT.
 * NULL: the host says no, or there is no memory. */
#define SAMPLE_MEMORY_ALIGNMENT 64u
void *sample_zeros(const struct hy_host *host, uint64_t count, size_t size);
void *sample_bytes(const struct hy_host *host, uint64_t bytes);

/* Gives back either, from any thread. Takes NULL. */
void sample_free(void *memory);

#endif
