#include "buffers.h"
#include "driver_kit/quota_memory.h"

#include <assert.h>
#include <stdlib.h>

#define PLACE_BITS 16 /* of a token: the lower ones; the others count generations */
#define ONE_USER   (UINT64_C(1) << 32)

static_assert(SAMPLE_MAX_BUFFERS < 1u << PLACE_BITS, "places fit into a token");

bool sample_buffers_init(struct sample_buffers *buffers, uint32_t count)
{
    buffers->count = count;
    buffers->places = calloc((size_t)count + 1, sizeof *buffers->places);
    return buffers->places != NULL;
}

void sample_buffers_finish(struct sample_buffers *buffers)
{
    free(buffers->places);
}

void sample_buffer_free(struct sample_buffer *buffer)
{
    if (!buffer)
        return;
    hy_quota_free(buffer->memory);
    hy_quota_free(buffer);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* The place number `place`, with us as its one user, or NULL. A user without a token keeps
 * everybody else out. */
static struct sample_buffer_place *occupy(struct sample_buffers *buffers, uint32_t place)
{
    uint64_t empty = 0;
    return atomic_compare_exchange_strong(&buffers->places[place].state, &empty, ONE_USER)
               ? &buffers->places[place]
               : NULL;
}

bool sample_buffers_add(struct sample_buffers *buffers, struct sample_buffer *buffer)
{
    for (uint32_t i = 0; i < buffers->count; i++) {
        struct sample_buffer_place *place = occupy(buffers, i);
        if (!place)
            continue;
        place->generation = place->generation % ((1u << (32 - PLACE_BITS)) - 1) + 1;
        buffer->home = buffers;
        buffer->token = place->generation << PLACE_BITS | i;
        place->buffer = buffer;
        atomic_store(&place->state, buffer->token); /* from here on others find it */
        return true;
    }
    return false;
}

static struct sample_buffer_place *place_of(struct sample_buffers *buffers, uint32_t token)
{
    const uint32_t place = token & ((1u << PLACE_BITS) - 1);
    return place < buffers->count ? &buffers->places[place] : NULL;
}

/* The user that leaves last a place without a token frees what is there, as the only one who knows
 * of it, and only then leaves. */
static void leave(struct sample_buffer_place *place)
{
    uint64_t state = atomic_load(&place->state);
    do {
        if (state == ONE_USER) {
            sample_buffer_free(place->buffer);
            place->buffer = NULL;
            atomic_store(&place->state, 0);
            return;
        }
    } while (!atomic_compare_exchange_weak(&place->state, &state, state - ONE_USER));
}

void sample_buffers_remove(struct sample_buffer *buffer)
{
    struct sample_buffer_place *place = place_of(buffer->home, buffer->token);
    atomic_fetch_add(&place->state, ONE_USER - buffer->token);
    leave(place);
}

struct sample_buffer *sample_buffers_take(struct sample_buffers *buffers, uint32_t token)
{
    struct sample_buffer_place *place = buffers && token != 0 ? place_of(buffers, token) : NULL;
    if (!place)
        return NULL;
    uint64_t state = atomic_load(&place->state);
    while ((uint32_t)state == token)
        if (atomic_compare_exchange_weak(&place->state, &state, state + ONE_USER))
            return place->buffer;
    return NULL;
}

void sample_buffers_give_back(struct sample_buffer *buffer)
{
    leave(place_of(buffer->home, buffer->token));
}
