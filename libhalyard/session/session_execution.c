/* From the buffers of a session to a reusable execution. */
#include "libhalyard/session/session.h"

#include <stdlib.h>

/* The whole capacity of each buffer, including the unused part of an open output. */
static struct hy_buffer *buffers_of(const struct hy_session_tensor *tensors, uint32_t count)
{
    struct hy_buffer *buffers = calloc((size_t)count + 1, sizeof *buffers);

    for (uint32_t i = 0; buffers && i < count; i++)
        buffers[i] =
            (struct hy_buffer){.bytes = tensors[i].buffer.bytes, .length = tensors[i].capacity};
    return buffers;
}

static enum hy_code make_binding(struct halyard_session *session, struct hy_error *err)
{
    struct hy_buffer *inputs = buffers_of(session->inputs, session->input_count);
    struct hy_buffer *outputs = buffers_of(session->outputs, session->output_count);

    const enum hy_code code = inputs && outputs
                                  ? hy_io_binding_create(session->lowered, session->states, inputs,
                                                         outputs, &session->binding, err)
                                  : hy_fail(err, HY_OUT_OF_MEMORY, "list of buffers");
    free(inputs);
    free(outputs);
    return code;
}

/* The time limit of a WHILE is the time limit of a run; NNAPI's default limit is two seconds. */
static int set_timeouts(const struct halyard_session *session)
{
    const uint64_t deadline = session->options.deadline_ns;

    const int result = halyard_execution_set_timeout(session->execution, deadline);
    if (result != ANEURALNETWORKS_NO_ERROR)
        return result;
    return ANeuralNetworksExecution_setLoopTimeout(
        session->execution, deadline ? deadline : ANeuralNetworks_getMaximumLoopTimeout());
}

static enum hy_code make_execution(struct halyard_session *session, struct hy_error *err)
{
    int result = ANeuralNetworksExecution_create(session->compilation, &session->execution);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setReusable(session->execution, true);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = set_timeouts(session);
    const enum hy_code code = hy_nnapi_result(result, err);
    return code == HY_OK ? hy_io_binding_set(session->binding, session->execution, err) : code;
}

enum hy_code hy_session_make_execution(struct halyard_session *session, struct hy_error *err)
{
    if (session->execution)
        return HY_OK;
    enum hy_code code = make_binding(session, err);
    if (code == HY_OK)
        code = make_execution(session, err);
    if (code == HY_OK && session->options.burst)
        code = hy_nnapi_result(ANeuralNetworksBurst_create(session->compilation, &session->burst),
                               err);
    if (code != HY_OK)
        hy_session_drop_execution(session);
    return code;
}

void hy_session_drop_execution(struct halyard_session *session)
{
    ANeuralNetworksBurst_free(session->burst);
    ANeuralNetworksExecution_free(session->execution);
    hy_io_binding_destroy(session->binding);
    session->burst = NULL;
    session->execution = NULL;
    session->binding = NULL;
}
