/* halyard/session.h: what outputs mean. */
#include "libhalyard/session/session.h"
#include "libhalyard/session/values.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_LABEL_FILE_BYTES = HY_LABEL_LIST_MAX_BYTES };

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A numeric output with the contents of the last run. */
static enum hy_code find_values(struct halyard_session *session, uint32_t index,
                                struct hy_values *out, struct hy_error *err)
{
    struct hy_session_tensor *output = NULL;
    const enum hy_code code = hy_session_output(session, index, &output, err);
    if (code != HY_OK)
        return code;
    const struct hy_graph_tensor *tensor = output->tensor;
    if (!hy_values_are_numbers(tensor->element))
        return hy_fail(err, HY_BAD_DATA,
                       "output %" PRIu32 " (%.64s) has type %s, needs a number type", index,
                       output->name, hy_element_name(tensor->element));
    *out = (struct hy_values){
        .element = tensor->element,
        .bytes = output->buffer.bytes,
        .count = 1,
        .rank = output->rank,
        .extents = output->extents,
        .quantisation = &tensor->quantisation,
    };
    for (uint32_t i = 0; i < output->rank; i++) {
        if (output->extents[i] < 0)
            return hy_fail(err, HY_BAD_STATE,
                           "output %" PRIu32 " (%.64s) has no shape before a run", index,
                           output->name);
        out->count *= (uint64_t)output->extents[i];
    }
    return HY_OK;
}

static enum hy_code read_values(struct halyard_session *session, uint32_t output, double *to,
                                size_t count, struct hy_error *err)
{
    struct hy_values values;
    const enum hy_code code = find_values(session, output, &values, err);
    if (code != HY_OK)
        return code;
    if (count != values.count)
        return hy_fail(err, HY_BAD_DATA,
                       "output %" PRIu32 " has %" PRIu64 " elements, the array has %zu", output,
                       values.count, count);
    for (size_t i = 0; i < count; i++)
        to[i] = hy_values_get(&values, i);
    return HY_OK;
}

int halyard_session_read_output(struct halyard_session *session, uint32_t output, double *values,
                                size_t count)
{
    static const char name[] = "session_read_output";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!values && count > 0)
        return hy_public_null(name, "values");
    return hy_public_result(read_values(session, output, values, count, &err), &err);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

const struct hy_label_list *hy_session_labels(const struct halyard_session *session,
                                              uint32_t output)
{
    const struct hy_label_list *own = &session->labels[output];
    if (own->count > 0)
        return own;
    return &hy_network_output_metadata(session->network, session->options.signature, output)
                ->labels;
}

/* The number of classes: the last extent above 1. */
static int32_t class_count(uint32_t rank, const int32_t *extents)
{
    for (uint32_t i = rank; i-- > 0;)
        if (extents[i] != 1)
            return extents[i];
    return 1;
}

static enum hy_code replace_labels(struct halyard_session *session, uint32_t index,
                                   const char *path, const struct hy_file *file,
                                   struct hy_error *err)
{
    struct hy_session_tensor *output = NULL;
    struct hy_label_list labels = {0};
    enum hy_code code = hy_session_output(session, index, &output, err);
    if (code == HY_OK)
        code = hy_label_list_make(&session->label_arena, file->bytes, file->length, &labels, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", path);

    const int32_t classes = class_count(output->rank, output->extents);
    if (classes != HY_UNKNOWN_EXTENT && labels.count != (uint32_t)classes)
        return hy_fail(err, HY_BAD_DATA,
                       "%s: %" PRIu32 " label%s, but output %" PRIu32 " has %" PRId32 " classes",
                       path, labels.count, labels.count == 1 ? "" : "s", index, classes);
    session->labels[index] = labels;
    return HY_OK;
}

int halyard_session_read_labels(struct halyard_session *session, uint32_t output, const char *path)
{
    static const char name[] = "session_read_labels";
    struct hy_file file = {0};
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!path)
        return hy_public_null(name, "path");
    enum hy_code code = hy_file_map(path, MAX_LABEL_FILE_BYTES, &file, &err);
    if (code == HY_OK)
        code = replace_labels(session, output, path, &file, &err);
    hy_file_unmap(&file);
    return hy_public_result(code, &err);
}

/* ---- The largest ----------------------------------------------------------------------------- */

static enum hy_code rank(struct halyard_session *session, uint32_t output,
                         struct halyard_rank *ranks, uint32_t *count, struct hy_error *err)
{
    struct hy_values values;
    const enum hy_code code = find_values(session, output, &values, err);
    if (code != HY_OK)
        return code;
    const uint64_t size = *count < values.count ? *count : values.count;
    const uint64_t classes = (uint64_t)class_count(values.rank, values.extents);
    if (size == 0 || classes == 0) {
        *count = 0;
        return HY_OK;
    }
    struct hy_value_rank *found = calloc(size, sizeof *found);
    if (!found)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%" PRIu64 " ranks", size);

    const struct hy_label_list *labels = hy_session_labels(session, output);
    *count = hy_values_top(&values, found, (uint32_t)size);
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t index = (uint32_t)(found[i].index % classes);
        ranks[i] = (struct halyard_rank){
            .index = index,
            .value = found[i].value,
            .label = index < labels->count ? labels->names[index] : "",
        };
    }
    free(found);
    return HY_OK;
}

int halyard_session_top(struct halyard_session *session, uint32_t output,
                        struct halyard_rank *ranks, uint32_t *count)
{
    static const char name[] = "session_top";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!count)
        return hy_public_null(name, "count");
    if (!ranks && *count > 0)
        return hy_public_null(name, "ranks");
    return hy_public_result(rank(session, output, ranks, count, &err), &err);
}
