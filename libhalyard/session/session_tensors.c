/* halyard/session.h: inputs and outputs of sessions, and their buffers. */
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_ALIGNMENT 64u

/* ---- Buffers of the session's own ------------------------------------------------------------ */

/* Zeros, with a place also for no bytes; NULL when memory has run out. */
static void *make_buffer(size_t bytes)
{
    if (bytes > SIZE_MAX - BUFFER_ALIGNMENT)
        return NULL;
    const size_t room = (bytes + BUFFER_ALIGNMENT) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
    void *buffer = aligned_alloc(BUFFER_ALIGNMENT, room);
    if (buffer)
        memset(buffer, 0, room);
    return buffer;
}

/* In the place of the session's own memory that there is. False: memory has run out. */
static bool make_own(struct hy_session_tensor *tensor, size_t bytes)
{
    void *own = make_buffer(bytes);
    if (!own)
        return false;
    free(tensor->own);
    tensor->own = own;
    tensor->own_room = bytes;
    return true;
}

/* The bytes of the extents, those that only a run can tell taken as 1. */
static bool count_bytes(const struct hy_session_tensor *tensor, size_t *bytes)
{
    int32_t extents[HY_GRAPH_MAX_RANK];
    uint64_t count;

    for (uint32_t i = 0; i < tensor->rank; i++)
        extents[i] = tensor->extents[i] == HY_UNKNOWN_EXTENT ? 1 : tensor->extents[i];
    if (hy_element_bits(tensor->tensor->element) == 0 ||
        !hy_element_bytes(tensor->tensor->element, tensor->rank, extents, &count) ||
        count >= SIZE_MAX)
        return false;
    *bytes = (size_t)count;
    return true;
}

static enum hy_code use_own(struct hy_session_tensor *tensor, const char *what, uint32_t index,
                            struct hy_error *err)
{
    size_t bytes;

    if (!count_bytes(tensor, &bytes))
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has no fixed size", what, index,
                       tensor->name);
    if ((!tensor->own || tensor->own_room < bytes) && !make_own(tensor, bytes))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s %u (%.64s): %zu bytes", what, index, tensor->name,
                       bytes);
    tensor->buffer = (struct hy_buffer){.bytes = tensor->own, .length = bytes};
    tensor->room = tensor->own_room;
    tensor->is_bound = false;
    return HY_OK;
}

static void init(struct hy_session_tensor *tensor, const struct hy_graph_tensor *of)
{
    tensor->tensor = of;
    tensor->rank = of->rank;
    memcpy(tensor->extents, of->extents, sizeof tensor->extents);
    for (uint32_t i = 0; i < of->rank; i++)
        tensor->is_open |= of->extents[i] == HY_UNKNOWN_EXTENT;
}

static struct hy_session_tensor *list(const struct halyard_session *session,
                                      const struct hy_graph *graph, bool is_output)
{
    const uint32_t *indices = is_output ? graph->outputs : graph->inputs;
    const uint32_t count = is_output ? session->output_count : session->input_count;
    struct hy_session_tensor *tensors = calloc((size_t)count + 1, sizeof *tensors);

    for (uint32_t i = 0; tensors && i < count; i++) {
        init(&tensors[i], &graph->tensors[indices[i]]);
        tensors[i].name = hy_signature_tensor_name(session->network, session->options.signature,
                                                   is_output, indices[i], graph);
    }
    return tensors;
}

static bool has_open(const struct hy_session_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i].is_open)
            return true;
    }
    return false;
}

enum hy_code hy_session_list_tensors(struct halyard_session *session, const struct hy_graph *graph,
                                     struct hy_error *err)
{
    struct hy_session_tensor *inputs = list(session, graph, false);
    struct hy_session_tensor *outputs = list(session, graph, true);

    if (!inputs || !outputs) {
        free(inputs);
        free(outputs);
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs and %u outputs", session->input_count,
                       session->output_count);
    }
    hy_session_tensors_free(session->inputs, session->input_count);
    hy_session_tensors_free(session->outputs, session->output_count);
    session->inputs = inputs;
    session->outputs = outputs;
    session->has_open_outputs = has_open(outputs, session->output_count);
    return HY_OK;
}

