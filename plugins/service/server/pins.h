#ifndef HY_SERVICE_SERVER_PINS_H
#define HY_SERVICE_SERVER_PINS_H

#include "plugins/service/server/memories.h"
#include "plugins/service/wire/frame.h"

/* The memory that a model or a request names, held for as long as it is in use. All zero bytes is
 * none; the room for it stays from one use to the next. */
struct hy_server_pins {
    struct hy_server_memory **memories;
    uint32_t count;
    uint32_t room;
    uint64_t *unknown; /* ids that the table does not know */
    uint32_t unknown_count;
    uint32_t unknown_room;
};

/*
 * Holds what the pools name and completes them: address, size, descriptor. Descriptors that came
 * with the frame become the memory's. HY_STATUS_OK, HY_WIRE_STATUS_UNKNOWN_MEMORY (the ids are in
 * `unknown`), or another status with words; nothing is held then.
 */
int32_t hy_server_pins_take(struct hy_server_pins *pins, struct hy_server_memories *memories,
                            struct hy_incoming *frame, struct hy_pool *pools, uint32_t count,
                            struct hy_error *err);

/* Whether some of it has been cut short: what was computed from it is worth nothing. */
bool hy_server_pins_are_torn(const struct hy_server_pins *pins);

void hy_server_pins_drop(struct hy_server_pins *pins, struct hy_server_memories *memories);
void hy_server_pins_finish(struct hy_server_pins *pins, struct hy_server_memories *memories);

#endif
