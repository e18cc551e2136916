#include "driver_kit/token_table.h"

#include <stdlib.h>

/* The state of a slot: holders of the object, whether the token is valid, and the number of objects
 * so far. A single word, so that checking a token and holding its object is one atomic step. */
#define HOLDERS          UINT64_C(0x7fffffff)
#define OPEN             UINT64_C(0x80000000)
#define GENERATION_SHIFT 32u
#define GENERATION_MAX   0xffffu

struct hy_token_slot {
    atomic_uint_least64_t state;
    atomic_uint_least32_t below; /* next slot of the stack: number plus 1 */
    void *object;
};

/* ---- Slots ----------------------------------------------------------------------------------- */

/* The top of a stack: number of a slot plus 1, and in the upper bits a count of changes against the
 * ABA problem. */
static uint64_t top_after(uint64_t top, uint32_t number)
{
    return ((top >> 32) + 1) << 32 | number;
}

static void push(atomic_uint_least64_t *stack, struct hy_token_slot *slots, uint32_t index)
{
    uint64_t top = atomic_load_explicit(stack, memory_order_relaxed);

    do
        atomic_store_explicit(&slots[index].below, (uint32_t)top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(stack, &top, top_after(top, index + 1),
                                                  memory_order_acq_rel, memory_order_relaxed));
}

static bool pop(atomic_uint_least64_t *stack, struct hy_token_slot *slots, uint32_t *index)
{
    uint64_t top = atomic_load_explicit(stack, memory_order_acquire);

    while ((uint32_t)top != 0) {
        const uint32_t first = (uint32_t)top - 1;
        uint32_t below = atomic_load_explicit(&slots[first].below, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(stack, &top, top_after(top, below),
                                                  memory_order_acq_rel, memory_order_acquire)) {
            *index = first;
            return true;
        }
    }
    return false;
}

static bool use_one_more(struct hy_token_table *table, uint32_t *index)
{
    uint_least32_t used = atomic_load_explicit(&table->used, memory_order_relaxed);

    while (used < table->capacity) {
        if (atomic_compare_exchange_weak_explicit(&table->used, &used, used + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *index = used;
            return true;
        }
    }
    return false;
}

/* ---- Objects --------------------------------------------------------------------------------- */

bool hy_token_table_reserve(struct hy_token_table *table)
{
    struct hy_token_slot *slots = atomic_load_explicit(&table->slots, memory_order_acquire);

    if (slots)
        return true;
    struct hy_token_slot *made = calloc(table->capacity, sizeof *made);
    if (made && !atomic_compare_exchange_strong_explicit(
                    &table->slots, &slots, made, memory_order_acq_rel, memory_order_acquire))
        free(made); /* another thread was faster */
    return made != NULL;
}

void hy_token_table_finish(struct hy_token_table *table)
{
    free(atomic_exchange(&table->slots, NULL));
}

bool hy_token_table_add(struct hy_token_table *table, void *object, uint32_t *token)
{
    struct hy_token_slot *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    uint32_t index;

    if (!pop(&table->idle, slots, &index) && !use_one_more(table, &index) &&
        !pop(&table->spent, slots, &index))
        return false;
    struct hy_token_slot *slot = &slots[index];
    const uint64_t generation =
        (atomic_load_explicit(&slot->state, memory_order_relaxed) >> GENERATION_SHIFT) + 1;
    slot->object = object;
    *token = (uint32_t)generation << 16 | index;
    atomic_store_explicit(&slot->state, generation << GENERATION_SHIFT | OPEN | 1,
                          memory_order_release);
    return true;
}

/* NULL: the slot number is out of range. */
static struct hy_token_slot *slot_of(const struct hy_token_table *table, uint32_t token)
{
    struct hy_token_slot *slots = atomic_load_explicit(&table->slots, memory_order_acquire);

    return slots && (token & 0xffffu) < table->capacity ? &slots[token & 0xffffu] : NULL;
}

void *hy_token_table_hold(struct hy_token_table *table, uint32_t token)
{
    struct hy_token_slot *slot = slot_of(table, token);

    if (!slot)
        return NULL;
    uint_least64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    do {
        if (state >> GENERATION_SHIFT != token >> 16 || !(state & OPEN))
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return slot->object;
}

/* Subtracts `parts` from the state of the slot, including one holder. */
static bool leave(struct hy_token_table *table, uint32_t token, uint64_t parts)
{
    struct hy_token_slot *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    struct hy_token_slot *slot = &slots[token & 0xffffu];

    if ((atomic_fetch_sub_explicit(&slot->state, parts, memory_order_acq_rel) & HOLDERS) != 1)
        return false;
    if (token >> 16 < GENERATION_MAX) {
        push(&table->idle, slots, token & 0xffffu);
    } else {
        atomic_store_explicit(&slot->state, 0, memory_order_relaxed);
        push(&table->spent, slots, token & 0xffffu);
    }
    return true;
}

bool hy_token_table_release(struct hy_token_table *table, uint32_t token)
{
    return leave(table, token, 1);
}

bool hy_token_table_remove(struct hy_token_table *table, uint32_t token)
{
    return leave(table, token, OPEN | 1);
}
