#include "runtime/device/health.h"

/* Layout of a record: consecutive failures in the low bits; above them the end of the quarantine,
 * in units with a range of centuries. One word, so that both change atomically. */
#define COUNT_BITS 8u
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define UNIT_NS    UINT64_C(1024)

static uint64_t end_of(uint64_t record)
{
    return (record >> COUNT_BITS) * UNIT_NS;
}

static uint64_t make_record(uint64_t failures, uint64_t end)
{
    return (end + UNIT_NS - 1) / UNIT_NS << COUNT_BITS | failures;
}

static uint64_t quarantine_left(uint64_t failures)
{
    uint64_t length = HY_HEALTH_FIRST_NS;

    if (failures < HY_HEALTH_FAILURES)
        return 0;
    for (uint64_t i = HY_HEALTH_FAILURES; i < failures && length < HY_HEALTH_LONGEST_NS; i++)
        length *= 2;
    return length < HY_HEALTH_LONGEST_NS ? length : HY_HEALTH_LONGEST_NS;
}

uint64_t hy_health_left(const struct hy_health *health, uint64_t now)
{
    const uint64_t end = end_of(atomic_load_explicit(&health->record, memory_order_relaxed));
    return end > now ? end - now : 0;
}

uint32_t hy_health_failures(const struct hy_health *health)
{
    return (uint32_t)(atomic_load_explicit(&health->record, memory_order_relaxed) & COUNT_MASK);
}

uint64_t hy_health_note_failure(struct hy_health *health, uint64_t now)
{
    uint64_t before = atomic_load_explicit(&health->record, memory_order_relaxed);
    uint64_t length, after;

    do {
        const uint64_t count = before & COUNT_MASK;
        const uint64_t failures = count < COUNT_MASK ? count + 1 : count;
        if (end_of(before) > now)
            return 0;
        length = quarantine_left(failures);
        after = make_record(failures, length > 0 ? now + length : 0);
    } while (!atomic_compare_exchange_weak_explicit(&health->record, &before, after,
                                                    memory_order_relaxed, memory_order_relaxed));
    return length;
}

void hy_health_note_success(struct hy_health *health)
{
    atomic_store_explicit(&health->record, 0, memory_order_relaxed);
}
