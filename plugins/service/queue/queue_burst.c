#include "plugins/service/queue/queue_burst.h"

#include <stdio.h>
#include <stdlib.h>

#include "plugins/service/queue/in_flight.h"
#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/queue/slots.h"

#define CAPACITY 1024u /* elements of each ring */

struct hy_queue_burst {
    struct hy_rings rings;
    struct hy_queue_burst_owner owner;
    struct hy_in_flight in_flight;
    uint64_t hang_timeout_ns;
    atomic_bool dead;      /* the service is gone */
    bool is_disowned;      /* the rings belong to the parent of a fork() */
    atomic_bool is_closed; /* the rings are not usable any more */
    struct hy_slots slots;

    pthread_mutex_t sending; /* protects the members below */
    uint32_t notices_sent;   /* count in the last packet */
    union hy_element request[CAPACITY];
    int32_t found[CAPACITY]; /* slots of the pools of `request` */

    /* for the reader only, see in_flight.h */
    struct hy_waiter waiter;
    union hy_element arrived[CAPACITY];

    /* counts */
    _Atomic uint64_t fast, inexpressible, too_large, full, closed;
};

/* ---- Life ------------------------------------------------------------------------------------ */

static void destroy(struct hy_queue_burst *burst)
{
    hy_rings_close(&burst->rings);
    hy_in_flight_finish(&burst->in_flight);
    hy_slots_finish(&burst->slots);
    pthread_mutex_destroy(&burst->sending);
    free(burst);
}

static uint32_t depth_of(const struct hy_queue_burst_rules *rules)
{
    if (rules->depth == 0)
        return 1;
    return rules->depth < HY_MAX_BURST_DEPTH ? rules->depth : HY_MAX_BURST_DEPTH;
}

enum hy_code hy_queue_burst_create(const struct hy_queue_burst_owner *owner,
                                   const struct hy_queue_burst_rules *rules,
                                   struct hy_queue_burst **ret, int *fd, struct hy_error *err)
{
    struct hy_queue_burst *burst = calloc(1, sizeof *burst);
    if (!burst)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a burst");

    burst->owner = *owner;
    burst->hang_timeout_ns = rules->hang_timeout_ns;
    pthread_mutex_init(&burst->sending, NULL);
    hy_slots_init(&burst->slots, &burst->owner, &burst->in_flight);
    hy_waiter_init(&burst->waiter, &burst->dead, rules->spin_ns);
    burst->waiter.naps = true;
    burst->waiter.polls = rules->polls;
    enum hy_code code =
        hy_in_flight_init(&burst->in_flight, depth_of(rules), CAPACITY, &burst->waiter, err);
    if (code == HY_OK)
        code = hy_rings_create(CAPACITY, &burst->rings, fd, err);
    if (code != HY_OK) {
        destroy(burst);
        return code;
    }
    *ret = burst;
    return HY_OK;
}

void hy_queue_burst_destroy(struct hy_queue_burst *burst)
{
    if (!burst)
        return;
    if (!burst->is_disowned)
        hy_packet_close(&burst->rings.requests);
    destroy(burst);
}

void hy_queue_burst_set_dead(struct hy_queue_burst *burst)
{
    atomic_store(&burst->dead, true);
    if (!burst->is_disowned)
        hy_rings_interrupt(&burst->rings);
    hy_in_flight_interrupt(&burst->in_flight);
}

void hy_queue_burst_disown(struct hy_queue_burst *burst)
{
    atomic_store(&burst->dead, true);
    burst->is_disowned = true;
}

void hy_queue_burst_release(struct hy_queue_burst *burst, uint64_t pool_id)
{
    hy_slots_release(&burst->slots, pool_id);
}

void hy_queue_burst_get_counts(const struct hy_queue_burst *burst,
                               struct hy_queue_burst_counts *counts)
{
    *counts = (struct hy_queue_burst_counts){
        .fast = atomic_load(&burst->fast),
        .inexpressible = atomic_load(&burst->inexpressible),
        .too_large = atomic_load(&burst->too_large),
        .full = atomic_load(&burst->full),
        .closed = atomic_load(&burst->closed),
    };
}

/* ---- What an execution ends with ------------------------------------------------------------- */

static int32_t go_ordinary(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    return HY_QUEUE_ORDINARY;
}

