#include "plugins/support_library/sl_burst.h"

#include "common/status.h"
#include "plugins/support_library/result.h"
#include "plugins/support_library/reuse.h"

#include <stdlib.h>

struct burst {
    const struct hy_sl_prepared *prepared;
    ANeuralNetworksBurst *handle;
    struct hy_sl_memories memories;
    pthread_mutex_t lock; /* protects the cached objects; not held during a run */
    struct hy_sl_reuse reuse;
};

static enum hy_code init(struct burst *burst, const struct hy_sl_prepared *prepared,
                         struct hy_error *err)
{
    enum hy_code code = hy_sl_reuse_init(&burst->reuse, prepared, err);
    if (code != HY_OK)
        return code;
    int result = prepared->api->ANeuralNetworksBurst_create(prepared->compilation, &burst->handle);
    code = hy_sl_result_made(result, burst->handle, "Burst_create", err);
    if (code != HY_OK)
        hy_sl_reuse_finish(&burst->reuse);
    return code;
}

int32_t hy_sl_burst_open(void *prepared, void **burst)
{
    const struct hy_sl_prepared *own = prepared;
    struct hy_error err;

    struct burst *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_GENERAL_FAILURE;
    enum hy_code code = init(made, own, &err);
    if (code != HY_OK) {
        free(made);
        return hy_status_report(code, &err, NULL);
    }
    made->prepared = own;
    hy_sl_memories_init(&made->memories, own->api);
    pthread_mutex_init(&made->lock, NULL);
    *burst = made;
    return HY_STATUS_OK;
}

/* Gets the cached execution or a new execution. The caller caches or frees the execution
 * afterwards. */
static enum hy_code get_execution(struct burst *burst, const struct hy_request *request,
                                  const struct hy_run_options *options, bool may_be_cached,
                                  ANeuralNetworksExecution **ret, struct hy_error *err)
{
    const NnApiSLDriverImplFL5 *api = burst->prepared->api;
    ANeuralNetworksExecution *execution = NULL;

    if (may_be_cached) {
        pthread_mutex_lock(&burst->lock);
        execution = hy_sl_reuse_claim(&burst->reuse, request, options);
        pthread_mutex_unlock(&burst->lock);
    }
    if (execution) {
        *ret = execution;
        return HY_OK;
    }
    enum hy_code code = hy_sl_execution_create(burst->prepared, request, options, &burst->memories,
                                               &execution, err);
    if (code == HY_OK && may_be_cached) {
        code = hy_sl_result(api->ANeuralNetworksExecution_setReusable(execution, true),
                            "Execution_setReusable", err);
        if (code != HY_OK)
            api->ANeuralNetworksExecution_free(execution);
    }
    if (code == HY_OK)
        *ret = execution;
    return code;
}

static void put_execution(struct burst *burst, const struct hy_request *request,
                          const struct hy_run_options *options, bool may_be_cached,
                          ANeuralNetworksExecution *execution)
{
    if (!may_be_cached) {
        burst->prepared->api->ANeuralNetworksExecution_free(execution);
        return;
    }
    pthread_mutex_lock(&burst->lock);
    hy_sl_reuse_store(&burst->reuse, request, options, execution);
    pthread_mutex_unlock(&burst->lock);
}

static enum hy_code execute(struct burst *burst, const struct hy_request *request,
                            const struct hy_run_options *options, struct hy_result *result,
                            struct hy_error *err)
{
    const struct hy_sl_prepared *prepared = burst->prepared;
    const bool may_be_cached = hy_sl_reuse_is_possible(request, options);
    struct hy_sl_run run = {.prepared = prepared, .request = request, .measure = options->measure};

    enum hy_code code = get_execution(burst, request, options, may_be_cached, &run.execution, err);
    if (code != HY_OK)
        return code;
    int ended = prepared->api->ANeuralNetworksExecution_burstCompute(run.execution, burst->handle);
    code = hy_sl_run_result(&run, ended, "Execution_burstCompute", result, err);
    put_execution(burst, request, options, may_be_cached && code == HY_OK, run.execution);
    return code;
}

int32_t hy_sl_burst_execute(void *burst, const struct hy_request *request,
                            const struct hy_run_options *options, struct hy_result *result)
{
    struct burst *own = burst;
    struct hy_error err;

    enum hy_code code = hy_sl_check_request(own->prepared, request, options, &err);
    if (code == HY_OK)
        code = hy_sl_check_result(request, result, &err);
    if (code == HY_OK)
        code = execute(own, request, options, result, &err);
    return hy_status_report(code, &err, &options->message);
}

/* The execution that uses the memory is freed before the memory. */
void hy_sl_burst_release(void *burst, uint64_t pool_id)
{
    struct burst *own = burst;

    pthread_mutex_lock(&own->lock);
    hy_sl_reuse_invalidate(&own->reuse, pool_id);
    pthread_mutex_unlock(&own->lock);
    hy_sl_memories_release(&own->memories, pool_id);
}

void hy_sl_burst_close(void *burst)
{
    struct burst *own = burst;

    hy_sl_reuse_finish(&own->reuse);
    own->prepared->api->ANeuralNetworksBurst_free(own->handle);
    hy_sl_memories_finish(&own->memories);
    pthread_mutex_destroy(&own->lock);
    free(own);
}
