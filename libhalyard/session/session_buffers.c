/* halyard/session.h: the buffers of a session's inputs and outputs. */
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_ALIGNMENT 64u

/* ---- Buffers of the session's own ------------------------------------------------------------ */

/* Zeroed memory, with a valid pointer also for 0 bytes; NULL when memory has run out. */
static void *make_buffer(size_t bytes)
{
    if (bytes > SIZE_MAX - BUFFER_ALIGNMENT)
        return NULL;
    const size_t capacity = (bytes + BUFFER_ALIGNMENT) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
    void *buffer = aligned_alloc(BUFFER_ALIGNMENT, capacity);
    if (buffer)
        memset(buffer, 0, capacity);
    return buffer;
}

/* Replaces the session's own memory. False: memory has run out. */
static bool make_own(struct hy_session_tensor *tensor, size_t bytes)
{
    void *own = make_buffer(bytes);
    if (!own)
        return false;
    free(tensor->own);
    tensor->own = own;
    tensor->own_capacity = bytes;
    return true;
}

/* The bytes of the extents; unknown extents count as 1. */
bool hy_session_tensor_bytes(const struct hy_session_tensor *tensor, size_t *bytes)
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

enum hy_code hy_session_use_own_buffer(struct hy_session_tensor *tensor, const char *what,
                                       uint32_t index, struct hy_error *err)
{
    size_t bytes;

    if (!hy_session_tensor_bytes(tensor, &bytes))
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has no fixed size", what, index,
                       tensor->name);
    if ((!tensor->own || tensor->own_capacity < bytes) && !make_own(tensor, bytes))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s %u (%.64s): %zu bytes", what, index, tensor->name,
                       bytes);
    tensor->buffer = (struct hy_buffer){.bytes = tensor->own, .length = bytes};
    tensor->capacity = tensor->own_capacity;
    tensor->is_bound = false;
    return HY_OK;
}

enum hy_code hy_session_make_buffers(struct halyard_session *session, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < session->input_count; i++)
        code = hy_session_use_own_buffer(&session->inputs[i], "input", i, err);
    for (uint32_t i = 0; code == HY_OK && i < session->output_count; i++)
        code = hy_session_use_own_buffer(&session->outputs[i], "output", i, err);
    return code;
}

/* ---- Buffers of the caller ------------------------------------------------------------------- */

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

/* Memory that is already bound stays bound, with its execution. */
static enum hy_code bind(struct halyard_session *session, struct hy_session_tensor *tensor,
                         const char *what, uint32_t index, const struct hy_buffer *to,
                         struct hy_error *err)
{
    size_t needed;

    if (to->bytes == tensor->buffer.bytes && to->length == tensor->capacity)
        return HY_OK;
    if (!to->bytes && to->length == 0) {
        hy_session_drop_execution(session);
        return hy_session_use_own_buffer(tensor, what, index, err);
    }
    if (!hy_session_tensor_bytes(tensor, &needed))
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has no fixed size", what, index,
                       tensor->name);
    if (to->length != needed && !tensor->is_open)
        return hy_fail(err, HY_BAD_DATA, "%s %u (%.64s) has %zu bytes, the buffer has %zu", what,
                       index, tensor->name, needed, to->length);
    hy_session_drop_execution(session);
    tensor->buffer = *to;
    tensor->capacity = to->length;
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
