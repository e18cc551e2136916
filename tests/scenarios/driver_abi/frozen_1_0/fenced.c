/* Fenced executions: a thread each, with a copy of the request; and reusable ones. */
#include "frozen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct fenced {
    struct prepared *prepared;
    const struct hy_request *request;
    struct hy_request
        *copy; /* the caller's view is gone after the call; NULL: it is a reusable's */
    struct hy_run_options options;
    int64_t called;
    uint64_t duration;
    int32_t *wait_for; /* duplicates */
    uint32_t wait_count;
    int signal; /* the write end: a byte, or a hang-up where it failed */
    pthread_t thread;
    atomic_bool is_done;
    struct hy_fenced_result result;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* ---- A copy of a request, in one piece ------------------------------------------------------- */

static size_t count_dims(const struct hy_argument *arguments, uint32_t count)
{
    size_t dims = 0;
    for (uint32_t i = 0; i < count; i++)
        dims += arguments[i].rank <= HY_MAX_RANK ? arguments[i].rank : 0;
    return dims;
}

static uint32_t *copy_arguments(struct hy_argument *to, const struct hy_argument *from,
                                uint32_t count, uint32_t *dims)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        if (from[i].rank == 0 || from[i].rank > HY_MAX_RANK || !from[i].dims)
            continue;
        memcpy(dims, from[i].dims, from[i].rank * sizeof *dims);
        to[i].dims = dims;
        dims += from[i].rank;
    }
    return dims;
}

/* Pools stand last but for the dims: all are of 8-byte alignment. Images are refused, not copied.
 */
static struct hy_request *copy_request(const struct hy_request *request)
{
    const size_t arguments = (size_t)request->input_count + request->output_count;
    const size_t dims = count_dims(request->inputs, request->input_count) +
                        count_dims(request->outputs, request->output_count);
    struct hy_request *copy =
        malloc(sizeof *copy + arguments * sizeof(struct hy_argument) +
               request->pool_count * sizeof(struct hy_pool) + dims * sizeof(uint32_t));
    if (!copy)
        return NULL;
    struct hy_argument *inputs = (struct hy_argument *)(copy + 1);
    struct hy_argument *outputs = inputs + request->input_count;
    struct hy_pool *pools = (struct hy_pool *)(outputs + request->output_count);
    uint32_t *next = (uint32_t *)(pools + request->pool_count);
    next = copy_arguments(inputs, request->inputs, request->input_count, next);
    (void)copy_arguments(outputs, request->outputs, request->output_count, next);
    if (request->pool_count > 0)
        memcpy(pools, request->pools, request->pool_count * sizeof *pools);
    *copy = (struct hy_request){.struct_size = sizeof *copy,
                                .input_count = request->input_count,
                                .output_count = request->output_count,
                                .pool_count = request->pool_count,
                                .inputs = inputs,
                                .outputs = outputs,
                                .pools = pools};
    return copy;
}

/* ---- The thread ------------------------------------------------------------------------------ */

static int32_t wait_for_one(int32_t fd, int64_t deadline)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    for (;;) {
        const int64_t left = deadline == HY_NO_DEADLINE ? -1 : (deadline - now()) / 1000000 + 1;
        if (deadline != HY_NO_DEADLINE && left <= 0)
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        const int ready = poll(&poll_fd, 1, left > 1000000 ? 1000000 : (int)left);
        if (ready > 0)
            return poll_fd.revents & POLLIN ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
        if (ready < 0 && errno != EINTR)
            return HY_STATUS_GENERAL_FAILURE;
    }
}

static int32_t run(struct fenced *fenced)
{
    struct hy_output_shape shapes[MOST_ARGUMENTS];
    struct hy_result result = {.struct_size = sizeof result,
                               .output_count = fenced->request->output_count,
                               .outputs = shapes};
    int32_t status = HY_STATUS_OK;
    for (uint32_t i = 0; i < fenced->wait_count && status == HY_STATUS_OK; i++)
        status = wait_for_one(fenced->wait_for[i], fenced->options.deadline);
    const int64_t start = now();
    if (fenced->duration > 0 && fenced->duration < INT64_MAX / 2) {
        const int64_t end = start + (int64_t)fenced->duration;
        if (fenced->options.deadline == HY_NO_DEADLINE || end < fenced->options.deadline)
            fenced->options.deadline = end;
    }
    if (status == HY_STATUS_OK)
        status = fenced->request->output_count <= MOST_ARGUMENTS
                     ? frozen_execute(fenced->prepared, fenced->request, &fenced->options, &result)
                     : HY_STATUS_INVALID_ARGUMENT;
    if (status == HY_STATUS_OK && fenced->options.measure) {
        fenced->result.fenced_on_device = fenced->result.fenced_in_driver =
            (uint64_t)(now() - start);
        fenced->result.launched_on_device = fenced->result.launched_in_driver =
            (uint64_t)(now() - fenced->called);
    }
    return status;
}

static void *serve(void *argument)
{
    struct fenced *fenced = argument;
    const char byte = 1;
    fenced->result.status = run(fenced);
    atomic_store(&fenced->is_done, true);
    if (fenced->result.status == HY_STATUS_OK && write(fenced->signal, &byte, 1) != 1)
        fenced->result.status = HY_STATUS_GENERAL_FAILURE;
    close(fenced->signal);
    return NULL;
}

