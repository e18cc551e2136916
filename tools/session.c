#include "tools/session.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "tools/api_result.h"
#include "tools/progress.h"
#include "tools/shape_option.h"

struct hy_session {
    const struct hy_session_settings *settings;
    const char *path;
    const char *cache_dir;
    struct halyard_network *network;
    struct halyard_session *handle;
    uint32_t signature;
    uint32_t input_count;
    struct input {
        void *bytes;
        size_t length;
        bool is_resized; /* by what was read into the input */
        uint32_t rank;
        int32_t extents[HY_SHAPE_MAX_RANK];
    } * inputs; /* bound to each new session */
};

/* ---- Life ------------------------------------------------------------------------------------ */

static enum hy_code set_shapes(struct hy_session *session, struct hy_error *err)
{
    const struct hy_option_list *shapes = &session->settings->shapes;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < shapes->count; i++)
        code = hy_shape_option_apply(shapes->items[i], session->handle, err);
    for (uint32_t i = 0; code == HY_OK && i < session->input_count; i++) {
        const struct input *input = &session->inputs[i];
        if (input->is_resized)
            code = hy_api_result(
                halyard_session_resize(session->handle, i, input->rank, input->extents),
                "session_resize", err);
    }
    return code;
}

/* A session that is still to compile. */
static enum hy_code make_handle(struct hy_session *session, struct hy_error *err)
{
    static const int32_t preferences[] = {ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER,
                                          ANEURALNETWORKS_PREFER_SUSTAINED_SPEED,
                                          ANEURALNETWORKS_PREFER_LOW_POWER};
    static const int32_t priorities[] = {ANEURALNETWORKS_PRIORITY_MEDIUM,
                                         ANEURALNETWORKS_PRIORITY_LOW,
                                         ANEURALNETWORKS_PRIORITY_HIGH};
    const struct hy_session_settings *settings = session->settings;
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;

    options.signature = session->signature;
    options.device_count = settings->selection->by_name ? settings->selection->count : 0;
    options.devices = settings->selection->devices;
    options.cache_dir = session->cache_dir;
    options.preference = preferences[settings->preference];
    options.priority = priorities[settings->priority];
    options.relaxed = settings->relaxed;
    options.deadline_ns = settings->deadline_ms * UINT64_C(1000000);
    options.threads = settings->threads;
    options.burst = settings->mode == HY_RUN_BURST;
    options.fenced = settings->mode == HY_RUN_FENCED;
    options.split_operations = settings->split_operations;
    options.compile_later = true;
    const enum hy_code code =
        hy_api_result(halyard_session_create(session->network, &options, &session->handle),
                      "session_create", err);
    return code == HY_OK ? set_shapes(session, err) : code;
}

static enum hy_code make_input(struct hy_session *session, uint32_t index, struct hy_error *err)
{
    struct input *input = &session->inputs[index];
    void *bytes = NULL;

    const enum hy_code code =
        hy_api_result(halyard_session_input_buffer(session->handle, index, &bytes, &input->length),
                      "session_input_buffer", err);
    if (code != HY_OK)
        return code;
    input->bytes = calloc(1, input->length + 1); /* a valid pointer also for 0 bytes */
    if (!input->bytes)
        return hy_fail(err, HY_OUT_OF_MEMORY, "input %u: %zu bytes", index, input->length);
    return HY_OK;
}

static enum hy_code bind_inputs(struct hy_session *session, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < session->input_count; i++)
        code =
            hy_api_result(halyard_session_bind_input(session->handle, i, session->inputs[i].bytes,
                                                     session->inputs[i].length),
                          "session_bind_input", err);
    return code;
}

static enum hy_code make_inputs(struct hy_session *session, struct hy_error *err)
{
    session->input_count = halyard_session_input_count(session->handle);
    session->inputs = calloc((size_t)session->input_count + 1, sizeof *session->inputs);
    if (!session->inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u inputs", session->input_count);

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < session->input_count; i++)
        code = make_input(session, i, err);
    return code == HY_OK ? bind_inputs(session, err) : code;
}

