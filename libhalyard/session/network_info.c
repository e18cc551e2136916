/* halyard/session.h: information about networks. */
#include "libhalyard/session/session.h"

#include <stdio.h>
#include <string.h>

const char *halyard_network_format(const struct halyard_network *network)
{
    return network ? "tflite" : NULL;
}

const char *halyard_network_description(const struct halyard_network *network)
{
    if (!network)
        return NULL;
    const char *description = hy_network_metadata(network)->description;
    return *description ? description : network->description;
}

const char *halyard_network_metadata_note(const struct halyard_network *network)
{
    return network ? hy_network_metadata(network)->note : NULL;
}

/* ---- Signatures ------------------------------------------------------------------------------ */

uint32_t halyard_network_signature_count(const struct halyard_network *network)
{
    return network ? network->signature_count : 0;
}

const char *halyard_network_signature_name(const struct halyard_network *network,
                                           uint32_t signature)
{
    if (!network || signature >= network->signature_count)
        return NULL;
    return network->signatures[signature].name;
}

static enum hy_code fail_unknown(const struct halyard_network *network, const char *name,
                                 struct hy_error *err)
{
    char names[HY_ERROR_TEXT_SIZE / 2] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < network->signature_count && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s\"%s\"", i ? ", " : "",
                                   network->signatures[i].name);
    return hy_fail(err, HY_BAD_DATA, "no signature has the name \"%.64s\"; known: %s", name, names);
}

static enum hy_code find(const struct halyard_network *network, const char *name,
                         uint32_t *signature, struct hy_error *err)
{
    for (uint32_t i = 0; i < network->signature_count; i++) {
        if (strcmp(network->signatures[i].name, name) == 0) {
            *signature = i;
            return HY_OK;
        }
    }
    return fail_unknown(network, name, err);
}

int halyard_network_find_signature(const struct halyard_network *network, const char *name,
                                   uint32_t *signature)
{
    static const char function[] = "network_find_signature";
    struct hy_error err;

    if (!network)
        return hy_public_null(function, "network");
    if (!name)
        return hy_public_null(function, "name");
    if (!signature)
        return hy_public_null(function, "signature");
    return hy_public_result(find(network, name, signature, &err), &err);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

/* A network that is open has been imported; without memory for another signature there are none. */
static const struct hy_signature *imported(const struct halyard_network *network,
                                           uint32_t signature, struct hy_error *err)
{
    const struct hy_signature *found = NULL;

    /* Results computed on first use are no change for the caller. */
    if (hy_signature_imported((struct halyard_network *)(uintptr_t)network, signature, &found,
                              err) != HY_OK)
        return NULL;
    return found;
}

uint32_t halyard_network_input_count(const struct halyard_network *network, uint32_t signature)
{
    const struct hy_signature *found = network ? imported(network, signature, NULL) : NULL;
    return found ? hy_graph_own_input_count(&found->io) : 0;
}

uint32_t halyard_network_output_count(const struct halyard_network *network, uint32_t signature)
{
    const struct hy_signature *found = network ? imported(network, signature, NULL) : NULL;
    return found ? hy_graph_own_output_count(&found->io) : 0;
}

static enum hy_code get(const struct halyard_network *network, uint32_t signature, bool is_output,
                        uint32_t index, struct halyard_tensor_info *info, struct hy_error *err)
{
    const struct hy_signature *found = imported(network, signature, err);
    if (!found)
        return err->code;

    const struct hy_graph *io = &found->io;
    const uint32_t count = is_output ? hy_graph_own_output_count(io) : hy_graph_own_input_count(io);
    if (index >= count)
        return hy_fail(err, HY_BAD_DATA, "%s %u does not exist, the signature has %u",
                       is_output ? "output" : "input", index, count);
    const struct hy_graph_tensor *tensor =
        &io->tensors[(is_output ? io->outputs : io->inputs)[index]];
    struct halyard_tensor_info full = {0};
    hy_tensor_info_fill(tensor, (is_output ? found->outputs : found->inputs)[index].name,
                        tensor->rank, hy_network_file_extents(tensor), &full);
    hy_tensor_info_add_metadata(is_output ? hy_network_output_metadata(network, signature, index)
                                          : hy_network_input_metadata(network, signature, index),
                                &full);
    return hy_public_struct_write(&full, sizeof full, info, err);
}

int halyard_network_get_input(const struct halyard_network *network, uint32_t signature,
                              uint32_t index, struct halyard_tensor_info *info)
{
    static const char name[] = "network_get_input";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    if (!info)
        return hy_public_null(name, "info");
    return hy_public_result(get(network, signature, false, index, info, &err), &err);
}

int halyard_network_get_output(const struct halyard_network *network, uint32_t signature,
                               uint32_t index, struct halyard_tensor_info *info)
{
    static const char name[] = "network_get_output";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    if (!info)
        return hy_public_null(name, "info");
    return hy_public_result(get(network, signature, true, index, info, &err), &err);
}
