#include "tools/run_mode.h"

#include <string.h>

#include "tools/api_result.h"

static const char *const names[] = {
    [HY_RUN_SYNC] = "sync",
    [HY_RUN_ASYNC] = "async",
    [HY_RUN_BURST] = "burst",
    [HY_RUN_FENCED] = "fenced",
};

bool hy_run_mode_parse(const char *name, enum hy_run_mode *out)
{
    if (!name)
        name = names[HY_RUN_SYNC];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum hy_run_mode)i;
            return true;
        }
    return false;
}

const char *hy_run_mode_name(enum hy_run_mode mode)
{
    return names[mode];
}

enum hy_code hy_runner_start(struct hy_runner *runner, enum hy_run_mode mode,
                             ANeuralNetworksCompilation *compilation, struct hy_error *err)
{
    *runner = (struct hy_runner){.mode = mode};
    if (mode != HY_RUN_BURST)
        return HY_OK;
    return hy_api_result(ANeuralNetworksBurst_create(compilation, &runner->burst), "Burst_create",
                         err);
}

void hy_runner_stop(struct hy_runner *runner)
{
    ANeuralNetworksBurst_free(runner->burst);
    *runner = (struct hy_runner){0};
}

static enum hy_code finish_event(enum hy_code started, ANeuralNetworksEvent *event,
                                 struct hy_error *err)
{
    enum hy_code code = started;
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksEvent_wait(event), "Event_wait", err);
    ANeuralNetworksEvent_free(event);
    return code;
}

static enum hy_code compute_async(ANeuralNetworksExecution *execution, struct hy_error *err)
{
    ANeuralNetworksEvent *event = NULL;
    const enum hy_code code = hy_api_result(
        ANeuralNetworksExecution_startCompute(execution, &event), "Execution_startCompute", err);
    return finish_event(code, event, err);
}

static enum hy_code compute_fenced(ANeuralNetworksExecution *execution, struct hy_error *err)
{
    ANeuralNetworksEvent *event = NULL;
    const enum hy_code code = hy_api_result(
        ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event),
        "Execution_startComputeWithDependencies", err);
    return finish_event(code, event, err);
}

enum hy_code hy_runner_compute(const struct hy_runner *runner, ANeuralNetworksExecution *execution,
                               struct hy_error *err)
{
    switch (runner->mode) {
    case HY_RUN_ASYNC:
        return compute_async(execution, err);
    case HY_RUN_FENCED:
        return compute_fenced(execution, err);
    case HY_RUN_BURST:
        return hy_api_result(ANeuralNetworksExecution_burstCompute(execution, runner->burst),
                             "Execution_burstCompute", err);
    case HY_RUN_SYNC:
        break;
    }
    return hy_api_result(ANeuralNetworksExecution_compute(execution), "Execution_compute", err);
}
