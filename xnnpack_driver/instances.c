#include "instances.h"

#include "driver_kit/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INSTANCES 8u
#define MIN_INSTANCES 2u
#define CACHE_LINE    64u
#define NANOSECONDS   INT64_C(1000000000)

/* The place of one instance: empty while it runs, and before it is made. A cache line of its own
 * keeps threads with different instances out of each other's way. */
struct slot {
    _Alignas(CACHE_LINE) _Atomic(struct xd_instance *) idle;
};

struct xd_instances {
    struct slot slots[MAX_INSTANCES];
    const struct xd_program *program;
    atomic_uint waiting;
    atomic_uint running; /* counted only where threads may help */
    bool has_threads;
    uint32_t limit;
    bool is_made[MAX_INSTANCES]; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t given_back;
};

/* More executions at a time than there are processors gain nothing. */
static uint32_t limit_of_system(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < (long)MIN_INSTANCES)
        return MIN_INSTANCES;
    return processors > (long)MAX_INSTANCES ? MAX_INSTANCES : (uint32_t)processors;
}

int32_t xd_instances_create(const struct xd_program *program, uint32_t threads,
                            const struct hy_message *message, struct xd_instances **ret)
{
    struct xd_instances *instances = aligned_alloc(CACHE_LINE, sizeof *instances);
    struct xd_instance *first = NULL;
    if (!instances)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    memset(instances, 0, sizeof *instances);
    const int32_t status = xd_instance_create(program, threads, message, &first);
    if (status != HY_STATUS_OK) {
        free(instances);
        return status;
    }
    pthread_cond_init(&instances->given_back, NULL);
    pthread_mutex_init(&instances->lock, NULL);
    instances->program = program;
    instances->has_threads = threads > 1;
    instances->limit = limit_of_system();
    instances->is_made[0] = true;
    atomic_store(&instances->slots[0].idle, first);
    *ret = instances;
    return HY_STATUS_OK;
}

void xd_instances_destroy(struct xd_instances *instances)
{
    if (!instances)
        return;
    for (uint32_t i = 0; i < MAX_INSTANCES; i++)
        xd_instance_destroy(atomic_load(&instances->slots[i].idle));
    pthread_cond_destroy(&instances->given_back);
    pthread_mutex_destroy(&instances->lock);
    free(instances);
}

/* Where to look first: threads that run at the same time are on different processors. */
static uint32_t first_slot(const struct xd_instances *instances)
{
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : (uint32_t)processor % instances->limit;
}

static bool claim_idle(struct xd_instances *instances, struct xd_lease *lease)
{
    const uint32_t first = first_slot(instances);
    for (uint32_t i = 0; i < instances->limit; i++) {
        const uint32_t slot = (first + i) % instances->limit;
        if (!atomic_load_explicit(&instances->slots[slot].idle, memory_order_relaxed))
            continue;
        struct xd_instance *instance = atomic_exchange(&instances->slots[slot].idle, NULL);
        if (!instance)
            continue;
        *lease = (struct xd_lease){.instance = instance, .slot = slot};
        return true;
    }
    return false;
}

void xd_instances_release(struct xd_instances *instances, const struct xd_lease *lease)
{
    if (instances->has_threads)
        atomic_fetch_sub(&instances->running, 1);
    atomic_store(&instances->slots[lease->slot].idle, lease->instance);
    if (atomic_load(&instances->waiting) == 0)
        return;
    pthread_mutex_lock(&instances->lock);
    pthread_cond_signal(&instances->given_back);
    pthread_mutex_unlock(&instances->lock);
}

/* Condition variables know no CLOCK_BOOTTIME: what is left of the time, from now on. */
static struct timespec end_of_wait(int64_t deadline)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t end = now.tv_sec * NANOSECONDS + now.tv_nsec + (deadline - hy_boottime());
    return (struct timespec){.tv_sec = end / NANOSECONDS, .tv_nsec = end % NANOSECONDS};
}

/* With the lock held. */
static bool wait_for_one(struct xd_instances *instances, int64_t deadline, struct xd_lease *lease)
{
    bool is_claimed = false, is_expired = false;
    atomic_fetch_add(&instances->waiting, 1);
    while (!(is_claimed = claim_idle(instances, lease)) && !is_expired) {
        if (deadline == HY_NO_DEADLINE) {
            pthread_cond_wait(&instances->given_back, &instances->lock);
        } else if (!(is_expired = hy_boottime() > deadline)) {
            const struct timespec end = end_of_wait(deadline);
            pthread_cond_clockwait(&instances->given_back, &instances->lock, CLOCK_MONOTONIC, &end);
        }
    }
    atomic_fetch_sub(&instances->waiting, 1);
    return is_claimed;
}

static bool claim_slot(struct xd_instances *instances, uint32_t *ret)
{
    const uint32_t first = first_slot(instances);
    bool found = false;
    pthread_mutex_lock(&instances->lock);
    for (uint32_t i = 0; i < instances->limit && !found; i++) {
        const uint32_t slot = (first + i) % instances->limit;
        found = !instances->is_made[slot];
        instances->is_made[slot] = true;
        *ret = slot;
    }
    pthread_mutex_unlock(&instances->lock);
    return found;
}

/* One more, for a thread that found none idle. If that fails, the others have to do. */
static bool make_another(struct xd_instances *instances, const struct hy_message *message,
                         struct xd_lease *lease)
{
    *lease = (struct xd_lease){.instance = NULL};
    if (!claim_slot(instances, &lease->slot))
        return false;
    if (xd_instance_create(instances->program, 1, message, &lease->instance) == HY_STATUS_OK)
        return true;
    pthread_mutex_lock(&instances->lock);
    instances->is_made[lease->slot] = false;
    pthread_mutex_unlock(&instances->lock);
    return false;
}

int32_t xd_instances_acquire(struct xd_instances *instances, int64_t deadline,
                             const struct hy_message *message, struct xd_lease *ret)
{
    struct xd_lease lease;
    if (!claim_idle(instances, &lease) && !make_another(instances, message, &lease)) {
        pthread_mutex_lock(&instances->lock);
        const bool is_claimed = wait_for_one(instances, deadline, &lease);
        pthread_mutex_unlock(&instances->lock);
        if (!is_claimed)
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    }
    lease.is_alone = instances->has_threads && atomic_fetch_add(&instances->running, 1) == 0;
    *ret = lease;
    return HY_STATUS_OK;
}
