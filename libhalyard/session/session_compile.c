/* From the network and the settings of a session to its compilation. */
#include "libhalyard/graph/budget.h"
#include "libhalyard/session/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lowering -------------------------------------------------------------------------------- */

/* Open extents of the file are 1 until the caller sets them. True: the shapes differ from the
 * file's. */
static bool complete_shapes(struct halyard_session *session, const struct hy_graph *io)
{
    bool is_other = false;

    for (uint32_t i = 0; i < hy_graph_own_input_count(io); i++) {
        const struct hy_graph_tensor *tensor = &io->tensors[io->inputs[i]];
        struct hy_input_shape *shape = &session->shapes[i];
        for (uint32_t j = 0; !shape->is_set && j < tensor->rank; j++) {
            if (tensor->extents[j] != HY_UNKNOWN_EXTENT)
                continue;
            *shape = (struct hy_input_shape){.is_set = true, .rank = tensor->rank};
            for (uint32_t k = 0; k < tensor->rank; k++)
                shape->extents[k] =
                    tensor->extents[k] == HY_UNKNOWN_EXTENT ? 1 : tensor->extents[k];
        }
        is_other |= shape->is_set;
    }
    return is_other;
}

/* Imports the session's signature again, in the session's shapes and limits. */
static enum hy_code import_own(const struct halyard_session *session,
                               const struct hy_tflite_limits *limits, struct hy_network **own,
                               struct hy_error *err)
{
    struct halyard_network *network = session->network;
    struct hy_tflite_model *source = NULL;

    pthread_mutex_lock(&network->lock);
    enum hy_code code = hy_network_source(network, &source, err);
    pthread_mutex_unlock(&network->lock);
    if (code == HY_OK)
        code = hy_network_import(source, session->options.signature, session->shapes, limits, own,
                                 err);
    hy_tflite_close(source);
    return code;
}

static enum hy_code lower_own(struct halyard_session *session, struct hy_network **out,
                              struct hy_error *err)
{
    struct hy_tflite_limits limits = session->network->limits;
    struct hy_network *own = NULL;

    limits.memory = session->options.max_memory;
    limits.operations = session->options.max_operations;
    enum hy_code code = import_own(session, &limits, &own, err);
    if (code != HY_OK)
        return code;
    own->graph.relaxed = session->options.relaxed;
    code = hy_graph_check_memory(&own->graph, own->budget.memory_limit, err);
    if (code == HY_OK)
        code = hy_network_lower(own, err);
    if (code != HY_OK) {
        hy_network_close(own);
        return code;
    }
    hy_network_trim(own);
    *out = own;
    return HY_OK;
}

/* The error text names a tensor of the graph; the network may have freed the graph, so import
 * again. */
static enum hy_code check_memory(const struct halyard_session *session,
                                 const struct hy_signature *signature, struct hy_error *err)
{
    const uint64_t limit = hy_network_memory(session->options.max_memory);
    const struct halyard_network_memory *memory = &signature->memory;
    struct hy_network *own = NULL;

    if (memory->made <= limit && memory->peak <= limit - memory->made)
        return HY_OK;
    enum hy_code code = import_own(session, &session->network->limits, &own, err);
    if (code == HY_OK)
        code = hy_graph_check_memory(&own->graph, limit, err);
    hy_network_close(own);
    return code;
}

/* The network's own model, which other sessions may have made with other limits. */
static enum hy_code lower_shared(struct halyard_session *session,
                                 const struct hy_signature *signature,
                                 const struct hy_network **lowered, struct hy_error *err)
{
    const uint32_t most = session->options.max_operations;

    enum hy_code code = check_memory(session, signature, err);
    if (code == HY_OK)
        code = hy_signature_lowered(session->network, session->options.signature, lowered, err);
    if (code != HY_OK || most == 0)
        return code;
    const uint32_t count = hy_lowered_model_operation_count((*lowered)->model);
    if (count > most)
        return hy_fail(err, HY_BAD_DATA,
                       "the network lowers to %u operations, at most %u are allowed", count, most);
    return HY_OK;
}

/* The network for the session's settings; `*own` is NULL for the network in the shapes of the
 * file. */
static enum hy_code find_network(struct halyard_session *session, const struct hy_network **lowered,
                                 struct hy_network **own, struct hy_error *err)
{
    const struct hy_signature *signature = NULL;

