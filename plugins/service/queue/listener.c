#include "plugins/service/queue/listener.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/raw.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/result_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/ranges.h"

/* Interval in ns at which stop wakes the thread again: a client that writes to the rings can undo a
 * wake-up. */
#define WAKE_AGAIN_NS 50000000

struct hy_queue_listener {
    struct hy_rings rings;
    struct hy_queue_work work;
    struct hy_raw_queues raw;
    pthread_t thread;
    atomic_bool dead;
    _Atomic uint32_t ended; /* futex: 1 when the thread ends */
    struct hy_waiter for_requests, for_space;
    struct hy_request_parts parts;
    struct hy_output_shape *shapes; /* one per element of a request */
    union hy_element *request;      /* capacity of the ring of requests */
    union hy_element *reply;        /* capacity of the ring of results */
    char error_text[HY_QUEUE_TEXT_SIZE];
};

static const struct hy_wait_limit no_limit = {HY_NO_DEADLINE, 0};

/* ---- One request ----------------------------------------------------------------------------- */

static int32_t refuse(struct hy_queue_listener *listener, int32_t status, const char *text)
{
    snprintf(listener->error_text, sizeof listener->error_text, "%s", text);
    return status;
}

static int32_t find_pools(struct hy_queue_listener *listener)
{
    struct hy_request_parts *parts = &listener->parts;
    const struct hy_queue_work *work = &listener->work;

    if (parts->has_notices) {
        const int32_t status = work->catch_up(work->context, parts->notices);
        if (status != HY_STATUS_OK)
            return refuse(listener, status, "the messages sent before the request cannot be read");
    }
    for (uint32_t i = 0; i < parts->pool_count; i++) {
        if (parts->slots[i] == HY_QUEUE_NO_SLOT)
            continue;
        const int32_t status = work->find_memory(work->context, parts->slots[i], &parts->pools[i]);
        if (status != HY_STATUS_OK)
            return refuse(listener, status, "the request names an empty slot");
    }
    return HY_STATUS_OK;
}

static int32_t execute(struct hy_queue_listener *listener, struct hy_result *result)
{
    const struct hy_request_parts *parts = &listener->parts;
    const struct hy_request request = {
        .struct_size = sizeof request,
        .input_count = parts->input_count,
        .output_count = parts->output_count,
        .pool_count = parts->pool_count,
        .inputs = parts->arguments,
        .outputs = parts->arguments + parts->input_count,
        .pools = parts->pools,
    };
    const struct hy_run_options options = {
        .struct_size = sizeof options,
        .measure = parts->measure,
        .deadline = parts->deadline,
        .loop_timeout = parts->loop_timeout,
        .message = {listener->error_text, sizeof listener->error_text},
        .cancelled = listener->raw.cancelled,
    };
    struct hy_error err;

    if (hy_request_check_ranges(&request, &err) != HY_OK)
        return refuse(listener, HY_STATUS_INVALID_ARGUMENT, err.text);
    return listener->work.execute(listener->work.context, &request, &options, result);
}

static int32_t run(struct hy_queue_listener *listener, struct hy_result *result)
{
    const int32_t status = find_pools(listener);
    if (status != HY_STATUS_OK)
        return status;
    result->output_count = listener->parts.output_count;
    const int32_t ended = execute(listener, result);
    result->output_count = listener->parts.output_count; /* the driver may have changed both */
    result->outputs = listener->shapes;
    return ended;
}

