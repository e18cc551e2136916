#include "common/lookup_failure.h"

#include <stdatomic.h>

static _Atomic uint64_t failures;

void hy_lookup_failure_note(void)
{
    atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
}

uint64_t hy_lookup_failure_count(void)
{
    return atomic_load_explicit(&failures, memory_order_relaxed);
}
