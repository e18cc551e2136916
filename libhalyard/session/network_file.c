/* halyard/session.h: networks from files. */
#include "libhalyard/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Life ------------------------------------------------------------------------------------ */

static const char *copy_text(struct halyard_network *network, const char *text)
{
    return hy_arena_copy(&network->arena, text, strlen(text) + 1, 1);
}

static enum hy_code find_signatures(struct halyard_network *network, struct hy_error *err)
{
    const struct hy_tflite_model *source = network->source;

    network->description = copy_text(network, source->description);
    network->signatures = calloc(source->signature_count, sizeof *network->signatures);
    bool is_made = network->description && network->signatures;
    for (uint32_t i = 0; is_made && i < source->signature_count; i++) {
        network->signatures[i].name = copy_text(network, source->signatures[i].key);
        network->signature_count++;
        is_made = network->signatures[i].name != NULL;
    }
    return is_made ? HY_OK
                   : hy_fail(err, HY_OUT_OF_MEMORY, "%u signatures", source->signature_count);
}

/* Faults of a file are reported at opening, not at the first use of the first signature. */
static enum hy_code read_source(struct halyard_network *network, const void *bytes, size_t length,
                                struct hy_error *err)
{
    const struct hy_signature *first;

    network->bytes = bytes;
    network->length = length;
    enum hy_code code = hy_network_read(bytes, length, &network->limits, &network->source, err);
    if (code == HY_OK)
        code = find_signatures(network, err);
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
    for (uint32_t i = 0; i < network->signature_count; i++)
        hy_signature_finish(&network->signatures[i]);
    free(network->signatures);
    hy_tflite_close(network->source);
    hy_arena_finish(&network->arena);
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
    return hy_fail(err, HY_BAD_DATA, "signature %u does not exist, the network has %u", index,
                   network->signature_count);
}

/* A source that was dropped is read anew: few need it once more. */
enum hy_code hy_network_source(struct halyard_network *network, struct hy_tflite_model **out,
                               struct hy_error *err)
{
    if (!network->source)
        return hy_network_read(network->bytes, network->length, &network->limits, out, err);
    *out = hy_tflite_retain(network->source);
    return HY_OK;
}

static enum hy_code import(struct halyard_network *network, uint32_t index, struct hy_error *err)
{
    struct hy_signature *signature = &network->signatures[index];
    struct hy_tflite_model *source = NULL;

    enum hy_code code = hy_network_source(network, &source, err);
    if (code != HY_OK)
        return code;
    code = hy_network_import(source, index, NULL, &network->limits, &signature->network, err);
    hy_tflite_close(source);
    if (code == HY_OK)
        code = hy_signature_describe(signature, index, err);
    if (code != HY_OK)
        hy_signature_finish(signature);
    return code;
}

/* Somebody who lowers a network is about to compile it, and has no more use for its graph and its
 * source, which are as large as all that a compilation keeps beside the weights. */
static enum hy_code lower(struct halyard_network *network, uint32_t index, struct hy_error *err)
{
    struct hy_network *imported = network->signatures[index].network;

    const enum hy_code code = hy_network_lower(imported, err);
    if (code != HY_OK)
        return code;
    hy_network_trim(imported);
    hy_tflite_close(network->source);
    network->source = NULL;
    return HY_OK;
}

static enum hy_code make(struct halyard_network *network, uint32_t index, bool is_lowered,
                         struct hy_error *err)
{
    const struct hy_signature *signature = &network->signatures[index];
    enum hy_code code = HY_OK;

    if (!signature->network)
        code = import(network, index, err);
    if (code == HY_OK && is_lowered && !signature->network->model)
        code = lower(network, index, err);
    return code;
}

static enum hy_code find(struct halyard_network *network, uint32_t index, bool is_lowered,
                         const struct hy_signature **out, struct hy_error *err)
{
    enum hy_code code = check_signature(network, index, err);
    if (code != HY_OK)
        return code;
    pthread_mutex_lock(&network->lock);
    code = make(network, index, is_lowered, err);
    pthread_mutex_unlock(&network->lock);
    if (code == HY_OK)
        *out = &network->signatures[index];
    return code;
}

enum hy_code hy_signature_imported(struct halyard_network *network, uint32_t index,
                                   const struct hy_signature **out, struct hy_error *err)
{
    return find(network, index, false, out, err);
}

enum hy_code hy_signature_lowered(struct halyard_network *network, uint32_t index,
                                  const struct hy_network **out, struct hy_error *err)
{
    const struct hy_signature *signature = NULL;

    const enum hy_code code = find(network, index, true, &signature, err);
    if (code == HY_OK)
        *out = signature->network;
    return code;
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
