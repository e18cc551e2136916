#include "plugins/support_library/sl_reusable.h"

#include "common/status.h"
#include "plugins/support_library/deadline.h"
#include "plugins/support_library/execution.h"
#include "plugins/support_library/result.h"

#include <stdlib.h>

struct reusable {
    struct hy_sl_run run;
    struct hy_sl_memories memories;
};

void hy_sl_reusable_destroy(void *reusable)
{
    struct reusable *own = reusable;

    if (!own)
        return;
    if (own->run.execution)
        own->run.prepared->api->ANeuralNetworksExecution_free(own->run.execution);
    hy_sl_memories_finish(&own->memories);
    free(own);
}

int32_t hy_sl_reusable_create(void *prepared, const struct hy_request *request,
                              const struct hy_run_options *options, void **reusable)
{
    const struct hy_sl_prepared *own = prepared;
    struct hy_error err;

    struct reusable *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_GENERAL_FAILURE;
    made->run =
        (struct hy_sl_run){.prepared = own, .request = request, .measure = options->measure};
    hy_sl_memories_init(&made->memories, own->api);
    enum hy_code code =
        hy_sl_execution_create(own, request, options, &made->memories, &made->run.execution, &err);
    if (code == HY_OK)
        code =
            hy_sl_result(own->api->ANeuralNetworksExecution_setReusable(made->run.execution, true),
                         "Execution_setReusable", &err);
    if (code == HY_OK)
        *reusable = made;
    else
        hy_sl_reusable_destroy(made);
    return hy_status_report(code, &err, &options->message);
}

/* The library measures the timeout set at creation from the start of each run. */
int32_t hy_sl_reusable_execute(void *reusable, int64_t deadline, struct hy_result *result)
{
    const struct hy_sl_run *run = &((const struct reusable *)reusable)->run;
    struct hy_error err;
    uint64_t left;

    enum hy_code code = hy_sl_time_left(deadline, &left, &err);
    if (code == HY_OK)
        code = hy_sl_check_result(run->request, result, &err);
    if (code == HY_OK) {
        int ended = run->prepared->api->ANeuralNetworksExecution_compute(run->execution);
        code = hy_sl_run_result(run, ended, "Execution_compute", result, &err);
    }
    return hy_status_report(code, &err, NULL);
}
