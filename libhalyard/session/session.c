/* halyard/session.h: the life of sessions, their shapes and their plans. */
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options --------------------------------------------------------------------------------- */

static enum hy_code copy_devices(struct halyard_session_options *options, struct hy_error *err)
{
    if (options->device_count == 0) {
        options->devices = NULL;
        return HY_OK;
    }
    const size_t bytes = options->device_count * sizeof *options->devices;
    const ANeuralNetworksDevice **devices = malloc(bytes);
    if (!devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", options->device_count);
    memcpy(devices, options->devices, bytes);
    options->devices = devices;
    return HY_OK;
}

static enum hy_code copy_cache_dir(struct halyard_session_options *options, struct hy_error *err)
{
    if (!options->cache_dir)
        return HY_OK;
    options->cache_dir = strdup(options->cache_dir);
    return options->cache_dir ? HY_OK
                              : hy_fail(err, HY_OUT_OF_MEMORY, "name of the cache directory");
}

/* On failure the pointers are the session's own or NULL. */
static enum hy_code copy_options(const struct halyard_session_options *from,
                                 struct halyard_session_options *options, struct hy_error *err)
{
    static const struct halyard_session_options defaults = HALYARD_SESSION_OPTIONS;
    struct halyard_session_options full = {0};

    enum hy_code code = hy_public_struct_read(from ? from : &defaults, &full, sizeof full, err);
    if (code == HY_OK && full.device_count > 0 && !full.devices)
        code = hy_fail(err, HY_UNEXPECTED_NULL,
                       "session_create: devices is NULL, with a count of "
                       "%u",
                       full.device_count);
    if (code != HY_OK)
        return code;
    const char *dir = full.cache_dir;
    full.cache_dir = NULL;
    code = copy_devices(&full, err);
    if (code == HY_OK) {
        full.cache_dir = dir;
        code = copy_cache_dir(&full, err);
    } else {
        full.devices = NULL;
    }
    *options = full;
    return code;
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* The shapes of the inputs, available before lowering. */
static enum hy_code make_shapes(struct halyard_session *session, struct hy_error *err)
{
    const struct hy_signature *signature = NULL;

    const enum hy_code code =
        hy_signature_imported(session->network, session->options.signature, &signature, err);
    if (code != HY_OK)
        return code;
    session->input_count = hy_graph_own_input_count(&signature->io);
    session->output_count = hy_graph_own_output_count(&signature->io);
    session->shapes = calloc((size_t)session->input_count + 1, sizeof *session->shapes);
    session->labels = calloc((size_t)session->output_count + 1, sizeof *session->labels);
    if (!session->shapes || !session->labels)
        return hy_fail(err, HY_OUT_OF_MEMORY, "shapes of %u inputs, labels of %u outputs",
                       session->input_count, session->output_count);
    return hy_session_list_tensors(session, &signature->io, err);
}

static enum hy_code create(struct halyard_network *network,
                           const struct halyard_session_options *options,
                           struct halyard_session **out, struct hy_error *err)
{
    struct halyard_session *session = calloc(1, sizeof *session);
    if (!session)
        return hy_fail(err, HY_OUT_OF_MEMORY, "session");
    session->network = network;
    session->needs_lowering = true;
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->ended, NULL);