    *own = NULL;
    enum hy_code code =
        hy_signature_imported(session->network, session->options.signature, &signature, err);
    if (code != HY_OK)
        return code;
    if (!complete_shapes(session, &signature->io) && !session->options.relaxed)
        return lower_shared(session, signature, lowered, err);
    code = lower_own(session, own, err);
    *lowered = *own;
    return code;
}

/* Takes ownership of the network, and replaces the tensors and states of the former network. */
static enum hy_code adopt_network(struct halyard_session *session, const struct hy_network *lowered,
                                  struct hy_network *own, struct hy_error *err)
{
    struct hy_states *states = NULL;

    enum hy_code code = hy_states_create(&lowered->graph, lowered->model, &states, err);
    if (code == HY_OK)
        code = hy_session_list_tensors(session, &lowered->graph, err);
    if (code != HY_OK) {
        hy_states_destroy(states);
        hy_network_close(own);
        return code;
    }
    hy_states_destroy(session->states);
    hy_network_close(session->own_lowered);
    session->states = states;
    session->lowered = lowered;
    session->own_lowered = own;
    return hy_session_make_buffers(session, err);
}

enum hy_code hy_session_lower(struct halyard_session *session, struct hy_error *err)
{
    const struct hy_network *lowered = NULL;
    struct hy_network *own = NULL;

    if (!session->needs_lowering)
        return HY_OK;
    enum hy_code code = find_network(session, &lowered, &own, err);
    if (code != HY_OK)
        return code;
    code = adopt_network(session, lowered, own, err);
    session->needs_lowering = code != HY_OK;
    return code;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static int create(struct halyard_session *session)
{
    /* The API has no const for models for historical reasons: it does not change the model. */
    ANeuralNetworksModel *model =
        (ANeuralNetworksModel *)(uintptr_t)hy_lowered_model_handle(session->lowered->model);
    const struct halyard_session_options *options = &session->options;

    if (options->device_count == 0)
        return ANeuralNetworksCompilation_create(model, &session->compilation);
    return ANeuralNetworksCompilation_createForDevices(
        model, options->devices, options->device_count, &session->compilation);
}

/* Sets a token for the session; the runtime adds the identity of the model. */
static int set_cache(const struct halyard_session *session)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "halyard";

    if (!session->options.cache_dir)
        return ANEURALNETWORKS_NO_ERROR;
    return ANeuralNetworksCompilation_setCaching(session->compilation, session->options.cache_dir,
                                                 token);
}

/* Memory for tensors of known shapes has been counted when the network was lowered. */
static int set_memory_limit(const struct halyard_session *session)
{
    if (!hy_lowered_model_has_open_operands(session->lowered->model))
        return ANEURALNETWORKS_NO_ERROR;
    return halyard_compilation_set_memory_limit(session->compilation,
                                                hy_network_memory(session->options.max_memory));
}

static int set_options(const struct halyard_session *session)
{
    const struct halyard_session_options *options = &session->options;
    ANeuralNetworksCompilation *compilation = session->compilation;

    int result = ANeuralNetworksCompilation_setPreference(compilation, options->preference);
    if (result == ANEURALNETWORKS_NO_ERROR && options->priority != 0)
        result = ANeuralNetworksCompilation_setPriority(compilation, options->priority);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = set_cache(session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_compilation_set_timeout(compilation, options->compile_deadline_ns);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_compilation_set_threads(compilation, options->threads);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = set_memory_limit(session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_compilation_split_operations(compilation, options->split_operations);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_compilation_only_from_cache(compilation, options->only_cached);
    return result;
}

enum hy_code hy_session_compile(struct halyard_session *session, struct hy_error *err)
{
    if (session->compilation)
        return HY_OK;
    enum hy_code code = hy_session_lower(session, err);
    if (code != HY_OK)
        return code;

    int result = create(session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = set_options(session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_finish(session->compilation);
    code = hy_nnapi_result(result, err);
    if (code != HY_OK)
        hy_session_drop_compilation(session);
    return code;
}

void hy_session_drop_compilation(struct halyard_session *session)
{
    hy_session_drop_execution(session);
    ANeuralNetworksCompilation_free(session->compilation);
    session->compilation = NULL;
}
