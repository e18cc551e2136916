#include "driver_kit/fenced.h"

#include "driver_kit/clock.h"
#include "driver_kit/request_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MILLISECONDS INT64_C(1000000)

/* Interval at which a waiting thread polls the cancelled word, which has no descriptor. */
#define LOOK_MS 20

struct fenced {
    hy_execute_fn *execute;
    void *prepared;
    struct hy_request *request; /* a copy */
    struct hy_run_options options;
    int64_t called; /* time of the execute_fenced call */
    int signal;     /* socket that signals the fence */
    pthread_t thread;
    atomic_bool is_over;            /* `result` is whole */
    struct hy_fenced_result result; /* written by the thread */
    struct hy_output_shape *shapes;
    uint32_t wait_count;
    struct pollfd wait_for[]; /* duplicates */
};

/* ---- The fence ------------------------------------------------------------------------------- */

/* Creates the fence, a pair of sockets. The signalling socket has an unread byte in its queue.
 * Closing a socket with unread bytes puts the peer in error (ECONNRESET), which reports a failure.
 */
static bool make_fence(int *fence, int *signal)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    if (write(ends[0], "", 1) != 1) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    *fence = ends[0];
    *signal = ends[1];
    return true;
}

/* To report success, the signalling socket reads its own byte and sends one. A byte always fits. */
static void end_fence(int signal, bool is_success)
{
    char byte;
    if (is_success && read(signal, &byte, 1) == 1)
        (void)!write(signal, "", 1);
    close(signal);
}

/* ---- On the thread --------------------------------------------------------------------------- */

/* The poll timeout in ms until the next check; -1: no limit. */
static int time_to_next_look(const struct hy_run_options *options)
{
    int64_t left = options->cancelled ? LOOK_MS : INT_MAX;
    if (options->deadline != HY_NO_DEADLINE) {
        const int64_t to_deadline = (options->deadline - hy_boottime()) / MILLISECONDS + 1;
        left = to_deadline < left ? to_deadline : left;
    }
    return left == INT_MAX ? -1 : left > 0 ? (int)left : 0;
}

static bool is_expired(const struct hy_run_options *options)
{
    return hy_is_cancelled(options->cancelled) || hy_deadline_is_past(options->deadline);
}

static int32_t wait_for_one(struct fenced *fenced, struct pollfd *look)
{
    for (;;) {
        if (is_expired(&fenced->options))
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        const int ready = poll(look, 1, time_to_next_look(&fenced->options));
        if (ready > 0)
            return (look->revents & (POLLERR | POLLNVAL)) || !(look->revents & POLLIN)
                       ? HY_STATUS_GENERAL_FAILURE
                       : HY_STATUS_OK;
        if (ready < 0 && errno != EINTR)
            return HY_STATUS_GENERAL_FAILURE;
    }
}

static int32_t wait_for_all(struct fenced *fenced)
{
    int32_t status = HY_STATUS_OK;
    for (uint32_t i = 0; status == HY_STATUS_OK && i < fenced->wait_count; i++)
        status = wait_for_one(fenced, &fenced->wait_for[i]);
    return status;
}

/* The duration starts when all descriptors are signalled. The earlier of deadline and duration
 * applies. */
static void limit_duration(struct hy_run_options *options, int64_t start)
{
    if (options->duration == 0 || options->duration > (uint64_t)(INT64_MAX - start))
        return;
    const int64_t end = start + (int64_t)options->duration;
    if (options->deadline == HY_NO_DEADLINE || end < options->deadline)
        options->deadline = end;
}

static void report_times(struct fenced *fenced, int64_t start, bool has_device_time)
{
    struct hy_fenced_result *result = &fenced->result;
    const int64_t end = hy_boottime();
    result->launched_in_driver = (uint64_t)(end - fenced->called);
    result->fenced_in_driver = (uint64_t)(end - start);
    if (has_device_time) {
        result->launched_on_device = result->launched_in_driver;
        result->fenced_on_device = result->fenced_in_driver;
    }
}

static void run(struct fenced *fenced)
{
    struct hy_result result = {
        .struct_size = sizeof result,
        .output_count = fenced->request->output_count,
        .outputs = fenced->shapes,
        .time_on_device = HY_NO_TIME,
        .time_in_driver = HY_NO_TIME,
    };
    int32_t status = wait_for_all(fenced);
    const int64_t start = hy_boottime();
    if (status == HY_STATUS_OK) {
        limit_duration(&fenced->options, start);
        status = fenced->execute(fenced->prepared, fenced->request, &fenced->options, &result);
    }
    fenced->result.status = status;
    if (status == HY_STATUS_OK && fenced->options.measure)
        report_times(fenced, start, result.time_on_device != HY_NO_TIME);
}

