/* Outputs whose extents are known only after a run. */
#include "libhalyard/session/session.h"

static enum hy_code read_output(struct halyard_session *session, uint32_t index,
                                uint32_t model_output, struct hy_error *err)
{
    struct hy_session_tensor *output = &session->outputs[index];
    uint32_t rank = 0, extents[HY_GRAPH_MAX_RANK] = {0};

    int result = ANeuralNetworksExecution_getOutputOperandRank(session->execution,
                                                               (int32_t)model_output, &rank);
    const bool is_reported =
        result == ANEURALNETWORKS_NO_ERROR || result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
    if (is_reported && rank > HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_FAILED, "output %u (%.64s) has rank %u after the run", index,
                       output->name, rank);
    if (is_reported && rank > 0)
        result = ANeuralNetworksExecution_getOutputOperandDimensions(
            session->execution, (int32_t)model_output, extents);
    if (result != ANEURALNETWORKS_NO_ERROR && result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
        return hy_nnapi_result(result, err);
    output->rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        output->extents[i] = (int32_t)extents[i];
    return HY_OK;
}

/* Calls `read_output` for each open output that operations compute. */
static enum hy_code read_outputs(struct halyard_session *session, struct hy_error *err)
{
    const struct hy_lowered_output *sources = hy_lowered_model_outputs(session->lowered->model);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < session->output_count; i++) {
        if (session->outputs[i].is_open && sources[i].source == HY_OUTPUT_COMPUTED)
            code = read_output(session, i, sources[i].index, err);
    }
    return code;
}

enum hy_code hy_session_read_extents(struct halyard_session *session, struct hy_error *err)
{
    if (!session->has_open_outputs)
        return HY_OK;
    enum hy_code code = read_outputs(session, err);
    for (uint32_t i = 0; code == HY_OK && i < session->output_count; i++) {
        struct hy_session_tensor *output = &session->outputs[i];
        if (output->is_open && !hy_session_tensor_bytes(output, &output->buffer.length))
            code = hy_fail(err, HY_FAILED, "output %u (%.64s) has no size after the run", i,
                           output->name);
    }
    return code;
}

/* Together the outputs take no more than the tensors of a run may. */
static enum hy_code check_memory(const struct halyard_session *session, uint32_t index,
                                 size_t needed, struct hy_error *err)
{
    const struct hy_session_tensor *outputs = session->outputs;
    const uint64_t limit = hy_network_memory(session->options.max_memory);
    uint64_t used = 0;

    for (uint32_t i = 0; i < session->output_count; i++)
        used += i == index ? 0 : outputs[i].own_capacity;
    if (used <= limit && needed <= limit - used)
        return HY_OK;
    return hy_fail(err, HY_OUT_OF_MEMORY,
                   "output %u (%.64s) has %zu bytes after the run, the other outputs have %llu; "
                   "max_memory is %llu",
                   index, outputs[index].name, needed, (unsigned long long)used,
                   (unsigned long long)limit);
}

static enum hy_code grow(struct hy_session_tensor *output, uint32_t index, size_t needed,
                         struct hy_error *err)
{
    if (output->is_bound)
        return hy_fail(err, HY_INSUFFICIENT_SIZE,
                       "output %u (%.64s) needs %zu bytes, %zu are bound", index, output->name,
                       needed, output->capacity);
    return hy_session_use_own_buffer(output, "output", index, err);
}

enum hy_code hy_session_grow_outputs(struct halyard_session *session, struct hy_error *err)
{
    bool has_grown = false;

    enum hy_code code = read_outputs(session, err);
    for (uint32_t i = 0; code == HY_OK && i < session->output_count; i++) {
        struct hy_session_tensor *output = &session->outputs[i];
        size_t needed;
        if (!output->is_open)
            continue;
        if (!hy_session_tensor_bytes(output, &needed))
            return hy_fail(err, HY_FAILED, "output %u (%.64s) has no size", i, output->name);
        if (needed <= output->capacity)
            continue;
        if (!output->is_bound)
            code = check_memory(session, i, needed, err);
        if (code == HY_OK)
            code = grow(output, i, needed, err);
        has_grown = true;
    }
    if (code == HY_OK && !has_grown)
        code = hy_fail(err, HY_INSUFFICIENT_SIZE,
                       "the run failed for small outputs without their sizes");
    return code;
}
