/* halyard/session.h: the inputs and outputs of sessions. */
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

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
    const struct hy_signature *signature =
        &session->network->signatures[session->options.signature];
    const struct hy_signature_tensor *named = is_output ? signature->outputs : signature->inputs;
    const uint32_t *indices = is_output ? graph->outputs : graph->inputs;
    const uint32_t count = is_output ? session->output_count : session->input_count;
    struct hy_session_tensor *tensors = calloc((size_t)count + 1, sizeof *tensors);

    for (uint32_t i = 0; tensors && i < count; i++) {
        init(&tensors[i], &graph->tensors[indices[i]]);
        tensors[i].name = named[i].name;
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

void hy_session_tensors_free(struct hy_session_tensor *tensors, uint32_t count)
{
    for (uint32_t i = 0; tensors && i < count; i++)
        free(tensors[i].own);
    free(tensors);
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
    return hy_fail(err, HY_BAD_DATA, "%s %u does not exist, the session has %u", what, index,
                   count);
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