static void *serve(void *self)
{
    struct fenced *fenced = self;
    run(fenced);
    atomic_store_explicit(&fenced->is_over, true, memory_order_release);
    end_fence(fenced->signal, fenced->result.status == HY_STATUS_OK);
    return NULL;
}

/* ---- Launching ------------------------------------------------------------------------------- */

/* The thread blocks all signals except its own faults: the host may guard truncated memory by
 * SIGBUS. */
static bool start_thread(struct fenced *fenced)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t mask, before;
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    const int error = pthread_create(&fenced->thread, NULL, serve, fenced);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

static void destroy(struct fenced *fenced)
{
    for (uint32_t i = 0; i < fenced->wait_count; i++)
        close(fenced->wait_for[i].fd);
    free(fenced->request);
    free(fenced->shapes);
    free(fenced);
}

static int32_t duplicate(struct fenced *fenced, const int32_t *wait_for, uint32_t wait_count)
{
    for (uint32_t i = 0; i < wait_count; i++) {
        const int fd = fcntl(wait_for[i], F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return errno == EBADF ? HY_STATUS_INVALID_ARGUMENT
                                  : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
        fenced->wait_for[fenced->wait_count++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    return HY_STATUS_OK;
}

static int32_t launch(struct fenced *fenced, int32_t *ret)
{
    int fence = -1;
    if (!make_fence(&fence, &fenced->signal))
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (!start_thread(fenced)) {
        close(fenced->signal);
        close(fence);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *ret = fence;
    return HY_STATUS_OK;
}

static struct fenced *create(hy_execute_fn *execute, void *prepared,
                             const struct hy_request *request, const struct hy_run_options *options,
                             uint32_t wait_count)
{
    struct fenced *fenced = calloc(1, sizeof *fenced + wait_count * sizeof *fenced->wait_for);
    if (!fenced)
        return NULL;
    fenced->execute = execute;
    fenced->prepared = prepared;
    fenced->request = hy_request_copy(request);
    fenced->shapes = calloc((size_t)request->output_count + 1, sizeof *fenced->shapes);
    fenced->called = hy_boottime();
    fenced->options = (struct hy_run_options){
        .struct_size = sizeof fenced->options,
        .measure = options->measure,
        .deadline = options->deadline,
        .loop_timeout = options->loop_timeout,
        .duration = options->duration,
        .scratch = options->scratch,
        .scratch_bytes = options->scratch_bytes,
        .cancelled = HY_CANCELLED_WORD(options),
    };
    fenced->result = (struct hy_fenced_result){
        .struct_size = sizeof fenced->result,
        .launched_on_device = HY_NO_TIME,
        .launched_in_driver = HY_NO_TIME,
        .fenced_on_device = HY_NO_TIME,
        .fenced_in_driver = HY_NO_TIME,
    };
    if (fenced->request && fenced->shapes)
        return fenced;
    destroy(fenced);
    return NULL;
}

int32_t hy_fenced_execute(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, const int32_t *wait_for,
                          uint32_t wait_count, int32_t *fence, void **ret)
{
    if (!HY_REACHES(options, scratch_bytes) || !hy_request_is_whole(request))
        return HY_STATUS_INVALID_ARGUMENT;
    struct fenced *fenced = create(execute, prepared, request, options, wait_count);
    if (!fenced)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    int32_t status = duplicate(fenced, wait_for, wait_count);
    if (status == HY_STATUS_OK)
        status = launch(fenced, fence);
    if (status == HY_STATUS_OK)
        *ret = fenced;
    else
        destroy(fenced);
    return status;
}

int32_t hy_fenced_result(void *self, struct hy_fenced_result *result)
{
    const struct fenced *fenced = self;
    if (!atomic_load_explicit(&fenced->is_over, memory_order_acquire))
        return HY_STATUS_GENERAL_FAILURE;
    hy_fill(result, &fenced->result);
    return HY_STATUS_OK;
}

void hy_fenced_destroy(void *self)
{
    struct fenced *fenced = self;
    pthread_join(fenced->thread, NULL);
    destroy(fenced);
}
