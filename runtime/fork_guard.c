#include "runtime/fork_guard.h"

#include "common/sigbus_guard.h"
#include "plugins/service/client/service.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint generation;
static void (*guarded[HY_FORK_LOCK_COUNT])(enum hy_fork_phase phase);

void hy_fork_guard_set(enum hy_fork_lock lock, void (*call)(enum hy_fork_phase phase))
{
    guarded[lock] = call;
}

unsigned hy_fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static void before(void)
{
    for (size_t i = 0; i < HY_FORK_LOCK_COUNT; i++) {
        if (guarded[i])
            guarded[i](HY_FORK_BEFORE);
    }
    hy_services_fork_before();
    hy_sigbus_guard_fork_before();
}

static void after(enum hy_fork_phase phase)
{
    hy_sigbus_guard_fork_after();
    if (phase == HY_FORK_PARENT)
        hy_services_fork_parent();
    else
        hy_services_fork_child();
    for (size_t i = HY_FORK_LOCK_COUNT; i-- > 0;) {
        if (guarded[i])
            guarded[i](phase);
    }
}

static void in_parent(void)
{
    after(HY_FORK_PARENT);
}

static void in_child(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
    after(HY_FORK_CHILD);
}

/* Runs when the library is loaded. A fork() during an initialization on first use would leave the
 * child in an unknown state. */
__attribute__((constructor)) static void set_up(void)
{
    (void)pthread_atfork(before, in_parent, in_child);
}