static enum hy_code read_network(struct hy_session *session, struct hy_error *err)
{
    const char *signature = session->settings->signature;

    enum hy_code code =
        signature ? hy_api_result(halyard_network_find_signature(session->network, signature,
                                                                 &session->signature),
                                  "network_find_signature", err)
                  : HY_OK;
    if (code == HY_OK)
        code = make_handle(session, err);
    if (code == HY_OK)
        code = make_inputs(session, err);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", session->path);
}

enum hy_code hy_session_open(const char *path, const struct hy_session_settings *settings,
                             struct hy_session **out, struct hy_error *err)
{
    struct hy_session *session = calloc(1, sizeof *session);
    if (!session)
        return hy_fail(err, HY_OUT_OF_MEMORY, "session of %s", path);
    session->settings = settings;
    session->path = path;
    session->cache_dir = settings->cache_dir;

    struct hy_progress_clock *clock = hy_progress_clock_start("opening", path);
    enum hy_code code =
        hy_api_result(halyard_network_open(path, NULL, &session->network), "network_open", err);
    if (code == HY_OK)
        code = read_network(session, err);
    hy_progress_clock_stop(clock);
    if (code != HY_OK) {
        hy_session_close(session);
        return code;
    }
    *out = session;
    return HY_OK;
}

void hy_session_drop_compilation(struct hy_session *session)
{
    halyard_session_free(session->handle);
    session->handle = NULL;
}

