#include "plugins/service/queue/in_flight.h"

#include <stdlib.h>
#include <string.h>

/* The low bits of a request number are the index of the entry, the high bits count the requests of
 * the entry. */
#define NUMBERS HY_MAX_BURST_DEPTH

static_assert((NUMBERS & (NUMBERS - 1)) == 0, "numbers wrap at 2^32");

enum hy_code hy_in_flight_init(struct hy_in_flight *flight, uint32_t depth, uint32_t space,
                               const struct hy_waiter *waiter, struct hy_error *err)
{
    union hy_element *results = calloc((size_t)depth * space, sizeof *results);
    if (!results)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u results of a burst", depth);

    *flight = (struct hy_in_flight){.depth = depth, .space = space, .results = results};
    for (uint32_t i = 0; i < depth; i++) {
        struct hy_in_flight_entry *entry = &flight->entries[i];
        entry->number = i;
        entry->waiter = *waiter;
        entry->result = results + (size_t)i * space;
    }
    return HY_OK;
}

void hy_in_flight_finish(struct hy_in_flight *flight)
{
    free(flight->results);
    flight->results = NULL;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool change(struct hy_in_flight_entry *entry, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong(&entry->state, &from, to);
}

struct hy_in_flight_entry *hy_in_flight_acquire(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        struct hy_in_flight_entry *entry = &flight->entries[i];
        if (!change(entry, HY_IN_FLIGHT_FREE, HY_IN_FLIGHT_WAITING))
            continue;
        atomic_fetch_add_explicit(&entry->number, NUMBERS, memory_order_relaxed);
        return entry;
    }
    return NULL;
}

void hy_in_flight_entry_free(struct hy_in_flight_entry *entry)
{
    atomic_store_explicit(&entry->slots, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->state, HY_IN_FLIGHT_FREE, memory_order_release);
}

bool hy_in_flight_entry_abandon(struct hy_in_flight_entry *entry)
{
    return change(entry, HY_IN_FLIGHT_WAITING, HY_IN_FLIGHT_ABANDONED);
}

bool hy_in_flight_has_abandoned(const struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        if (atomic_load(&flight->entries[i].state) == HY_IN_FLIGHT_ABANDONED)
            return true;
    }
    return false;
}

uint32_t hy_in_flight_count(const struct hy_in_flight *flight)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < flight->depth; i++)
        count += atomic_load_explicit(&flight->entries[i].state, memory_order_relaxed) !=
                 HY_IN_FLIGHT_FREE;
    return count;
}

uint64_t hy_in_flight_slots(const struct hy_in_flight *flight)
{
    uint64_t slots = 0;

    for (uint32_t i = 0; i < flight->depth; i++)
        slots |= atomic_load_explicit(&flight->entries[i].slots, memory_order_relaxed);
    return slots;
}

/* ---- The reader ------------------------------------------------------------------------------ */

bool hy_in_flight_start_reading(struct hy_in_flight *flight)
{
    return !atomic_exchange(&flight->is_read, true);
}

static void notify(struct hy_in_flight_entry *entry)
{
    atomic_fetch_add(&entry->news, 1);
    hy_wake(&entry->sleeps);
}

void hy_in_flight_notify_all(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++) {
        if (atomic_load(&flight->entries[i].state) == HY_IN_FLIGHT_WAITING)
            notify(&flight->entries[i]);
    }
}

/* All waiting threads are woken, as a single thread might be about to give up. */
void hy_in_flight_stop_reading(struct hy_in_flight *flight)
{
    atomic_store(&flight->is_read, false);
    hy_in_flight_notify_all(flight);
}

bool hy_in_flight_bring(struct hy_in_flight *flight, uint32_t number,
                        const union hy_element *result, uint32_t length)
{
    const uint32_t index = number % NUMBERS;
    if (index >= flight->depth || length > flight->space)
        return false;
    struct hy_in_flight_entry *entry = &flight->entries[index];
    if (atomic_load_explicit(&entry->number, memory_order_relaxed) != number)
        return false;

    if (atomic_load(&entry->state) == HY_IN_FLIGHT_WAITING) {
        memcpy(entry->result, result, length * sizeof *result);
        entry->length = length;
        if (change(entry, HY_IN_FLIGHT_WAITING, HY_IN_FLIGHT_DONE)) {
            notify(entry);
            return true;
        }
    }
    if (atomic_load(&entry->state) != HY_IN_FLIGHT_ABANDONED)
        return false;
    hy_in_flight_entry_free(entry);
    return true;
}

void hy_in_flight_interrupt(struct hy_in_flight *flight)
{
    for (uint32_t i = 0; i < flight->depth; i++)
        hy_wait_interrupt(&flight->entries[i].sleeps);
}
