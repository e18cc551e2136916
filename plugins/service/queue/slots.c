#include "plugins/service/queue/slots.h"

static uint64_t bit(int32_t slot)
{
    return UINT64_C(1) << slot;
}

void hy_slots_init(struct hy_slots *slots, const struct hy_queue_burst_owner *owner,
                   const struct hy_in_flight *in_flight)
{
    *slots = (struct hy_slots){.owner = owner, .in_flight = in_flight};
    pthread_mutex_init(&slots->lock, NULL);
}

void hy_slots_finish(struct hy_slots *slots)
{
    pthread_mutex_destroy(&slots->lock);
}

static int32_t look_up(struct hy_slots *slots, uint64_t id)
{
    const uint32_t end = atomic_load_explicit(&slots->first_unused, memory_order_relaxed);

    for (uint32_t i = 0; i < end; i++) {
        if (atomic_load_explicit(&slots->ids[i], memory_order_relaxed) == id)
            return (int32_t)i;
    }
    return -1;
}

/* The caller holds the lock. Empties the slot. If the service cannot be notified, the slot stays
 * unused. */
static void free_slot(struct hy_slots *slots, int32_t slot)
{
    atomic_store_explicit(&slots->ids[slot], 0, memory_order_relaxed);
    if (!slots->owner->retract(slots->owner->context, slot))
        return;
    atomic_fetch_add(&slots->notices, 1);
    slots->freed[slots->freed_count++] = slot;
}

/* The caller holds the lock. Frees slots that were released while in flight, when no request names
 * the slots any more. */
static void free_left(struct hy_slots *slots)
{
    uint64_t ready = slots->leaving & ~hy_in_flight_slots(slots->in_flight);

    slots->leaving &= ~ready;
    for (int32_t i = 0; ready != 0; i++, ready >>= 1) {
        if (ready & 1)
            free_slot(slots, i);
    }
}

/* The caller holds the lock. Returns the set of slots that can be freed for other pools. */
static uint64_t evictable(const struct hy_slots *slots, uint64_t needed)
{
    uint64_t bits = 0;

    for (int32_t i = 0; i < HY_QUEUE_SLOTS; i++) {
        if (atomic_load_explicit(&slots->ids[i], memory_order_relaxed) != 0)
            bits |= bit(i);
    }
    return bits & ~needed & ~hy_in_flight_slots(slots->in_flight);
}

/* The caller holds the lock. Frees the least recently used slot of the set. */
static void evict(struct hy_slots *slots, uint64_t from)
{
    int32_t oldest = -1;

    for (int32_t i = 0; i < HY_QUEUE_SLOTS; i++) {
        if ((from & bit(i)) && (oldest < 0 || slots->last_used[i] < slots->last_used[oldest]))
            oldest = i;
    }
    if (oldest >= 0)
        free_slot(slots, oldest);
}

/* The caller holds the lock. -1: all slots are in use. */
static int32_t claim_free(struct hy_slots *slots, uint64_t needed)
{
    const uint32_t unused = atomic_load_explicit(&slots->first_unused, memory_order_relaxed);

    if (slots->freed_count == 0 && unused < HY_QUEUE_SLOTS) {
        atomic_store_explicit(&slots->first_unused, unused + 1, memory_order_relaxed);
        return (int32_t)unused;
    }
    if (slots->freed_count == 0)
        evict(slots, evictable(slots, needed));
    return slots->freed_count > 0 ? slots->freed[--slots->freed_count] : -1;
}

/* The caller holds the lock. */
static enum hy_slots_end assign(struct hy_slots *slots, const struct hy_pool *pool, uint64_t needed,
                                int64_t deadline, int32_t *found)
{
    const int32_t slot = claim_free(slots, needed);
    if (slot < 0)
        return HY_SLOTS_TOO_FEW;
    if (!slots->owner->announce(slots->owner->context, slot, pool, deadline)) {
        slots->freed[slots->freed_count++] = slot;
        return HY_SLOTS_NO_NOTICE;
    }
    atomic_fetch_add(&slots->notices, 1);
    atomic_store_explicit(&slots->ids[slot], pool->id, memory_order_relaxed);
    *found = slot;
    return HY_SLOTS_FOUND;
}

/* The caller holds the lock. Returns whether `missing` more slots are available. If not, no slot is
 * announced, as no request would make the service read the notices. */
static bool has_space(struct hy_slots *slots, uint64_t needed, uint32_t missing)
{
    const uint32_t unused =
        HY_QUEUE_SLOTS - atomic_load_explicit(&slots->first_unused, memory_order_relaxed);

    return slots->freed_count + unused >= missing ||
           slots->freed_count + unused + (uint32_t)__builtin_popcountll(evictable(slots, needed)) >=
               missing;
}

static enum hy_slots_end find_missing(struct hy_slots *slots, const struct hy_pool *pools,
                                      uint32_t count, int64_t deadline, int32_t *found,
                                      uint64_t *bits, uint32_t missing)
{
    enum hy_slots_end end = HY_SLOTS_FOUND;

    free_left(slots);
    if (!has_space(slots, *bits, missing))
        return HY_SLOTS_TOO_FEW;
    for (uint32_t i = 0; i < count && end == HY_SLOTS_FOUND; i++) {
        if (pools[i].kind == HY_POOL_BUFFER)
            continue;
        found[i] = look_up(slots, pools[i].id);
        if (found[i] < 0)
            end = assign(slots, &pools[i], *bits, deadline, &found[i]);
        if (end == HY_SLOTS_FOUND)
            *bits |= bit(found[i]);
    }
    return end;
}

enum hy_slots_end hy_slots_find(struct hy_slots *slots, const struct hy_pool *pools, uint32_t count,
                                int64_t deadline, int32_t *found, uint64_t *ret_bits)
{
    enum hy_slots_end end = HY_SLOTS_FOUND;
    uint32_t missing = 0;
    uint64_t bits = 0;

    slots->execution++;
    for (uint32_t i = 0; i < count; i++) {
        if (pools[i].kind == HY_POOL_BUFFER)
            continue;
        found[i] = look_up(slots, pools[i].id);
        if (found[i] < 0)
            missing++;
        else
            bits |= bit(found[i]);
    }
    if (missing > 0) {
        pthread_mutex_lock(&slots->lock);
        end = find_missing(slots, pools, count, deadline, found, &bits, missing);
        pthread_mutex_unlock(&slots->lock);
    }
    for (uint64_t left = bits; left != 0; left &= left - 1)
        slots->last_used[__builtin_ctzll(left)] = slots->execution;
    *ret_bits = bits;
    return end;
}

void hy_slots_release(struct hy_slots *slots, uint64_t id)
{
    if (id == 0)
        return;
    pthread_mutex_lock(&slots->lock);
    const int32_t slot = look_up(slots, id);
    if (slot >= 0 && (hy_in_flight_slots(slots->in_flight) & bit(slot))) {
        atomic_store_explicit(&slots->ids[slot], 0, memory_order_relaxed);
        slots->leaving |= bit(slot);
    } else if (slot >= 0) {
        free_slot(slots, slot);
    }
    pthread_mutex_unlock(&slots->lock);
}
