/* halyard/session.h: networks from files. */
#include "libhalyard/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Life ------------------------------------------------------------------------------------ */

static enum hy_code find_signatures(struct halyard_network *network, struct hy_error *err)
{
    const struct hy_tflite_model *source = network->source;

    network->signature_count = source->signature_count;
    network->signatures = calloc(network->signature_count, sizeof *network->signatures);
    if (!network->signatures)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u signatures", network->signature_count);
    for (uint32_t i = 0; i < network->signature_count; i++)
        network->signatures[i].name = source->signatures[i].key;
    return HY_OK;
}

/* Faults of a file are reported at opening, not at the first use of the first signature. */
static enum hy_code read_source(struct halyard_network *network, const void *bytes, size_t length,
                                struct hy_error *err)
{
    const struct hy_network *first;

    enum hy_code code = hy_network_read(bytes, length, &network->limits, &network->source, err);
    if (code == HY_OK)
        code = find_signatures(network, err);
    if (code == HY_OK)
        hy_tflite_metadata_read(bytes, length, &network->metadata);
    return code == HY_OK ? hy_signature_imported(network, 0, &first, err) : code;
}

static enum hy_code read_options(const struct halyard_network_options *options,
                                 struct hy_tflite_limits *limits, struct hy_error *err)
{
    struct halyard_network_options full = {0};

    *limits = hy_tflite_default_limits;
    if (!options)
        return HY_OK;
    const enum hy_code code = hy_public_struct_read(options, &full, sizeof full, err);
    if (full.max_operations > 0)
        limits->operators = full.max_operations;
    limits->memory = full.max_memory;
    return code;
}

static enum hy_code create(const struct halyard_network_options *options,
                           struct halyard_network **out, struct hy_error *err)
{
    struct hy_tflite_limits limits;
    const enum hy_code code = read_options(options, &limits, err);
    if (code != HY_OK)
        return code;

    struct halyard_network *network = calloc(1, sizeof *network);
    if (!network)
        return hy_fail(err, HY_OUT_OF_MEMORY, "network");
    network->limits = limits;
    pthread_mutex_init(&network->lock, NULL);
    *out = network;
    return HY_OK;
}

static enum hy_code open_file(const char *path, const struct halyard_network_options *options,
                              struct halyard_network **out, struct hy_error *err)
{
    struct halyard_network *network = NULL;

    enum hy_code code = create(options, &network, err);
    if (code != HY_OK)
        return code;
    code = hy_file_map(path, network->limits.file_bytes, &network->file, err);
    if (code == HY_FAILED)
        code = HY_UNMAPPABLE; /* the system's refusal, with the path */
    if (code == HY_OK) {
        code = read_source(network, network->file.bytes, network->file.length, err);
        if (code != HY_OK)
            hy_error_prefix(err, code, "%s", path);
    }
    if (code != HY_OK) {
        halyard_network_close(network);
        return code;
    }
    *out = network;
    return HY_OK;
}

static enum hy_code open_memory(const void *bytes, size_t length,
                                const struct halyard_network_options *options,
                                struct halyard_network **out, struct hy_error *err)
{
    struct halyard_network *network = NULL;

    enum hy_code code = create(options, &network, err);
    if (code != HY_OK)
        return code;
    code = read_source(network, bytes, length, err);
    if (code != HY_OK) {
        halyard_network_close(network);
        return code;
    }
    *out = network;
    return HY_OK;
}

int halyard_network_open(const char *path, const struct halyard_network_options *options,
                         struct halyard_network **network)
{
    static const char name[] = "network_open";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    *network = NULL;
    if (!path)
        return hy_public_null(name, "path");
    return hy_public_result(open_file(path, options, network, &err), &err);
}

int halyard_network_open_memory(const void *bytes, size_t length,
                                const struct halyard_network_options *options,
                                struct halyard_network **network)
{
    static const char name[] = "network_open_memory";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    *network = NULL;
    if (!bytes)
        return hy_public_null(name, "bytes");
    return hy_public_result(open_memory(bytes, length, options, network, &err), &err);
}

void halyard_network_close(struct halyard_network *network)
{
    if (!network)
        return;
    for (uint32_t i = 0; network->signatures && i < network->signature_count; i++) {
        hy_operator_list_destroy(network->signatures[i].operators);
        hy_network_close(network->signatures[i].network);
    }
    free(network->signatures);
    hy_tflite_close(network->source);
    hy_tflite_metadata_finish(&network->metadata);
    hy_file_unmap(&network->file);
    pthread_mutex_destroy(&network->lock);
    free(network);
}

/* ---- Signatures in the shapes of the file ---------------------------------------------------- */

static enum hy_code check_signature(const struct halyard_network *network, uint32_t index,
                                    struct hy_error *err)
{
    if (index < network->signature_count)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "signature %u, the network has %u", index,
                   network->signature_count);
}

static enum hy_code make(struct halyard_network *network, uint32_t index, bool is_lowered,
                         struct hy_error *err)
{
    struct hy_signature *signature = &network->signatures[index];
    enum hy_code code = HY_OK;

    if (!signature->network)
        code = hy_network_import(network->source, index, NULL, &network->limits,
                                 &signature->network, err);
    if (code == HY_OK && is_lowered && !signature->network->model)
        code = hy_network_lower(signature->network, err);
    return code;
}

static enum hy_code find(struct halyard_network *network, uint32_t index, bool is_lowered,
                         const struct hy_network **out, struct hy_error *err)
{
    enum hy_code code = check_signature(network, index, err);
    if (code != HY_OK)
        return code;
    pthread_mutex_lock(&network->lock);
    code = make(network, index, is_lowered, err);
    if (code == HY_OK)
        *out = network->signatures[index].network;
    pthread_mutex_unlock(&network->lock);
    return code;
}

enum hy_code hy_signature_imported(struct halyard_network *network, uint32_t index,
                                   const struct hy_network **out, struct hy_error *err)
{
    return find(network, index, false, out, err);
}

enum hy_code hy_signature_lowered(struct halyard_network *network, uint32_t index,
                                  const struct hy_network **out, struct hy_error *err)
{
    return find(network, index, true, out, err);
}

int halyard_network_get_model(struct halyard_network *network, uint32_t signature,
                              const ANeuralNetworksModel **model)
{
    static const char name[] = "network_get_model";
    const struct hy_network *lowered = NULL;
    struct hy_error err;

    if (!model)
        return hy_public_null(name, "model");
    *model = NULL;
    if (!network)
        return hy_public_null(name, "network");
    const enum hy_code code = hy_signature_lowered(network, signature, &lowered, &err);
    if (code == HY_OK)
        *model = hy_lowered_model_handle(lowered->model);
    return hy_public_result(code, &err);
}
