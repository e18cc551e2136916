#ifndef HY_SERVICE_WIRE_POOLS_H
#define HY_SERVICE_WIRE_POOLS_H

#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/*
 * Memory on the wire. A pool with an id is sent as the id only, after MEMORY_ADD has sent its
 * descriptor. A pool without an id is sent with its descriptor each time. Driver-managed memory is
 * sent as its token. HY_POOL_HOST cannot be sent: the writer fails.
 */

/* Packs the pools of a model or request, in order; the count is sent elsewhere in the body. */
void hy_pools_pack(struct hy_pack *out, const struct hy_pool *pools, uint32_t count);

/*
 * Unpacks pools into the arena. A pool with an id (and a kind with descriptors) has only kind and
 * id, with fd -1: the caller fills in the memory known under the id. A pool without an id has its
 * fd, which still belongs to the frame. Buffers have size 0. Checked: kinds are those of driver.h,
 * protections and ranges are plausible, and images are present if required. The server later
 * compares pools with the real memory (server/memories.h).
 */
void hy_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools);

/* Does the same for a model. BUFFER and HARDWARE_BUFFER cannot hold constants and are refused. */
void hy_model_pools_unpack(struct hy_unpack *in, uint32_t count, struct hy_pool **pools);

/* MEMORY_ADD: a pool with an id and its descriptor. */
void hy_memory_pack(struct hy_pack *out, const struct hy_pool *pool);
void hy_memory_unpack(struct hy_unpack *in, struct hy_pool *pool);

/* MEMORY_DROP has no body: the header's object is the id. */

#endif