void hy_session_close(struct hy_session *session)
{
    if (!session)
        return;
    hy_session_drop_compilation(session);
    halyard_network_close(session->network);
    for (uint32_t i = 0; session->inputs && i < session->input_count; i++)
        free(session->inputs[i].bytes);
    free(session->inputs);
    free(session);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

uint32_t hy_session_input_count(const struct hy_session *session)
{
    return session->input_count;
}

uint32_t hy_session_output_count(const struct hy_session *session)
{
    return halyard_session_output_count(session->handle);
}

struct hy_session_tensor hy_session_input(const struct hy_session *session, uint32_t index)
{
    struct hy_session_tensor tensor = {
        .info = {.struct_size = sizeof tensor.info},
        .bytes = session->inputs[index].bytes,
        .length = session->inputs[index].length,
    };
    (void)halyard_session_get_input(session->handle, index, &tensor.info);
    return tensor;
}

struct hy_session_tensor hy_session_output(const struct hy_session *session, uint32_t index)
{
    struct hy_session_tensor tensor = {.info = {.struct_size = sizeof tensor.info}};

    (void)halyard_session_get_output(session->handle, index, &tensor.info);
    (void)halyard_session_output_buffer(session->handle, index, &tensor.bytes, &tensor.length);
    return tensor;
}

const char *hy_session_metadata_note(const struct hy_session *session)
{
    return halyard_network_metadata_note(session->network);
}

/* The shape that reading a picture has given an input: the buffers are of other sizes now. */
static enum hy_code follow_shape(struct hy_session *session, uint32_t index, struct hy_error *err)
{
    struct input *input = &session->inputs[index];
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    void *bytes = NULL;
    size_t length = 0;

    enum hy_code code =
        hy_api_result(halyard_session_get_input(session->handle, index, &info), "input", err);
    if (code == HY_OK)
        code = hy_api_result(halyard_session_input_buffer(session->handle, index, &bytes, &length),
                             "session_input_buffer", err);
    if (code != HY_OK || bytes == input->bytes)
        return code;
    void *copy = malloc(length + 1);
    if (!copy)
        return hy_fail(err, HY_OUT_OF_MEMORY, "input %u: %zu bytes", index, length);
    memcpy(copy, bytes, length);
    free(input->bytes);
    input->bytes = copy;
    input->length = length;
    input->is_resized = true;
    input->rank = info.rank;
    memcpy(input->extents, info.extents, info.rank * sizeof *info.extents);
    return bind_inputs(session, err);
}

enum hy_code hy_session_read_input(struct hy_session *session, uint32_t index, const char *path,
                                   const struct halyard_image_options *options, char *note,
                                   size_t note_size, struct hy_error *err)
{
    const enum hy_code code = hy_api_result(
        halyard_session_read_input(session->handle, index, path, options, note, note_size),
        "session_read_input", err);
    return code == HY_OK ? follow_shape(session, index, err) : code;
}

enum hy_code hy_session_read_labels(struct hy_session *session, uint32_t output, const char *path,
                                    struct hy_error *err)
{
    return hy_api_result(halyard_session_read_labels(session->handle, output, path),
                         "session_read_labels", err);
}

/* Sums of four even distributions: from -2 to 2, dense in the middle, with a variance of 1/3. */
static float random_float(struct hy_random *random)
{
    const uint64_t bits = hy_random_next(random);
    const int sum = (int)(bits & 0xffff) + (int)(bits >> 16 & 0xffff) + (int)(bits >> 32 & 0xffff) +
                    (int)(bits >> 48);

    return (float)(sum - 2 * 0xffff) * 0x1p-16f;
}

static void fill(const struct hy_session_tensor *input, struct hy_random *random)
{
    float *floats = input->bytes;
    int32_t *values = input->bytes;
    int64_t *longs = input->bytes;
    uint8_t *bytes = input->bytes;

    switch (input->info.type) {
    case HALYARD_TYPE_FLOAT32:
        for (size_t i = 0; i < input->length / sizeof *floats; i++)
            floats[i] = random_float(random);
        break;
    case HALYARD_TYPE_INT32:
        for (size_t i = 0; i < input->length / sizeof *values; i++)
            values[i] = (int32_t)(hy_random_next(random) >> 61);
        break;
    case HALYARD_TYPE_INT64:
        for (size_t i = 0; i < input->length / sizeof *longs; i++)
            longs[i] = (int64_t)(hy_random_next(random) >> 61);
        break;
    default:
        for (size_t i = 0; i < input->length; i++)
            bytes[i] = (uint8_t)(hy_random_next(random) >> 56);
    }
}

void hy_session_fill_inputs(struct hy_session *session, uint32_t first, uint32_t seed)
{
    struct hy_random random = {seed};
    for (uint32_t i = first; i < session->input_count; i++) {
        const struct hy_session_tensor input = hy_session_input(session, i);
        fill(&input, &random);
    }
}

/* ---- Compiling and running ------------------------------------------------------------------- */

void hy_session_use_cache(struct hy_session *session, const char *dir)
{
    session->cache_dir = dir;
}

static enum hy_code compile(struct hy_session *session, struct hy_error *err)
{
    hy_session_drop_compilation(session);
    enum hy_code code = make_handle(session, err);
    if (code == HY_OK)
        code = bind_inputs(session, err);
    if (code == HY_OK)
        code = hy_api_result(halyard_session_prepare(session->handle), "session_prepare", err);
    return code;
}

enum hy_code hy_session_compile(struct hy_session *session, struct hy_error *err)
{
    struct hy_progress_clock *clock = hy_progress_clock_start("compiling", session->path);
    const enum hy_code code = compile(session, err);
    hy_progress_clock_stop(clock);
    return code;
}

ANeuralNetworksCompilation *hy_session_compilation(const struct hy_session *session)
{
    return halyard_session_compilation(session->handle);
}

struct halyard_session *hy_session_handle(const struct hy_session *session)
{
    return session->handle;
}

enum hy_code hy_session_run(struct hy_session *session, struct hy_error *err)
{
    if (session->settings->mode != HY_RUN_ASYNC)
        return hy_api_result(halyard_session_run(session->handle), "session_run", err);
    const enum hy_code code =
        hy_api_result(halyard_session_start(session->handle, NULL, NULL), "session_start", err);
    return code == HY_OK ? hy_api_result(halyard_session_wait(session->handle), "session_wait", err)
                         : code;
}
