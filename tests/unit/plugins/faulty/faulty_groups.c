/* The optional groups: bursts, reusable and fenced executions. */
#include "faulty.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- Bursts ---------------------------------------------------------------------------------- */

struct burst {
    struct prepared *prepared;
    struct hy_pool first; /* of the first request; kept by a driver that never drops it */
    int has_first;
};

/* The first pool is always that of the first request. */
static int32_t execute_on_saved_pools(struct burst *burst, const struct hy_request *request,
                                      const struct hy_run_options *options,
                                      struct hy_result *result)
{
    struct hy_pool pools[8];
    struct hy_request copy = *request;
    if (request->pool_count == 0 || request->pool_count > sizeof pools / sizeof *pools)
        return faulty_execute(burst->prepared, request, options, result);
    memcpy(pools, request->pools, request->pool_count * sizeof *pools);
    if (!burst->has_first)
        burst->first = pools[0];
    burst->has_first = 1;
    pools[0] = burst->first;
    copy.pools = pools;
    return faulty_execute(burst->prepared, &copy, options, result);
}

static int32_t burst_open(void *prepared, void **out)
{
    struct burst *burst = calloc(1, sizeof *burst);
    if (!burst)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    burst->prepared = prepared;
    *out = burst;
    return HY_STATUS_OK;
}

static int32_t burst_execute(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *burst = self;
    const int32_t status = has_fault(burst->prepared->device, "burst-keeps-released")
                               ? execute_on_saved_pools(burst, request, options, result)
                               : faulty_execute(burst->prepared, request, options, result);
    if (status == HY_STATUS_OK && has_fault(burst->prepared->device, "burst-no-shapes"))
        memset(result->outputs, 0, sizeof *result->outputs);
    return has_fault(burst->prepared->device, "burst-fails") ? HY_STATUS_GENERAL_FAILURE : status;
}

static void burst_release(void *self, uint64_t pool_id)
{
    struct burst *burst = self;
    (void)pool_id;
    if (has_fault(burst->prepared->device, "burst-release-crashes"))
        faulty_crash();
}

static void burst_close(void *burst)
{
    free(burst);
}

/* ---- Reusable executions --------------------------------------------------------------------- */

struct reusable {
    struct prepared *prepared;
    const struct hy_request *request;
    struct hy_run_options options;
    unsigned runs;
};

static int32_t reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **out)
{
    struct reusable *reusable = calloc(1, sizeof *reusable);
    if (!reusable)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *reusable = (struct reusable){.prepared = prepared, .request = request, .options = *options};
    *out = reusable;
    return HY_STATUS_OK;
}

static int32_t reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct reusable *reusable = self;
    reusable->options.deadline = deadline;
    if (has_fault(reusable->prepared->device, "reusable-once") && reusable->runs++ > 0)
        return HY_STATUS_GENERAL_FAILURE;
    return faulty_execute(reusable->prepared, reusable->request, &reusable->options, result);
}

static void reusable_destroy(void *reusable)
{
    free(reusable);
}

/* ---- Fenced executions ----------------------------------------------------------------------- */

struct fenced {
    struct prepared *prepared;
    struct hy_request request; /* a copy with all that it points to: the view ends with the call */
    struct hy_argument arguments[3];
    struct hy_pool pools[8];
    struct hy_run_options options;
    int gate, fence; /* the first ones ours to close */
    atomic_int status;
    pthread_t thread;
};

#define RUNNING (-1)

static void *run_fenced(void *argument)
{
    struct fenced *fenced = argument;
    struct hy_output_shape shape;
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    struct pollfd poller = {.fd = fenced->gate, .events = POLLIN};
    if (fenced->gate >= 0 && !has_fault(fenced->prepared->device, "fence-early"))
        poll(&poller, 1, -1);
    atomic_store(&fenced->status,
                 faulty_execute(fenced->prepared, &fenced->request, &fenced->options, &result));
    if (!has_fault(fenced->prepared->device, "fence-never"))
        eventfd_write(fenced->fence, 1);
    return NULL;
}

