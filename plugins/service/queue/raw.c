#include "plugins/service/queue/raw.h"

static int32_t find_memory(void *context, int32_t slot, struct hy_pool *pool)
{
    const struct hy_queue_work *work = ((struct hy_raw_queues *)context)->work;

    return work->find_memory(work->context, slot, pool);
}

static int32_t catch_up(void *context, uint32_t notices)
{
    const struct hy_queue_work *work = ((struct hy_raw_queues *)context)->work;

    return work->catch_up(work->context, notices);
}

static int32_t wait_for_request(void *context, uint32_t read)
{
    static const struct hy_wait_limit no_limit = {HY_NO_DEADLINE, 0};
    struct hy_raw_queues *raw = context;
    struct hy_wait_point point = hy_ring_fill_point(&raw->rings->requests);

    point.seen = read;
    point.peer_cpu = &raw->rings->results.header->reader_cpu;
    if (atomic_load(raw->waiter->dead))
        return HY_STATUS_DEAD_OBJECT;
    return hy_wait(raw->waiter, &point, &no_limit) == HY_WAIT_CHANGED ? HY_STATUS_OK
                                                                      : HY_STATUS_DEAD_OBJECT;
}

/* The driver's store may be weaker than sequentially consistent. The read-modify-write without a
 * change orders the check after the store. */
static void wake_peer(void *context)
{
    struct hy_rings *rings = ((struct hy_raw_queues *)context)->rings;
    _Atomic uint32_t *const sleepers[] = {&rings->results.header->reader_sleeps,
                                          &rings->requests.header->writer_sleeps};

    for (int i = 0; i < 2; i++) {
        if (atomic_fetch_or(sleepers[i], 0) != 0)
            hy_wake(sleepers[i]);
    }
}

void hy_raw_queues_describe(struct hy_raw_queues *raw, struct hy_burst_queues *queues)
{
    *queues = (struct hy_burst_queues){
        .struct_size = sizeof *queues,
        .version = HY_QUEUE_VERSION,
        .requests = raw->rings->requests.header,
        .results = raw->rings->results.header,
        .request_bytes = hy_ring_bytes(raw->rings->requests.capacity),
        .result_bytes = hy_ring_bytes(raw->rings->results.capacity),
        .peer_fd = raw->peer_fd,
        .context = raw,
        .catch_up = catch_up,
        .find_memory = find_memory,
        .wait = wait_for_request,
        .wake = wake_peer,
        .cancelled = raw->cancelled,
    };
}

void hy_raw_queues_resume(struct hy_raw_queues *raw)
{
    struct hy_ring *results = &raw->rings->results;

    results->own = atomic_load(&results->header->written);
    results->other = results->own - results->capacity; /* no space, until `read` is checked again */
}
