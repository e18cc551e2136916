#include "runtime/fork_guard.h"

#include "common/torn_guard.h"
#include "plugins/service/client/service.h"
#include "runtime/cache/file_lock.h"
#include "runtime/cache/records.h"
#include "runtime/cache/use.h"
#include "runtime/device/device.h"
#include "runtime/device/later.h"
#include "runtime/execute/fence.h"
#include "runtime/execute/work.h"
#include "runtime/execute/worker_pool.h"
#include "runtime/extension/extension.h"
#include "runtime/memory/memory.h"
#include "runtime/support_library/diagnostics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static void fork_services(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        hy_services_fork_before();
    else if (phase == HY_FORK_PARENT)
        hy_services_fork_parent();
    else
        hy_services_fork_child();
}

static void fork_torn_guard(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        hy_torn_guard_fork_before();
    else
        hy_torn_guard_fork_after();
}

/* A lock that is taken while another is held stands below it. */
static void (*const guarded[])(enum hy_fork_phase) = {
    hy_devices_fork,     hy_later_fork,      hy_memory_fork,      hy_extensions_fork,
    hy_fence_watch_fork, hy_fence_fork,      hy_worker_pool_fork, hy_diagnostics_fork,
    hy_work_fork,        hy_cache_uses_fork, hy_stores_fork,      hy_process_records_fork,
    hy_file_locks_fork,  fork_services,      fork_torn_guard,
};

enum { GUARDED = sizeof guarded / sizeof *guarded };

static atomic_uint generation;

unsigned hy_fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static void before(void)
{
    for (size_t i = 0; i < GUARDED; i++)
        guarded[i](HY_FORK_BEFORE);
}

static void after(enum hy_fork_phase phase)
{
    for (size_t i = GUARDED; i-- > 0;)
        guarded[i](phase);
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

/* When the library is loaded, and not at first use: a fork in the middle of that would leave the
 * child without knowing whether it is done. */
__attribute__((constructor)) static void set_up(void)
{
    (void)pthread_atfork(before, in_parent, in_child);
}