static int save_request(struct fenced *fenced, const struct hy_request *request)
{
    if (request->input_count > 2 || request->output_count != 1 || request->pool_count > 8)
        return 0;
    fenced->request = *request;
    memcpy(fenced->arguments, request->inputs, request->input_count * sizeof *request->inputs);
    fenced->arguments[2] = request->outputs[0];
    memcpy(fenced->pools, request->pools, request->pool_count * sizeof *request->pools);
    if (has_fault(fenced->prepared->device, "fence-keeps-view"))
        return 1;
    fenced->request.inputs = fenced->arguments;
    fenced->request.outputs = &fenced->arguments[2];
    fenced->request.pools = fenced->pools;
    return 1;
}

static int32_t execute_fenced(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **out)
{
    struct fenced *fenced = calloc(1, sizeof *fenced);
    if (!fenced)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    fenced->prepared = prepared;
    if (!save_request(fenced, request)) {
        free(fenced);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    fenced->options = *options;
    fenced->options.message = (struct hy_message){NULL, 0};
    fenced->gate = wait_count > 0 ? dup(wait_for[0]) : -1;
    fenced->fence = eventfd(0, EFD_CLOEXEC);
    atomic_store(&fenced->status, RUNNING);
    if (pthread_create(&fenced->thread, NULL, run_fenced, fenced) != 0) {
        close(fenced->fence);
        free(fenced);
        return HY_STATUS_GENERAL_FAILURE;
    }
    if (has_fault(fenced->prepared->device, "fence-early"))
        poll(&(struct pollfd){.fd = fenced->fence, .events = POLLIN}, 1, -1);
    *fence = dup(fenced->fence);
    *out = fenced;
    return HY_STATUS_OK;
}

static int32_t fenced_result(void *self, struct hy_fenced_result *result)
{
    struct fenced *fenced = self;
    const int status = atomic_load(&fenced->status);
    if (status == RUNNING)
        return HY_STATUS_GENERAL_FAILURE;
    *result = (struct hy_fenced_result){.struct_size = sizeof *result,
                                        .status = status,
                                        .launched_on_device = HY_NO_TIME,
                                        .launched_in_driver = HY_NO_TIME,
                                        .fenced_on_device = HY_NO_TIME,
                                        .fenced_in_driver = HY_NO_TIME};
    return HY_STATUS_OK;
}

static void fenced_destroy(void *self)
{
    struct fenced *fenced = self;
    pthread_join(fenced->thread, NULL);
    close(fenced->fence);
    if (fenced->gate >= 0)
        close(fenced->gate);
    free(fenced);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static int32_t wait_for_device(void *self, int64_t deadline)
{
    (void)deadline;
    if (has_fault(self, "wait-hangs"))
        for (;;)
            pause();
    return has_fault(self, "wait-fails") ? HY_STATUS_DEVICE_UNAVAILABLE : HY_STATUS_OK;
}

/* ---- Scratch memory -------------------------------------------------------------------------- */

static int32_t scratch_needed(void *self, struct hy_scratch *scratch)
{
    const struct prepared *prepared = self;
    *scratch = (struct hy_scratch){.struct_size = sizeof *scratch,
                                   .alignment = prepared->count > 0 ? 1 : 0,
                                   .bytes = prepared->count * sizeof(float)};
    if (has_fault(prepared->device, "scratch-alignment"))
        scratch->alignment = 3;
    if (has_fault(prepared->device, "scratch-changes"))
        scratch->bytes += atomic_fetch_add(&prepared->device->calls, 1);
    return has_fault(prepared->device, "scratch-fails") ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
}

void faulty_add_groups(struct hy_device *table)
{
    table->wait = wait_for_device;
    table->prepare_from_cache = faulty_prepare_from_cache;
    table->execute_fenced = execute_fenced;
    table->fenced_result = fenced_result;
    table->fenced_destroy = fenced_destroy;
    table->burst_open = burst_open;
    table->burst_execute = burst_execute;
    table->burst_release = burst_release;
    table->burst_close = burst_close;
    table->reusable_create = reusable_create;
    table->reusable_execute = reusable_execute;
    table->reusable_destroy = reusable_destroy;
    faulty_add_buffers(table);
    table->scratch_needed = scratch_needed;
}
