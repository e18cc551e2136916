#include "runtime/event/event.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event)
{
    static const char name[] = "Execution_startCompute";
    struct hy_event *own = NULL;
    struct hy_error err;

    if (!event)
        return hy_api_null(name, "event");
    *event = NULL;
    if (!execution)
        return hy_api_null(name, "execution");
    enum hy_code code = hy_event_start(hy_execution_of(execution), &own, &err);
    *event = hy_event_handle(own);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
    static const char name[] = "Event_wait";
    struct hy_error err;

    if (!event)
        return hy_api_null(name, "event");
    return hy_api_result(name, hy_event_wait(hy_event_of(event), &err), &err);
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
    hy_event_destroy(hy_event_of(event));
}

/* ---- Fences ---------------------------------------------------------------------------------- */

int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
    uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event)
{
    static const char name[] = "Execution_startComputeWithDependencies";
    struct hy_event *own = NULL;
    struct hy_error err;

    if (!event)
        return hy_api_null(name, "event");
    *event = NULL;
    if (!dependencies && num_dependencies != 0)
        return hy_api_null(name, "dependencies");
    if (!execution)
        return hy_api_null(name, "execution");
    for (uint32_t i = 0; i < num_dependencies; i++) {
        if (!dependencies[i])
            return hy_api_result(
                name, hy_fail(&err, HY_UNEXPECTED_NULL, "dependency %u is NULL", i), &err);
    }
    /* An array of handles is an array of our pointers, see handle.h. */
    enum hy_code code = hy_event_start_fenced(hy_execution_of(execution),
                                              (struct hy_event *const *)(uintptr_t)dependencies,
                                              num_dependencies, duration, &own, &err);
    *event = hy_event_handle(own);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event)
{
    static const char name[] = "Event_createFromSyncFenceFd";
    struct hy_event *own = NULL;
    struct hy_error err;

    if (!event)
        return hy_api_null(name, "event");
    enum hy_code code = hy_event_from_fence(sync_fence_fd, &own, &err);
    *event = hy_event_handle(own);
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd)
{
    static const char name[] = "Event_getSyncFenceFd";
    struct hy_error err;

    if (!sync_fence_fd)
        return hy_api_null(name, "sync_fence_fd");
    *sync_fence_fd = -1;
    if (!event)
        return hy_api_null(name, "event");
    return hy_api_result(name, hy_event_get_fence(hy_event_of(event), sync_fence_fd, &err), &err);
}
