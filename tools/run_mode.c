#include "tools/run_mode.h"

#include <string.h>

#include "tools/api_result.h"

bool hy_run_mode_parse(const char *name, enum hy_run_mode *out)
{
    if (!name || strcmp(name, "sync") == 0)
        *out = HY_RUN_SYNC;
    else if (strcmp(name, "async") == 0)
        *out = HY_RUN_ASYNC;
    else
        return false;
    return true;
}

static enum hy_code compute_async(ANeuralNetworksExecution *execution, struct hy_error *err)
{
    ANeuralNetworksEvent *event = NULL;
    enum hy_code code = hy_api_result(ANeuralNetworksExecution_startCompute(execution, &event),
                                      "Execution_startCompute", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksEvent_wait(event), "Event_wait", err);
    ANeuralNetworksEvent_free(event);
    return code;
}

enum hy_code hy_run_mode_compute(enum hy_run_mode mode, ANeuralNetworksExecution *execution,
                                 struct hy_error *err)
{
    if (mode == HY_RUN_ASYNC)
        return compute_async(execution, err);
    return hy_api_result(ANeuralNetworksExecution_compute(execution), "Execution_compute", err);
}
