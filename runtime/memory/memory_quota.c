#include "runtime/memory/memory_quota.h"

#include "halyard/driver.h"

#include <stdatomic.h>
#include <stdlib.h>

struct hy_memory_quota {
    atomic_uint references; /* one of the compilation, one of each reservation */
    uint64_t limit;
    atomic_uint_fast64_t used;
};

/* A reservation within a quota; without a quota drivers get NULL. */
struct reservation {
    struct hy_memory_quota *quota;
    uint64_t bytes;
};

/* In static thread-local storage: each execution sets it, and an access takes no call. */
static _Thread_local struct hy_memory_quota *of_thread __attribute__((tls_model("initial-exec")));
static _Thread_local bool has_refused __attribute__((tls_model("initial-exec")));

enum hy_code hy_memory_quota_create(uint64_t limit, struct hy_memory_quota **ret,
                                    struct hy_error *err)
{
    struct hy_memory_quota *quota = calloc(1, sizeof *quota);
    if (!quota)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a quota of memory");
    atomic_init(&quota->references, 1);
    quota->limit = limit;
    *ret = quota;
    return HY_OK;
}

void hy_memory_quota_release(struct hy_memory_quota *quota)
{
    if (quota && atomic_fetch_sub_explicit(&quota->references, 1, memory_order_acq_rel) == 1)
        free(quota);
}

uint64_t hy_memory_quota_limit(const struct hy_memory_quota *quota)
{
    return quota->limit;
}

struct hy_memory_quota *hy_memory_quota_use(struct hy_memory_quota *quota)
{
    struct hy_memory_quota *before = of_thread;

    of_thread = quota;
    has_refused = false;
    return before;
}

bool hy_memory_quota_is_over(enum hy_code code)
{
    return has_refused && (code == HY_EXHAUSTED || code == HY_EXHAUSTED_FOR_GOOD);
}

static bool charge(struct hy_memory_quota *quota, uint64_t bytes)
{
    uint_fast64_t used = atomic_load_explicit(&quota->used, memory_order_relaxed);

    do {
        if (bytes > quota->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&quota->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

int32_t hy_memory_quota_reserve(void *context, uint64_t bytes, void **ret_reservation)
{
    struct hy_memory_quota *quota = of_thread;

    (void)context;
    if (!ret_reservation)
        return HY_STATUS_INVALID_ARGUMENT;
    *ret_reservation = NULL;
    if (!quota)
        return HY_STATUS_OK;
    struct reservation *made = malloc(sizeof *made);
    if (!made || !charge(quota, bytes)) {
        has_refused = made != NULL;
        free(made);
        return bytes > quota->limit ? HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT
                                    : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *made = (struct reservation){quota, bytes};
    atomic_fetch_add_explicit(&quota->references, 1, memory_order_relaxed);
    *ret_reservation = made;
    return HY_STATUS_OK;
}

void hy_memory_quota_give_back(void *context, void *given)
{
    struct reservation *reservation = given;

    (void)context;
    if (!reservation)
        return;
    atomic_fetch_sub_explicit(&reservation->quota->used, reservation->bytes, memory_order_relaxed);
    hy_memory_quota_release(reservation->quota);
    free(reservation);
}
