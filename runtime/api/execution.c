/* Setting up an execution. Results after a run are in execution_result.c. */
#include "runtime/execute/execution.h"
#include "common/clock.h"
#include "common/operations/control_flow.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/log.h"

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution)
{
    static const char name[] = "Execution_create";
    struct hy_execution *own = NULL;
    struct hy_error err;

    if (!execution)
        return hy_api_null(name, "execution");
    *execution = NULL;
    if (!compilation)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_execution_create(hy_compilation_of(compilation), &own, &err);
    *execution = hy_execution_handle(own);
    return hy_api_result(name, code, &err);
}

/* A call during a run has no effect; the app may call again after the run has ended. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
    static const char name[] = "Execution_free";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (own && hy_execution_state(own) == HY_EXECUTION_COMPUTING) {
        (void)hy_api_result(name, hy_fail(&err, HY_BAD_STATE, "the execution is running"), &err);
        hy_log(HY_LOG_WARNING, "api", "%s: the execution is running and is not freed", name);
        return;
    }
    hy_execution_release(own);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* A negative index is out of range once it is unsigned. */
static int set_argument(const char *name, ANeuralNetworksExecution *execution, bool is_output,
                        int32_t index, const ANeuralNetworksOperandType *type,
                        const struct hy_argument_source *source)
{
    const struct hy_operand_spec own_type =
        type ? (struct hy_operand_spec){type->type, type->dimensionCount, type->dimensions,
                                        type->scale, type->zeroPoint}
             : (struct hy_operand_spec){0};
    struct hy_error err;

    enum hy_code code = hy_execution_set(hy_execution_of(execution), is_output, (uint32_t)index,
                                         type ? &own_type : NULL, source, &err);
    return hy_api_result(name, code, &err);
}

static int set_buffer(const char *name, ANeuralNetworksExecution *execution, bool is_output,
                      int32_t index, const ANeuralNetworksOperandType *type, const void *buffer,
                      size_t length)
{
    /* Outputs were not const when the app passed them, and inputs are only read. */
    const struct hy_argument_source source = {.buffer = (void *)(uintptr_t)buffer,
                                              .length = length};
    if (!execution)
        return hy_api_null(name, "execution");
    if (!buffer && length != 0)
        return hy_api_null(name, "buffer");
    return set_argument(name, execution, is_output, index, type, &source);
}

static int set_memory(const char *name, ANeuralNetworksExecution *execution, bool is_output,
                      int32_t index, const ANeuralNetworksOperandType *type,
                      const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
    const struct hy_argument_source source = {
        .memory = hy_memory_of(memory), .offset = offset, .length = length};

    if (!execution)
        return hy_api_null(name, "execution");
    if (!memory)
        return hy_api_null(name, "memory");
    return set_argument(name, execution, is_output, index, type, &source);
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type, const void *buffer,
                                      size_t length)
{
    return set_buffer("Execution_setInput", execution, false, index, type, buffer, length);
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                const ANeuralNetworksOperandType *type,
                                                const ANeuralNetworksMemory *memory, size_t offset,
                                                size_t length)
{
    return set_memory("Execution_setInputFromMemory", execution, false, index, type, memory, offset,
                      length);
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type, void *buffer,
                                       size_t length)
{
    return set_buffer("Execution_setOutput", execution, true, index, type, buffer, length);
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                 const ANeuralNetworksOperandType *type,
                                                 const ANeuralNetworksMemory *memory, size_t offset,
                                                 size_t length)
{
    return set_memory("Execution_setOutputFromMemory", execution, true, index, type, memory, offset,
                      length);
}

/* ---- Settings -------------------------------------------------------------------------------- */

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
                                                         bool enable)
{
    static const char name[] = "Execution_enableInputAndOutputPadding";
    struct hy_error err;

    if (!execution)
        return hy_api_null(name, "execution");
    return hy_api_result(name, hy_execution_set_padded(hy_execution_of(execution), enable, &err),
                         &err);
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable)
{
    static const char name[] = "Execution_setReusable";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = hy_execution_check_preparing(own, &err);
    if (code == HY_OK)
        own->reusable = reusable;
    return hy_api_result(name, code, &err);
}

/* Unlike for compilations, the single-device rule is checked before the state. */
static enum hy_code check_single_device(const struct hy_execution *execution, const char *setting,
                                        struct hy_error *err)
{
    enum hy_code code = hy_compilation_check_single_device(execution->compilation, setting, err);
    return code == HY_OK ? hy_execution_check_preparing(execution, err) : code;
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    static const char name[] = "Execution_setTimeout";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = check_single_device(own, "a timeout", &err);
    if (code == HY_OK)
        own->timeout = duration;
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure)
{
    static const char name[] = "Execution_setMeasureTiming";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = check_single_device(own, "timing", &err);
    if (code == HY_OK)
        own->measure = measure;
    return hy_api_result(name, code, &err);
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    static const char name[] = "Execution_setLoopTimeout";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = hy_execution_check_preparing(own, &err);
    if (code == HY_OK)
        own->loop_timeout = duration < HY_LOOP_TIMEOUT_MAXIMUM ? duration : HY_LOOP_TIMEOUT_MAXIMUM;
    return hy_api_result(name, code, &err);
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void)
{
    return HY_LOOP_TIMEOUT_DEFAULT;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void)
{
    return HY_LOOP_TIMEOUT_MAXIMUM;
}

/* ---- Running --------------------------------------------------------------------------------- */

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution)
{
    static const char name[] = "Execution_compute";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = hy_execution_begin(own, HY_RUN_SYNC, &err);
    if (code == HY_OK)
        code = hy_execution_run(own, NULL, hy_clock_deadline(own->timeout), &err);
    return hy_api_result(name, code, &err);
}
