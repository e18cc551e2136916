#include "plugins/support_library/sl_fenced.h"

#include "common/status.h"
#include "common/system_code.h"
#include "plugins/support_library/execution.h"
#include "plugins/support_library/result.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

struct fenced {
    const struct hy_sl_prepared *prepared;
    struct hy_sl_memories memories;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksEvent *end;
    ANeuralNetworksEvent **dependencies;
    uint32_t dependency_count;
    int fence; /* owned; -1: the work is already done */
    bool measure;
};

/* Freeing the end event waits for the work, so the work's memory is freed only afterwards. */
static void destroy(struct fenced *fenced)
{
    const NnApiSLDriverImplFL5 *api = fenced->prepared->api;

    if (fenced->end)
        api->ANeuralNetworksEvent_free(fenced->end);
    if (fenced->execution)
        api->ANeuralNetworksExecution_free(fenced->execution);
    for (uint32_t i = 0; i < fenced->dependency_count; i++)
        api->ANeuralNetworksEvent_free(fenced->dependencies[i]);
    hy_sl_memories_finish(&fenced->memories);
    if (fenced->fence >= 0)
        close(fenced->fence);
    free(fenced->dependencies);
    free(fenced);
}

static enum hy_code add_dependencies(struct fenced *fenced, const int32_t *wait_for, uint32_t count,
                                     struct hy_error *err)
{
    fenced->dependencies = calloc((size_t)count + 1, sizeof *fenced->dependencies);
    if (!fenced->dependencies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u fences to wait for", count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksEvent **event = &fenced->dependencies[i];
        int result =
            fenced->prepared->api->ANeuralNetworksEvent_createFromSyncFenceFd(wait_for[i], event);
        enum hy_code code = hy_sl_result_made(result, *event, "Event_createFromSyncFenceFd", err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "fence %u", i);
        fenced->dependency_count++;
    }
    return HY_OK;
}

/* Gets the fence of the end event. A device without fences has finished its work by now; the wait
 * covers an unfinished device. */
static enum hy_code receive_fence(struct fenced *fenced, struct hy_error *err)
{
    const NnApiSLDriverImplFL5 *api = fenced->prepared->api;
    int fd = -1;

    if (api->ANeuralNetworksEvent_getSyncFenceFd(fenced->end, &fd) == ANEURALNETWORKS_NO_ERROR &&
        fd >= 0) {
        fenced->fence = fd;
        return HY_OK;
    }
    return hy_sl_result(api->ANeuralNetworksEvent_wait(fenced->end), "Event_wait", err);
}

static enum hy_code start(struct fenced *fenced, uint64_t duration, struct hy_error *err)
{
    int result = fenced->prepared->api->ANeuralNetworksExecution_startComputeWithDependencies(
        fenced->execution, (const ANeuralNetworksEvent *const *)fenced->dependencies,
        fenced->dependency_count, duration, &fenced->end);
    enum hy_code code =
        hy_sl_result_made(result, fenced->end, "Execution_startComputeWithDependencies", err);
    if (code == HY_OK)
        code = receive_fence(fenced, err);
    /* Fenced executions do not support outputs of unknown size. */
    return code == HY_INSUFFICIENT_SIZE ? HY_FAILED : code;
}

static enum hy_code copy_fence(int fence, int32_t *ret, struct hy_error *err)
{
    int32_t copy = -1;

    if (fence >= 0) {
        copy = fcntl(fence, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) {
            const int reason = errno;
            return hy_fail(err, hy_system_code(reason, HY_FAILED),
                           "fence %d cannot be duplicated: %s", fence, strerror(reason));
        }
    }
    *ret = copy;
    return HY_OK;
}

int32_t hy_sl_execute_fenced(void *prepared, const struct hy_request *request,
                             const struct hy_run_options *options, const int32_t *wait_for,
                             uint32_t wait_count, int32_t *fence, void **fenced)
{
    const struct hy_sl_prepared *own = prepared;
    struct hy_error err;

    struct fenced *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_GENERAL_FAILURE;
    made->prepared = own;
    made->fence = -1;
    made->measure = options->measure != 0;
    hy_sl_memories_init(&made->memories, own->api);

    enum hy_code code = add_dependencies(made, wait_for, wait_count, &err);
    if (code == HY_OK)
        code =
            hy_sl_execution_create(own, request, options, &made->memories, &made->execution, &err);
    if (code == HY_OK)
        code = start(made, options->duration, &err);
    if (code == HY_OK)
        code = copy_fence(made->fence, fence, &err);
    if (code == HY_OK)
        *fenced = made;
    else
        destroy(made);
    return hy_status_report(code, &err, &options->message);
}

static bool is_over(const struct fenced *fenced)
{
    struct pollfd look = {.fd = fenced->fence, .events = POLLIN};
    return fenced->fence < 0 || poll(&look, 1, 0) > 0;
}

int32_t hy_sl_fenced_result(void *fenced, struct hy_fenced_result *result)
{
    const struct fenced *own = fenced;
    struct hy_error err;

    if (!is_over(own))
        return HY_STATUS_GENERAL_FAILURE;
    enum hy_code code =
        hy_sl_result(own->prepared->api->ANeuralNetworksEvent_wait(own->end), "Event_wait", &err);
    const struct {
        uint64_t *time;
        int32_t figure;
    } times[] = {
        {&result->launched_on_device, ANEURALNETWORKS_DURATION_ON_HARDWARE},
        {&result->launched_in_driver, ANEURALNETWORKS_DURATION_IN_DRIVER},
        {&result->fenced_on_device, ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE},
        {&result->fenced_in_driver, ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i].time = code == HY_OK && own->measure
                             ? hy_sl_execution_time(own->prepared, own->execution, times[i].figure)
                             : HY_NO_TIME;
    result->status = hy_status_report(code, &err, NULL);
    return HY_STATUS_OK;
}

void hy_sl_fenced_destroy(void *fenced)
{
    if (fenced)
        destroy(fenced);
}
