/* halyard/session.h: inputs from files. */
#include "libhalyard/preprocess/input.h"
#include "libhalyard/session/session.h"

#include <stdio.h>

static enum hy_code load(struct halyard_session *session, uint32_t index, const char *path,
                         struct hy_input_note *note, struct hy_error *err)
{
    struct hy_session_tensor *input = NULL;

    enum hy_code code = hy_session_input(session, index, &input, err);
    if (code != HY_OK)
        return code;
    const struct hy_graph_quantisation *quantisation = &input->tensor->quantisation;
    const bool is_quantised = quantisation->count > 0;
    const struct hy_input_spec spec = {
        .type = input->tensor->element,
        .rank = input->rank,
        .dims = input->extents,
        .scale = is_quantised ? quantisation->scales[0] : 0,
        .zero_point = is_quantised ? quantisation->zero_points[0] : 0,
    };
    code = hy_input_load(path, &spec, input->buffer.bytes, input->buffer.length, note, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "input %u (%.64s)", index, input->name);
    return HY_OK;
}

int halyard_session_read_input(struct halyard_session *session, uint32_t index, const char *path,
                               const struct halyard_image_options *options, char *note,
                               size_t note_size)
{
    static const char name[] = "session_read_input";
    struct halyard_image_options full = {0};
    struct hy_input_note own = {0};
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!path)
        return hy_public_null(name, "path");
    enum hy_code code = options ? hy_public_struct_read(options, &full, sizeof full, &err) : HY_OK;
    if (code == HY_OK)
        code = load(session, index, path, &own, &err);
    if (note && note_size > 0)
        snprintf(note, note_size, "%s", own.text);
    return hy_public_result(code, &err);
}