enum hy_code hy_session_make_buffers(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < session->input_count; i++)
        code = use_own(&session->inputs[i], "input", i, err);
    for (uint32_t i = 0; code == HY_OK && i < session->output_count; i++)
        code = use_own(&session->outputs[i], "output", i, err);
    return code;
}

void hy_session_tensors_free(struct hy_session_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; tensors && i < count; i++)
        free(tensors[i].own);
    free(tensors);
}

/* ---- Open outputs ---------------------------------------------------------------------------- */

static enum hy_code read_output(struct halyard_session *session, uint32_t index,
                                uint32_t model_output, struct hy_error *err)
{
    struct hy_session_tensor *output = &session->outputs[index];
    uint32_t rank = 0, extents[HY_GRAPH_MAX_RANK] = {0};

    int result = ANeuralNetworksExecution_getOutputOperandRank(session->execution,
                                                               (int32_t)model_output, &rank);
    const bool is_told =
        result == ANEURALNETWORKS_NO_ERROR || result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
    if (is_told && rank > HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_FAILED, "output %u (%.64s) has rank %u after the run", index,
                       output->name, rank);
    if (is_told && rank > 0)
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
        if (output->is_open && !count_bytes(output, &output->buffer.length))
            code = hy_fail(err, HY_FAILED, "output %u (%.64s) has no size after the run", i,
                           output->name);
    }
    return code;
}

static enum hy_code grow(struct hy_session_tensor *output, uint32_t index, size_t needed,
                         struct hy_error *err)
{
    if (output->is_bound)
        return hy_fail(err, HY_INSUFFICIENT_SIZE,
                       "output %u (%.64s) needs %zu bytes, %zu are bound", index, output->name,
                       needed, output->room);
    return use_own(output, "output", index, err);
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
        if (!count_bytes(output, &needed))
            return hy_fail(err, HY_FAILED, "output %u (%.64s) has no size", i, output->name);
        if (needed <= output->room)
            continue;
        code = grow(output, i, needed, err);
        has_grown = true;
    }
    if (code == HY_OK && !has_grown)
        code = hy_fail(err, HY_INSUFFICIENT_SIZE, "the run does not say how much room it needs");
    return code;
}

/* ---- Questions ------------------------------------------------------------------------------- */

uint32_t halyard_session_input_count(const struct halyard_session *session)
{
    return session ? session->input_count : 0;
}

uint32_t halyard_session_output_count(const struct halyard_session *session)
{
    return session ? session->output_count : 0;
}

static enum hy_code check_index(const char *what, uint32_t index, uint32_t count,
                                struct hy_error *err)
{
    if (index < count)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%s %u, the session has %u", what, index, count);
}

static enum hy_code get_input(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info, struct hy_error *err)
{
    const enum hy_code code = check_index("input", index, session->input_count, err);
    if (code != HY_OK)
        return code;
    const struct hy_session_tensor *input = &session->inputs[index];
    struct halyard_tensor_info full;
    hy_tensor_info_fill(input->tensor, input->name, input->rank, input->extents, &full);
    hy_tensor_info_add_metadata(
        hy_network_input_metadata(session->network, session->options.signature, index), &full);
    return hy_public_struct_write(&full, sizeof full, info, err);
}

static enum hy_code get_output(const struct halyard_session *session, uint32_t index,
                               struct halyard_tensor_info *info, struct hy_error *err)
{
    const enum hy_code code = check_index("output", index, session->output_count, err);
    if (code != HY_OK)
        return code;
    const struct hy_session_tensor *output = &session->outputs[index];
    const struct hy_label_list *labels = hy_session_labels(session, index);
    struct halyard_tensor_info full;
    hy_tensor_info_fill(output->tensor, output->name, output->rank, output->extents, &full);
    hy_tensor_info_add_metadata(
        hy_network_output_metadata(session->network, session->options.signature, index), &full);
    full.label_count = labels->count;
    full.labels = labels->count > 0 ? labels->names : NULL;
    return hy_public_struct_write(&full, sizeof full, info, err);
}

int halyard_session_get_input(const struct halyard_session *session, uint32_t index,
                              struct halyard_tensor_info *info)
{
    static const char name[] = "session_get_input";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!info)
        return hy_public_null(name, "info");
    return hy_public_result(get_input(session, index, info, &err), &err);
}

