#ifndef HY_SERVICE_WIRE_POOLS_H
#define HY_SERVICE_WIRE_POOLS_H

#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/*
 * Memory on the wire. A pool with an id is named by it, after MEMORY_ADD has brought its
 * descriptor; one without brings it along each time; driver-managed memory is named by its token.
 * HY_POOL_HOST does not travel: the writer fails.
 */

/* The pools of a model or request, in order; the count travels elsewhere. */
void hy_pools_pack(struct hy_pack *out, const struct hy_pool *pools, uint32_t count);

/*
 * Pools in the arena. One with an id (and a kind with descriptors) has nothing but kind and id, and
 * fd -1: the reader's owner fills in what it knows under that id. One without has its fd, still the
 * frame's. Kinds are those of driver.h, protections and ranges make sense, images are there where
 * they have to be. Buffers have size 0. Whether the memory has what a pool says of it is for the
 * server to see (server/memories.h).
 */
void hy_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools);

/* The same for a model: BUFFER and HARDWARE_BUFFER hold arguments alone, and are refused. */
void hy_model_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools);

/* MEMORY_ADD: a pool with an id and its descriptor. */
void hy_memory_pack(struct hy_pack *out, const struct hy_pool *pool);
void hy_memory_unpack(struct hy_unpack *in, struct hy_pool *pool);

/* MEMORY_DROP has no body: the header's object is the id. */

#endif