/* ---- Starting one ---------------------------------------------------------------------------- */

static void dispose(struct fenced *fenced)
{
    for (uint32_t i = 0; i < fenced->wait_count; i++)
        close(fenced->wait_for[i]);
    free(fenced->wait_for);
    free(fenced->copy);
    free(fenced);
}

/* An fd that is none, or in error already, is INVALID_ARGUMENT at once. */
static int32_t keep_fences(struct fenced *fenced, const int32_t *wait_for, uint32_t wait_count)
{
    fenced->wait_for = calloc((size_t)wait_count + 1, sizeof *fenced->wait_for);
    if (!fenced->wait_for)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (uint32_t i = 0; i < wait_count; i++) {
        struct pollfd now_ready = {.fd = wait_for[i], .events = POLLIN};
        const int fd = fcntl(wait_for[i], F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return HY_STATUS_INVALID_ARGUMENT;
        fenced->wait_for[fenced->wait_count++] = fd;
        if (poll(&now_ready, 1, 0) > 0 && !(now_ready.revents & POLLIN))
            return HY_STATUS_INVALID_ARGUMENT;
    }
    return HY_STATUS_OK;
}

static int32_t launch(struct fenced *fenced, int32_t *fence, void **out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    fenced->signal = ends[1];
    if (pthread_create(&fenced->thread, NULL, serve, fenced) != 0) {
        close(ends[0]);
        close(ends[1]);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *fence = ends[0];
    *out = fenced;
    return HY_STATUS_OK;
}

static int32_t start(struct fenced *made, const int32_t *wait_for, uint32_t wait_count,
                     int32_t *fence, void **out)
{
    struct fenced *fenced = malloc(sizeof *fenced);
    if (!fenced) {
        free(made->copy);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *fenced = *made;
    fenced->called = now();
    fenced->result = (struct hy_fenced_result){.struct_size = sizeof fenced->result,
                                               .launched_on_device = HY_NO_TIME,
                                               .launched_in_driver = HY_NO_TIME,
                                               .fenced_on_device = HY_NO_TIME,
                                               .fenced_in_driver = HY_NO_TIME};
    fenced->options.message = (struct hy_message){0};
    fenced->options.hints = NULL;
    fenced->options.hint_count = 0;
    int32_t status = keep_fences(fenced, wait_for, wait_count);
    if (status == HY_STATUS_OK)
        status = launch(fenced, fence, out);
    if (status != HY_STATUS_OK)
        dispose(fenced);
    return status;
}

int32_t frozen_execute_fenced(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced)
{
    const struct program *program = &((struct prepared *)prepared)->program;
    if (!HY_REACHES(request, pools) || !HY_REACHES(options, scratch_bytes) ||
        request->input_count != program->input_count ||
        request->output_count != program->output_count)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_request *copy = copy_request(request);
    struct fenced made = {.prepared = prepared,
                          .request = copy,
                          .copy = copy,
                          .options = *options,
                          .duration = options->duration};
    return copy ? start(&made, wait_for, wait_count, fence, fenced)
                : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

int32_t frozen_fenced_result(void *self, struct hy_fenced_result *result)
{
    struct fenced *fenced = self;
    if (!atomic_load(&fenced->is_done))
        return HY_STATUS_GENERAL_FAILURE;
    hy_fill(result, &fenced->result);
    return HY_STATUS_OK;
}

void frozen_fenced_destroy(void *self)
{
    struct fenced *fenced = self;
    pthread_join(fenced->thread, NULL);
    dispose(fenced);
}

/* ---- Reusable executions: the request stays the caller's, and valid -------------------------- */

struct reusable {
    struct prepared *prepared;
    const struct hy_request *request;
    struct hy_run_options options;
};

int32_t frozen_reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **out)
{
    const struct program *program = &((struct prepared *)prepared)->program;
    if (!HY_REACHES(request, pools) || !HY_REACHES(options, scratch_bytes) ||
        request->input_count != program->input_count ||
        request->output_count != program->output_count)
        return HY_STATUS_INVALID_ARGUMENT;
    struct reusable *reusable = malloc(sizeof *reusable);
    if (!reusable)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *reusable = (struct reusable){.prepared = prepared, .request = request, .options = *options};
    reusable->options.message = (struct hy_message){0};
    reusable->options.hints = NULL;
    reusable->options.hint_count = 0;
    *out = reusable;
    return HY_STATUS_OK;
}

int32_t frozen_reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct reusable *reusable = self;
    struct hy_run_options options = reusable->options;
    options.deadline = deadline;
    return frozen_execute(reusable->prepared, reusable->request, &options, result);
}

int32_t frozen_reusable_execute_fenced(void *self, int64_t deadline, uint64_t duration,
                                       const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                                       void **fenced)
{
    struct reusable *reusable = self;
    struct fenced made = {.prepared = reusable->prepared,
                          .request = reusable->request,
                          .options = reusable->options,
                          .duration = duration};
    made.options.deadline = deadline;
    return start(&made, wait_for, wait_count, fence, fenced);
}

void frozen_reusable_destroy(void *self)
{
    free(self);
}