/* Executes the request in a packet, encodes the reply and returns its number of elements. */
static uint32_t reply(struct hy_queue_listener *listener, uint32_t count)
{
    struct hy_result result = {
        .struct_size = sizeof result,
        .outputs = listener->shapes,
        .time_on_device = HY_NO_TIME,
        .time_in_driver = HY_NO_TIME,
    };
    int32_t status;

    listener->error_text[0] = '\0';
    if (hy_request_packet_decode(listener->request, count, &listener->parts))
        status = run(listener, &result);
    else
        status = refuse(listener, HY_STATUS_GENERAL_FAILURE, "the request is malformed");
    const uint32_t elements = hy_result_packet_encode(
        status, &result, listener->error_text, listener->reply, listener->rings.results.capacity);
    listener->reply[0].result.packet.number = listener->request[0].request.packet.number;
    return elements;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* False: the burst is over. */
static bool put_reply(struct hy_queue_listener *listener, uint32_t count)
{
    struct hy_ring *results = &listener->rings.results;
    enum hy_ring_state state;

    while ((state = hy_ring_write(results, listener->reply, count)) == HY_RING_WAIT) {
        const struct hy_wait_point point = hy_ring_space_point(results);
        if (hy_wait(&listener->for_space, &point, &no_limit) != HY_WAIT_CHANGED)
            return false;
    }
    return state == HY_RING_DONE;
}

/* Waits for a packet and replies. False: the burst is over. */
static bool serve_one(struct hy_queue_listener *listener)
{
    struct hy_ring *requests = &listener->rings.requests;
    struct hy_wait_point point = hy_ring_fill_point(requests);
    uint32_t count = 0;

    point.peer_cpu = &listener->rings.results.header->reader_cpu;
    if (hy_wait(&listener->for_requests, &point, &no_limit) != HY_WAIT_CHANGED)
        return false;
    return hy_request_packet_pop(requests, listener->request, &count) == HY_PACKET_WHOLE &&
           put_reply(listener, reply(listener, count));
}

/* False: the driver has not touched the queues. */
static bool serve_raw(struct hy_queue_listener *listener)
{
    const struct hy_queue_work *work = &listener->work;
    struct hy_burst_queues queues;

    if (!work->serve)
        return false;
    hy_raw_queues_describe(&listener->raw, &queues);
    if (work->serve(work->context, &queues) != HY_STATUS_OK)
        return false;
    hy_raw_queues_resume(&listener->raw);
    return true;
}

static void *listen(void *argument)
{
    struct hy_queue_listener *listener = argument;

    if (!serve_raw(listener)) {
        while (!atomic_load_explicit(&listener->dead, memory_order_relaxed) && serve_one(listener))
            ;
    }
    hy_packet_close(&listener->rings.results);
    atomic_store(&listener->ended, 1);
    hy_futex_wake(&listener->ended);
    return NULL;
}

/* Blocks all signals on the thread but its own faults: the SIGBUS guard needs the faults. */
static enum hy_code start_thread(struct hy_queue_listener *listener, struct hy_error *err)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t mask, before;

    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    const int error = pthread_create(&listener->thread, NULL, listen, listener);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? HY_OK
                      : hy_fail(err, HY_FAILED, "no thread for a burst: %s", strerror(error));
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void destroy(struct hy_queue_listener *listener)
{
    hy_rings_close(&listener->rings);
    hy_request_parts_finish(&listener->parts);
    free(listener->shapes);
    free(listener->request);
    free(listener->reply);
    free(listener);
}

static enum hy_code reserve(struct hy_queue_listener *listener, struct hy_error *err)
{
    const uint32_t capacity = listener->rings.requests.capacity;
    const uint32_t space = listener->rings.results.capacity;

    listener->shapes = calloc(capacity, sizeof *listener->shapes);
    listener->request = calloc(capacity, sizeof *listener->request);
    listener->reply = calloc(space, sizeof *listener->reply);
    if (!listener->shapes || !listener->request || !listener->reply)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a burst of %u elements", capacity);
    return hy_request_parts_init(&listener->parts, capacity, err);
}

static enum hy_code start(struct hy_queue_listener *listener, int memory,
                          const struct hy_queue_listener_rules *rules, struct hy_error *err)
{
    enum hy_code code = hy_rings_open(memory, &listener->rings, err);
    if (code == HY_OK)
        code = reserve(listener, err);
    if (code != HY_OK)
        return code;
    hy_waiter_init(&listener->for_requests, &listener->dead, rules->spin_ns);
    hy_waiter_init(&listener->for_space, &listener->dead, rules->spin_ns);
    listener->for_requests.polls = rules->polls;
    listener->for_space.polls = rules->polls;
    listener->raw = (struct hy_raw_queues){
        .rings = &listener->rings,
        .work = &listener->work,
        .waiter = &listener->for_requests,
        .peer_fd = rules->peer_fd,
        .cancelled = rules->cancelled,
    };
    return start_thread(listener, err);
}

enum hy_code hy_queue_listener_start(int memory, const struct hy_queue_work *work,
                                     const struct hy_queue_listener_rules *rules,
                                     struct hy_queue_listener **ret, struct hy_error *err)
{
    struct hy_queue_listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a burst");
    listener->work = *work;
    enum hy_code code = start(listener, memory, rules, err);
    if (code != HY_OK) {
        destroy(listener);
        return code;
    }
    *ret = listener;
    return HY_OK;
}

void hy_queue_listener_stop(struct hy_queue_listener *listener)
{
    if (!listener)
        return;
    atomic_store(&listener->dead, true);
    while (atomic_load(&listener->ended) == 0) {
        hy_rings_interrupt(&listener->rings);
        hy_futex_wait(&listener->ended, 0, WAKE_AGAIN_NS);
    }
    pthread_join(listener->thread, NULL);
    destroy(listener);
}
