#include "plugins/service/queue/in_flight.h"

#include <stdlib.h>
#include <string.h>

/* The low bits of a request number are the index of the entry, the high bits count the requests of
 * the entry. */
#define NUMBERS HY_MAX_BURST_DEPTH

static_assert((NUMBERS & (NUMBERS - 1)) == 0, "numbers wrap at 2^32");

enum hy_code hy_in_flight_init(struct hy_in_flight *flight, uint32_t depth, uint32_t room,
                               const struct hy_waiter *waiter, struct hy_error *err)
{
    union hy_element *results = calloc((size_t)depth * room, sizeof *results);
    if (!results)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u results of a burst", depth);

    *flight = (struct hy_in_flight){.depth = depth, .room = room, .results = results};
    for (uint32_t i = 0; i < depth; i++) {
        struct hy_place *place = &flight->places[i];
        place->number = i;
        place->waiter = *waiter;
        place->result = results + (size_t)i * room;
    }
    return HY_OK;
}

void hy_in_flight_finish(struct hy_in_flight *flight)
{
    free(flight->results);
    flight->results = NULL;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool change(struct hy_place *place, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong(&place->state, &from, to);
}

struct hy_place *hy_in_flight_take(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        struct hy_place *place = &flight->places[i];
        if (!change(place, HY_PLACE_FREE, HY_PLACE_WAITING))
            continue;
        atomic_fetch_add_explicit(&place->number, NUMBERS, memory_order_relaxed);
        return place;
    }
    return NULL;
}

void hy_place_free(struct hy_place *place)
{
    atomic_store_explicit(&place->slots, 0, memory_order_relaxed);
    atomic_store_explicit(&place->state, HY_PLACE_FREE, memory_order_release);
}

bool hy_place_abandon(struct hy_place *place)
{
    return change(place, HY_PLACE_WAITING, HY_PLACE_ABANDONED);
}

bool hy_in_flight_has_abandoned(const struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        if (atomic_load(&flight->places[i].state) == HY_PLACE_ABANDONED)
            return true;
    }
    return false;
}

uint32_t hy_in_flight_count(const struct hy_in_flight *flight)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < flight->depth; i++)
        count +=
            atomic_load_explicit(&flight->places[i].state, memory_order_relaxed) != HY_PLACE_FREE;
    return count;
}

uint64_t hy_in_flight_slots(const struct hy_in_flight *flight)
{
    uint64_t slots = 0;

    for (uint32_t i = 0; i < flight->depth; i++)
        slots |= atomic_load_explicit(&flight->places[i].slots, memory_order_relaxed);
    return slots;
}

/* ---- The reader ------------------------------------------------------------------------------ */

bool hy_in_flight_start_reading(struct hy_in_flight *flight)
{
    return !atomic_exchange(&flight->is_read, true);
}

static void tell(struct hy_place *place)
{
    atomic_fetch_add(&place->news, 1);
    hy_wake(&place->sleeps);
}

void hy_in_flight_tell_all(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        if (atomic_load(&flight->places[i].state) == HY_PLACE_WAITING)
            tell(&flight->places[i]);
    }
}

/* All waiting threads are woken, as a single thread might be about to give up. */
void hy_in_flight_stop_reading(struct hy_in_flight *flight)
{
    atomic_store(&flight->is_read, false);
    hy_in_flight_tell_all(flight);
}

bool hy_in_flight_bring(struct hy_in_flight *flight, uint32_t number,
                        const union hy_element *result, uint32_t length)
{
    const uint32_t index = number % NUMBERS;
    if (index >= flight->depth || length > flight->room)
        return false;
    struct hy_place *place = &flight->places[index];
    if (atomic_load_explicit(&place->number, memory_order_relaxed) != number)
        return false;

    if (atomic_load(&place->state) == HY_PLACE_WAITING) {
        memcpy(place->result, result, length * sizeof *result);
        place->length = length;
        if (change(place, HY_PLACE_WAITING, HY_PLACE_ANSWERED)) {
            tell(place);
            return true;
        }
    }
    if (atomic_load(&place->state) != HY_PLACE_ABANDONED)
        return false;
    hy_place_free(place);
    return true;
}

void hy_in_flight_interrupt(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++)
        hy_wait_interrupt(&flight->places[i].sleeps);
}
