#include "session_driver.h"

#include "session_touch.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A fence that does not signal within this time is one that failed. */
enum { FENCE_MS = 10 };

static struct hy_device table; /* the sample driver's, and more */
static struct hy_device inner; /* the sample driver's */
static const struct hy_host *host;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What is beyond the sample driver takes images, too: at their word. */
static int32_t describe(void *device, struct hy_device_info *info)
{
    const int32_t status = inner.describe(device, info);

    info->pool_kinds |= 1u << HY_POOL_HARDWARE_BUFFER;
    return status;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    session_touch(host, model->pools, model->pool_count);
    return inner.supported_operations(device, model, supported, refusals);
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    session_touch(host, model->pools, model->pool_count);
    return inner.prepare(device, model, options, prepared);
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    session_touch(host, request->pools, request->pool_count);
    return inner.execute(prepared, request, options, result);
}

static int32_t buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank)
{
    session_touch(host, source, 1);
    return inner.buffer_copy_from(buffer, source, dims, rank);
}

static int32_t buffer_copy_to(void *buffer, const struct hy_pool *destination)
{
    session_touch(host, destination, 1);
    return inner.buffer_copy_to(buffer, destination);
}

/* ---- Fenced ---------------------------------------------------------------------------------- */

static int32_t await(const int32_t *fences, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct pollfd fence = {.fd = fences[i], .events = POLLIN};
        if (poll(&fence, 1, FENCE_MS) != 1 || fence.revents & (POLLERR | POLLNVAL))
            return HY_STATUS_GENERAL_FAILURE;
    }
    return HY_STATUS_OK;
}

/* Done when it returns. With measuring there is a fence all the same, which is signalled. */
static int32_t execute_fenced(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, const int32_t *wait_for,
                              uint32_t wait_count, int32_t *fence, void **fenced)
{
    struct hy_output_shape *shapes = calloc(request->output_count + 1, sizeof *shapes);
    struct hy_result result = {
        .struct_size = sizeof result, .output_count = request->output_count, .outputs = shapes};
    int32_t *status = malloc(sizeof *status);

    if (!shapes || !status) {
        free(shapes);
        free(status);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    *status = await(wait_for, wait_count);
    if (*status == HY_STATUS_OK)
        *status = table.execute(prepared, request, options, &result);
    free(shapes);
    *fence = options->measure ? eventfd(1, EFD_CLOEXEC) : -1;
    *fenced = status;
    return HY_STATUS_OK;
}

static int32_t fenced_result(void *fenced, struct hy_fenced_result *result)
{
    const int32_t *status = fenced;

    result->status = *status;
    return HY_STATUS_OK;
}

static void fenced_destroy(void *fenced)
{
    free(fenced);
}

/* ---- Reusable -------------------------------------------------------------------------------- */

struct reusable {
    void *prepared;
    struct hy_request request; /* what it points to lives as long */
};

static int32_t reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **out)
{
    struct reusable *reusable = malloc(sizeof *reusable);

    (void)options;
    if (!reusable)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *reusable = (struct reusable){prepared, *request};
    *out = reusable;
    return HY_STATUS_OK;
}

static int32_t reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct reusable *reusable = self;
    const struct hy_run_options options = {.struct_size = sizeof options, .deadline = deadline};

    return table.execute(reusable->prepared, &reusable->request, &options, result);
}

static int32_t reusable_execute_fenced(void *self, int64_t deadline, uint64_t duration,
                                       const int32_t *wait_for, uint32_t wait_count, int32_t *fence,
                                       void **fenced)
{
    struct reusable *reusable = self;
    const struct hy_run_options options = {.struct_size = sizeof options, .deadline = deadline};

    (void)duration;
    return execute_fenced(reusable->prepared, &reusable->request, &options, wait_for, wait_count,
                          fence, fenced);
}

static void reusable_destroy(void *self)
{
    free(self);
}

/* ---- Burst ----------------------------------------------------------------------------------- */

static int32_t burst_open(void *prepared, void **burst)
{
    void **self = malloc(sizeof *self);

    if (!self)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *self = prepared;
    *burst = self;
    return HY_STATUS_OK;
}

static int32_t burst_execute(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    void **self = burst;

    return table.execute(*self, request, options, result);
}

static void burst_release(void *burst, uint64_t pool_id)
{
    (void)burst;
    (void)pool_id;
}

static void burst_close(void *burst)
{
    free(burst);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static int32_t wait_for_device(void *device, int64_t deadline)
{
    (void)device;
    (void)deadline;
    return HY_STATUS_OK;
}

static const struct hy_driver *sample(void)
{
    return hy_driver_query(HY_DRIVER_ABI);
}

static int32_t create(const struct hy_host *given_host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)arguments;
    host = given_host;
    return sample()->create(given_host,
                            "{\"buffers\":8,\"cache_files\":1,\"compile\":\"just_in_time\","
                            "\"late\":\"commit\"}",
                            message, instance);
}

static int32_t device(void *instance, uint32_t index, const struct hy_device **out, void **self)
{
    const struct hy_device *found = NULL;
    const int32_t status = sample()->device(instance, index, &found, self);

    if (status != HY_STATUS_OK)
        return status;
    inner = table = *found;
    table.describe = describe;
    table.supported_operations = supported_operations;
    table.prepare = prepare;
    table.execute = execute;
    table.buffer_copy_from = buffer_copy_from;
    table.buffer_copy_to = buffer_copy_to;
    table.execute_fenced = execute_fenced;
    table.fenced_result = fenced_result;
    table.fenced_destroy = fenced_destroy;
    table.reusable_create = reusable_create;
    table.reusable_execute = reusable_execute;
    table.reusable_execute_fenced = reusable_execute_fenced;
    table.reusable_destroy = reusable_destroy;
    table.burst_open = burst_open;
    table.burst_execute = burst_execute;
    table.burst_release = burst_release;
    table.burst_close = burst_close;
    table.wait = wait_for_device;
    *out = &table;
    return HY_STATUS_OK;
}

const struct hy_driver *session_driver(void)
{
    static struct hy_driver driver;

    driver = *sample();
    driver.name = "session";
    driver.create = create;
    driver.device = device;
    return &driver;
}
