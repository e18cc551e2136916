#ifndef HY_SERVICE_SERVER_PINS_H
#define HY_SERVICE_SERVER_PINS_H

#include "plugins/service/server/memories.h"
#include "plugins/service/wire/transport/frame.h"

struct hy_server_object;
struct hy_server_objects;

/* The memory and the buffers that a model or a request names, held for as long as they are in use.
 * All zero bytes is none; the room for them stays from one use to the next. */
struct hy_server_pins {
    struct hy_server_memory **memories;
    uint32_t count;
    uint32_t room;
    struct hy_server_object **buffers;
    uint32_t buffer_count;
    uint32_t buffer_room;
    uint64_t *unknown; /* ids that the table does not know */
    uint32_t unknown_count;
    uint32_t unknown_room;
    uint64_t charged; /* bytes of the lists, to the client */
};

/*
 * Holds what the pools name, buffers of this device among them, and completes them: address, size,
 * descriptor. Descriptors that came with the frame become the memory's. HY_STATUS_OK,
 * HY_WIRE_STATUS_UNKNOWN_MEMORY (the ids are in `unknown`), or another status with words; nothing
 * is held then.
 */
int32_t hy_server_pins_take(struct hy_server_pins *pins, struct hy_server_objects *objects,
                            const struct hy_device *table, struct hy_incoming *frame,
                            struct hy_pool *pools, uint32_t count, struct hy_error *err);

/* The same for buffers alone. INVALID_ARGUMENT: one of them is none of the client's, or of another
 * device. */
int32_t hy_server_pins_take_buffers(struct hy_server_pins *pins, struct hy_server_objects *objects,
                                    const struct hy_device *table, const struct hy_pool *pools,
                                    uint32_t count, struct hy_error *err);

/* Whether some of it has been cut short: what was computed from it is worth nothing. */
bool hy_server_pins_are_torn(const struct hy_server_pins *pins);

void hy_server_pins_drop(struct hy_server_pins *pins, struct hy_server_objects *objects);
void hy_server_pins_finish(struct hy_server_pins *pins, struct hy_server_objects *objects);

#endif