int halyard_session_get_output(const struct halyard_session *session, uint32_t index,
                               struct halyard_tensor_info *info)
{
    static const char name[] = "session_get_output";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!info)
        return hy_public_null(name, "info");
    return hy_public_result(get_output(session, index, info, &err), &err);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

enum hy_code hy_session_check_input(struct halyard_session *session, uint32_t index,
                                    struct hy_error *err)
{
    const enum hy_code code = hy_session_check_idle(session, err);
    return code == HY_OK ? check_index("input", index, session->input_count, err) : code;
}

enum hy_code hy_session_input(struct halyard_session *session, uint32_t index,
                              struct hy_session_tensor **out, struct hy_error *err)
{
    enum hy_code code = hy_session_check_input(session, index, err);
    if (code == HY_OK)
        code = hy_session_lower(session, err);
    if (code == HY_OK)
        *out = &session->inputs[index];
    return code;
}

enum hy_code hy_session_output(struct halyard_session *session, uint32_t index,
                               struct hy_session_tensor **out, struct hy_error *err)
{
    enum hy_code code = hy_session_check_idle(session, err);
    if (code == HY_OK)
        code = check_index("output", index, session->output_count, err);
    if (code == HY_OK)
        code = hy_session_lower(session, err);
    if (code == HY_OK)
        *out = &session->outputs[index];
    return code;
}

int halyard_session_input_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                 size_t *length)
{
    static const char name[] = "session_input_buffer";
    struct hy_session_tensor *input = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes)
        return hy_public_null(name, "bytes");
    if (!length)
        return hy_public_null(name, "length");
    const enum hy_code code = hy_session_input(session, index, &input, &err);
    *bytes = input ? input->buffer.bytes : NULL;
    *length = input ? input->buffer.length : 0;
    return hy_public_result(code, &err);
}

int halyard_session_output_buffer(struct halyard_session *session, uint32_t index, void **bytes,
                                  size_t *length)
{
    static const char name[] = "session_output_buffer";
    struct hy_session_tensor *output = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes)
        return hy_public_null(name, "bytes");
    if (!length)
        return hy_public_null(name, "length");
    const enum hy_code code = hy_session_output(session, index, &output, &err);
    *bytes = output ? output->buffer.bytes : NULL;
    *length = output ? output->buffer.length : 0;
    return hy_public_result(code, &err);
}

/* Memory that is bound already stays bound, with the execution that was made for it. */
static enum hy_code bind(struct halyard_session *session, struct hy_session_tensor *tensor,
                         const char *what, uint32_t index, const struct hy_buffer *to,
                         struct hy_error *err)
{
    size_t needed;

    if (to->bytes == tensor->buffer.bytes && to->length == tensor->room)
        return HY_OK;
    if (!to->bytes && to->length == 0) {
        hy_session_drop_execution(session);
        return use_own(tensor, what, index, err);
    }
    if (!count_bytes(tensor, &needed))
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has no fixed size", what, index,
                       tensor->name);
    if (to->length != needed && !tensor->is_open)
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has %zu bytes, %zu are given", what, index,
                       tensor->name, needed, to->length);
    hy_session_drop_execution(session);
    tensor->buffer = *to;
    tensor->room = to->length;
    tensor->is_bound = true;
    return HY_OK;
}

int halyard_session_bind_input(struct halyard_session *session, uint32_t index, const void *bytes,
                               size_t length)
{
    static const char name[] = "session_bind_input";
    const struct hy_buffer to = {.bytes = (void *)(uintptr_t)bytes, .length = length};
    struct hy_session_tensor *input = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes && length > 0)
        return hy_public_null(name, "bytes");
    enum hy_code code = hy_session_input(session, index, &input, &err);
    if (code == HY_OK)
        code = bind(session, input, "input", index, &to, &err);
    return hy_public_result(code, &err);
}

int halyard_session_bind_output(struct halyard_session *session, uint32_t index, void *bytes,
                                size_t length)
{
    static const char name[] = "session_bind_output";
    const struct hy_buffer to = {.bytes = bytes, .length = length};
    struct hy_session_tensor *output = NULL;
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!bytes && length > 0)
        return hy_public_null(name, "bytes");
    enum hy_code code = hy_session_output(session, index, &output, &err);
    if (code == HY_OK)
        code = bind(session, output, "output", index, &to, &err);
    return hy_public_result(code, &err);
}