static int32_t fail(const struct hy_run_options *options, int32_t status, const char *text)
{
    if (options->message.text && options->message.size > 0)
        snprintf(options->message.text, options->message.size, "%s", text);
    return status;
}

static int32_t fail_closed(const struct hy_run_options *options)
{
    return fail(options, HY_STATUS_GENERAL_FAILURE, "the service has closed the burst");
}

/* Ends an abandoned execution. */
static int32_t give_up(struct hy_queue_burst *burst, const struct hy_run_options *options,
                       enum hy_wait_end end)
{
    switch (end) {
    case HY_WAIT_EXPIRED:
        return fail(options, HY_STATUS_MISSED_DEADLINE_TRANSIENT,
                    "the service did not reply by the deadline");
    case HY_WAIT_IMPATIENT:
        if (!atomic_load(&burst->dead)) {
            hy_queue_burst_set_dead(burst);
            if (burst->owner.stuck)
                burst->owner.stuck(burst->owner.context);
        }
        return fail(options, HY_STATUS_DEAD_OBJECT, "the service does not reply");
    default:
        return fail(options, HY_STATUS_DEAD_OBJECT, "the service has ended");
    }
}

static int32_t read_result(const union hy_element *elements, uint32_t length,
                           const struct hy_run_options *options, struct hy_result *result)
{
    char text[HY_QUEUE_TEXT_SIZE];
    int32_t status;

    if (!hy_result_packet_decode(elements, length, &status, result, text))
        return fail(options, HY_STATUS_GENERAL_FAILURE, "the result of the service is malformed");
    if (status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        return status;
    if (status < 0 || status > HY_STATUS_DEAD_OBJECT)
        status = HY_STATUS_GENERAL_FAILURE;
    return fail(options, status, text);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* The caller holds the lock `sending`. Notices are sent only if the request can follow. */
static int32_t write_request(struct hy_queue_burst *burst, struct hy_in_flight_entry *entry,
                             const struct hy_request *request, const struct hy_run_options *options)
{
    uint64_t slots = 0;

    const uint64_t length =
        hy_request_packet_encode(request, options, burst->request, CAPACITY - 1);
    if (length == 0 || length > CAPACITY - 1)
        return go_ordinary(length == 0 ? &burst->inexpressible : &burst->too_large);
    const enum hy_ring_state space = hy_ring_space(&burst->rings.requests, (uint32_t)length + 1);
    if (space == HY_RING_BROKEN)
        atomic_store(&burst->is_closed, true);
    if (space != HY_RING_DONE)
        return go_ordinary(space == HY_RING_WAIT ? &burst->full : &burst->closed);
    const enum hy_slots_end end = hy_slots_find(&burst->slots, request->pools, request->pool_count,
                                                options->deadline, burst->found, &slots);
    if (end != HY_SLOTS_FOUND)
        return go_ordinary(end == HY_SLOTS_TOO_FEW ? &burst->too_large : &burst->closed);
    atomic_store(&entry->slots, slots);

    const uint32_t notices = atomic_load(&burst->slots.notices);
    hy_request_packet_set_slots(request, burst->found, burst->request);
    if (notices != burst->notices_sent)
        hy_request_packet_add_notices(notices, burst->request);
    struct hy_request_datum *packet = &burst->request[0].request;
    packet->packet.number = atomic_load(&entry->number);
    (void)hy_ring_write(&burst->rings.requests, burst->request,
                        packet->packet.elements); /* the space was checked above */
    burst->notices_sent = notices;
    return HY_STATUS_OK;
}

static int32_t send(struct hy_queue_burst *burst, struct hy_in_flight_entry *entry,
                    const struct hy_request *request, const struct hy_run_options *options)
{
    pthread_mutex_lock(&burst->sending);
    const int32_t status = write_request(burst, entry, request, options);
    pthread_mutex_unlock(&burst->sending);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* For the reader: reads a packet into burst->arrived. False: the burst has ended. */
static bool pop_result(struct hy_queue_burst *burst, uint32_t *length)
{
    if (hy_result_packet_pop(&burst->rings.results, burst->arrived, length) == HY_PACKET_WHOLE)
        return true;
    atomic_store(&burst->is_closed, true);
    return false;
}

/* Delivers the packet to its entry. False: no thread expects the result, and the burst is
 * closed. */
static bool bring_result(struct hy_queue_burst *burst, uint32_t length)
{
    const uint32_t number = burst->arrived[0].result.packet.number;

    if (hy_in_flight_bring(&burst->in_flight, number, burst->arrived, length))
        return true;
    atomic_store(&burst->is_closed, true);
    return false;
}

/* Reads the results of abandoned executions and the end of the burst, if no thread is reading. */
static void collect(struct hy_queue_burst *burst)
{
    uint32_t fill, length;

    if (!hy_in_flight_start_reading(&burst->in_flight))
        return;
    while (hy_ring_fill(&burst->rings.results, &fill) != HY_RING_WAIT &&
           pop_result(burst, &length) && bring_result(burst, length))
        ;
    hy_in_flight_stop_reading(&burst->in_flight);
}

bool hy_queue_burst_is_open(const struct hy_queue_burst *burst)
{
    return !atomic_load(&burst->dead) && !atomic_load(&burst->is_closed);
}

bool hy_queue_burst_has_timeouts(struct hy_queue_burst *burst)
{
    if (atomic_load(&burst->dead))
        return false;
    collect(burst);
    return !atomic_load(&burst->is_closed) && hy_in_flight_has_abandoned(&burst->in_flight);
}

/* Reads as the reader until the own result has arrived. */
static enum hy_wait_end read_until_own(struct hy_queue_burst *burst,
                                       const struct hy_in_flight_entry *entry,
                                       const struct hy_wait_limit *limit)
{
    enum hy_wait_end end = HY_WAIT_CHANGED;
    uint32_t length;

    while (atomic_load(&entry->state) == HY_IN_FLIGHT_WAITING && !atomic_load(&burst->is_closed)) {
        struct hy_wait_point point = hy_ring_fill_point(&burst->rings.results);
        point.peer_cpu = &burst->rings.requests.header->reader_cpu;
        end = hy_wait(&burst->waiter, &point, limit);
        if (end != HY_WAIT_CHANGED)
            break;
        if (pop_result(burst, &length))
            (void)bring_result(burst, length);
    }
    hy_in_flight_stop_reading(&burst->in_flight);
    return end;
}

/* Waits for the result and reads it. */
static int32_t receive(struct hy_queue_burst *burst, struct hy_in_flight_entry *entry,
                       const struct hy_run_options *options, struct hy_result *result)
{
    /* the service may execute the other requests first */
    const struct hy_wait_limit limit = {
        options->deadline, burst->hang_timeout_ns * hy_in_flight_count(&burst->in_flight)};

    for (;;) {
        const struct hy_wait_point news = {&entry->news, &entry->sleeps, atomic_load(&entry->news),
                                           &burst->rings.requests.header->reader_cpu};
        enum hy_wait_end end = HY_WAIT_CHANGED;
        if (hy_in_flight_start_reading(&burst->in_flight))
            end = read_until_own(burst, entry, &limit);
        else if (atomic_load(&entry->state) == HY_IN_FLIGHT_WAITING)
            end = hy_wait(&entry->waiter, &news, &limit);

        if (atomic_load(&entry->state) == HY_IN_FLIGHT_DONE) {
            const int32_t status = read_result(entry->result, entry->length, options, result);
            hy_in_flight_entry_free(entry);
            return status;
        }
        if (atomic_load(&burst->is_closed))
            return fail_closed(options);
        if (end != HY_WAIT_CHANGED && hy_in_flight_entry_abandon(entry))
            return give_up(burst, options, end);
    }
}

int32_t hy_queue_burst_execute(struct hy_queue_burst *burst, const struct hy_request *request,
                               const struct hy_run_options *options, struct hy_result *result)
{
    if (atomic_load_explicit(&burst->dead, memory_order_relaxed))
        return fail(options, HY_STATUS_DEAD_OBJECT, "the service has ended");
    collect(burst);
    if (atomic_load(&burst->is_closed))
        return go_ordinary(&burst->closed);
    struct hy_in_flight_entry *entry = hy_in_flight_acquire(&burst->in_flight);
    if (!entry)
        return go_ordinary(&burst->full);
    const int32_t sent = send(burst, entry, request, options);
    if (sent != HY_STATUS_OK) {
        hy_in_flight_entry_free(entry);
        return sent;
    }
    atomic_fetch_add_explicit(&burst->fast, 1, memory_order_relaxed);
    return receive(burst, entry, options, result);
}
