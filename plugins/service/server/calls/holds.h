#ifndef HY_SERVICE_SERVER_HOLDS_H
#define HY_SERVICE_SERVER_HOLDS_H

#include "plugins/service/server/server_memories.h"
#include "plugins/service/wire/transport/frame.h"

struct hy_server_object;
struct hy_server_objects;

/* Memory and buffers named by a model or a request, held while in use. A zeroed struct is empty.
 * The lists keep their capacity between uses. */
struct hy_server_holds {
    struct hy_server_memory **memories;
    uint32_t count;
    uint32_t space;
    struct hy_server_object **buffers;
    uint32_t buffer_count;
    uint32_t buffer_capacity;
    uint64_t *unknown; /* ids missing in the table */
    uint32_t unknown_count;
    uint32_t unknown_capacity;
    uint64_t charged; /* bytes of the lists, charged to the client */
};

/*
 * Holds all memory and buffers named by the pools, and fills in address, size and descriptor of
 * each pool. The memory takes ownership of descriptors that arrived with the frame. Returns
 * HY_STATUS_OK, HY_WIRE_STATUS_UNKNOWN_MEMORY (the ids are in `unknown`), or another status with an
 * error text. After a failure nothing is held.
 */
int32_t hy_server_holds_acquire(struct hy_server_holds *holds, struct hy_server_objects *objects,
                                const struct hy_device *table, struct hy_incoming *frame,
                                struct hy_pool *pools, uint32_t count, struct hy_error *err);

/* Does the same for buffers only. INVALID_ARGUMENT: a token names no buffer of the client, or a
 * buffer of another device. */
int32_t hy_server_holds_acquire_buffers(struct hy_server_holds *holds,
                                        struct hy_server_objects *objects,
                                        const struct hy_device *table, const struct hy_pool *pools,
                                        uint32_t count, struct hy_error *err);

/* Returns true if the file behind a held memory has been truncated: results computed from the
 * memory are invalid. */
bool hy_server_holds_are_truncated(const struct hy_server_holds *holds);

void hy_server_holds_drop(struct hy_server_holds *holds, struct hy_server_objects *objects);
void hy_server_holds_finish(struct hy_server_holds *holds, struct hy_server_objects *objects);

#endif