    enum hy_code code = copy_options(options, &session->options, err);
    if (code == HY_OK)
        code = make_shapes(session, err);
    if (code == HY_OK && !session->options.compile_later)
        code = hy_session_compile(session, err);
    if (code != HY_OK) {
        halyard_session_free(session);
        return code;
    }
    *out = session;
    return HY_OK;
}

int halyard_session_create(struct halyard_network *network,
                           const struct halyard_session_options *options,
                           struct halyard_session **session)
{
    static const char name[] = "session_create";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    *session = NULL;
    if (!network)
        return hy_public_null(name, "network");
    return hy_public_result(create(network, options, session, &err), &err);
}

void halyard_session_free(struct halyard_session *session)
{
    if (!session)
        return;
    hy_session_end_run(session);
    hy_session_drop_compilation(session);
    hy_session_tensors_free(session->inputs, session->input_count);
    hy_session_tensors_free(session->outputs, session->output_count);
    hy_states_destroy(session->states);
    hy_network_close(session->own_lowered);
    free(session->shapes);
    free(session->labels);
    hy_arena_finish(&session->label_arena);
    free((void *)(uintptr_t)session->options.devices);
    free((char *)(uintptr_t)session->options.cache_dir);
    pthread_cond_destroy(&session->ended);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static enum hy_code check_shape(const struct halyard_session *session, uint32_t input,
                                uint32_t rank, const int32_t *extents, struct hy_error *err)
{
    if (input >= session->input_count)
        return hy_fail(err, HY_BAD_DATA, "input %u does not exist, the session has %u", input,
                       session->input_count);
    const char *name = session->inputs[input].name;
    if (rank > HY_GRAPH_MAX_RANK)
        return hy_fail(err, HY_BAD_DATA, "input %u (%.64s): rank %u, at most %d", input, name, rank,
                       HY_GRAPH_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] < 0)
            return hy_fail(err, HY_BAD_DATA, "input %u (%.64s): extent %u is %d", input, name, i,
                           extents[i]);
    }
    return HY_OK;
}

/* Extents of outputs are unknown until the network is lowered. */
static void note_shape(struct halyard_session *session, uint32_t input)
{
    struct hy_session_tensor *tensor = &session->inputs[input];

    tensor->rank = session->shapes[input].rank;
    memcpy(tensor->extents, session->shapes[input].extents, sizeof tensor->extents);
    for (uint32_t i = 0; i < session->output_count; i++) {
        for (uint32_t j = 0; j < HY_GRAPH_MAX_RANK; j++)
            session->outputs[i].extents[j] = HY_UNKNOWN_EXTENT;
    }
}

enum hy_code hy_session_resize(struct halyard_session *session, uint32_t input, uint32_t rank,
                               const int32_t *extents, struct hy_error *err)
{
    enum hy_code code = hy_session_check_idle(session, err);
    if (code == HY_OK)
        code = check_shape(session, input, rank, extents, err);
    if (code != HY_OK)
        return code;

    struct hy_input_shape *shape = &session->shapes[input];
    *shape = (struct hy_input_shape){.is_set = true, .rank = rank};
    if (rank > 0)
        memcpy(shape->extents, extents, rank * sizeof *extents);
    hy_session_drop_compilation(session);
    session->needs_lowering = true;
    note_shape(session, input);
    return HY_OK;
}

int halyard_session_resize(struct halyard_session *session, uint32_t input, uint32_t rank,
                           const int32_t *extents)
{
    static const char name[] = "session_resize";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    if (!extents && rank > 0)
        return hy_public_null(name, "extents");
    return hy_public_result(hy_session_resize(session, input, rank, extents, &err), &err);
}

int halyard_session_prepare(struct halyard_session *session)
{
    static const char name[] = "session_prepare";
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    enum hy_code code = hy_session_check_idle(session, &err);
    if (code == HY_OK)
        code = hy_session_compile(session, &err);
    return hy_public_result(code, &err);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

ANeuralNetworksCompilation *halyard_session_compilation(struct halyard_session *session)
{
    return session ? session->compilation : NULL;
}

uint32_t halyard_session_operator_of(const struct halyard_session *session, uint32_t operation)
{
    const struct hy_operator_list *list = NULL;

    if (!session || session->needs_lowering ||
        operation >= hy_lowered_model_operation_count(session->lowered->model) ||
        hy_signature_operators(session->network, session->options.signature, &list, NULL) != HY_OK)
        return UINT32_MAX;
    return list->first[hy_lowered_model_subgraph(session->lowered->model, operation)] +
           hy_lowered_model_operator(session->lowered->model, operation);
}
