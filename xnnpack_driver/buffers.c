#include "buffers.h"

#include "driver_kit/quota_memory.h"

#include <assert.h>
#include <stdlib.h>

#define PLACE_BITS  12u /* of a token: the lower ones; the others count how often it was taken */
#define GENERATIONS ((UINT32_C(1) << (32 - PLACE_BITS)) - 1)
#define ONE_USER    (UINT64_C(1) << 32)

static_assert(XD_MAX_BUFFERS == UINT32_C(1) << PLACE_BITS, "places fit into a token");

/* `state` is users << 32 | token. Without users it is empty; with token 0 somebody is about to fill
 * it, or uses what has been destroyed. */
struct place {
    _Atomic uint64_t state;
    struct xd_buffer *buffer;
    uint32_t generation; /* 1 to GENERATIONS once it was taken */
};

struct xd_buffers {
    const struct hy_host *host;
    atomic_uint next; /* where to look for a place: none is taken again before all others were */
    struct place places[XD_MAX_BUFFERS];
};

struct xd_buffers *xd_buffers_create(const struct hy_host *host)
{
    struct xd_buffers *buffers = calloc(1, sizeof *buffers);
    if (buffers)
        buffers->host = host;
    return buffers;
}

void xd_buffers_destroy(struct xd_buffers *buffers)
{
    free(buffers);
}

const struct hy_host *xd_buffers_host(const struct xd_buffers *buffers)
{
    return buffers->host;
}

void xd_buffer_free(struct xd_buffer *buffer)
{
    if (!buffer)
        return;
    hy_quota_free(buffer->memory);
    hy_quota_free(buffer);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* The user without a token keeps everybody else out. */
static bool occupy(struct place *place)
{
    uint64_t empty = 0;
    return atomic_compare_exchange_strong(&place->state, &empty, ONE_USER);
}

bool xd_buffers_add(struct xd_buffers *buffers, struct xd_buffer *buffer)
{
    for (uint32_t i = 0; i < XD_MAX_BUFFERS; i++) {
        const uint32_t number = atomic_fetch_add(&buffers->next, 1) % XD_MAX_BUFFERS;
        struct place *place = &buffers->places[number];
        if (!occupy(place))
            continue;
        place->generation = place->generation % GENERATIONS + 1;
        place->buffer = buffer;
        buffer->home = buffers;
        buffer->token = place->generation << PLACE_BITS | number;
        atomic_store(&place->state, ONE_USER | buffer->token); /* from here on others find it */
        return true;
    }
    return false;
}

static struct place *place_of(struct xd_buffers *buffers, uint32_t token)
{
    return &buffers->places[token % XD_MAX_BUFFERS];
}

/* Whoever leaves last frees what is there, as the only one who still knows of it. */
static void leave(struct place *place)
{
    struct xd_buffer *buffer = place->buffer;
    if ((atomic_fetch_sub(&place->state, ONE_USER) >> 32) > 1)
        return;
    xd_buffer_free(buffer);
}

/* The one who made the buffer is its first user. */
void xd_buffers_remove(struct xd_buffer *buffer)
{
    struct place *place = place_of(buffer->home, buffer->token);
    atomic_fetch_sub(&place->state, buffer->token);
    leave(place);
}

struct xd_buffer *xd_buffers_take(struct xd_buffers *buffers, uint32_t token)
{
    struct place *place = place_of(buffers, token);
    uint64_t state = atomic_load(&place->state);
    while (token != 0 && (uint32_t)state == token)
        if (atomic_compare_exchange_weak(&place->state, &state, state + ONE_USER))
            return place->buffer;
    return NULL;
}

void xd_buffers_give_back(struct xd_buffer *buffer)
{
    leave(place_of(buffer->home, buffer->token));
}
