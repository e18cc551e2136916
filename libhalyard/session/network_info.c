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
    return *network->metadata.description ? network->metadata.description
                                          : network->source->description;
}

const char *halyard_network_metadata_note(const struct halyard_network *network)
{
    return network ? network->metadata.note : NULL;
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
    return hy_fail(err, HY_BAD_DATA, "no signature has the name \"%.64s\"; there are: %s", name,
                   names);
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

/* An open network has been imported; if memory has run out for another signature, the result is
 * empty. */
static const struct hy_network *imported(const struct halyard_network *network, uint32_t signature,
                                         struct hy_error *err)
{
    const struct hy_network *found = NULL;

    /* Results computed on first use are no change for the caller. */
    if (hy_signature_imported((struct halyard_network *)(uintptr_t)network, signature, &found,
                              err) != HY_OK)
        return NULL;
    return found;
}

uint32_t halyard_network_input_count(const struct halyard_network *network, uint32_t signature)
{
    const struct hy_network *found = network ? imported(network, signature, NULL) : NULL;
    return found ? hy_graph_own_input_count(&found->graph) : 0;
}

uint32_t halyard_network_output_count(const struct halyard_network *network, uint32_t signature)
{
    const struct hy_network *found = network ? imported(network, signature, NULL) : NULL;
    return found ? hy_graph_own_output_count(&found->graph) : 0;
}

const int32_t *hy_network_file_extents(const struct hy_network *network, uint32_t signature,
                                       uint32_t index)
{
    const struct hy_tflite_subgraph *subgraph =
        &network->source->subgraphs[network->source->signatures[signature].subgraph];
    const struct hy_graph_tensor *tensor = &network->graph.tensors[index];

    if (index < subgraph->tensor_count && subgraph->tensors[index].signature &&
        subgraph->tensors[index].rank == tensor->rank)
        return subgraph->tensors[index].signature;
    return tensor->extents;
}

static enum hy_code get(const struct halyard_network *network, uint32_t signature, bool is_output,
                        uint32_t index, struct halyard_tensor_info *info, struct hy_error *err)
{
    const struct hy_network *found = imported(network, signature, err);
    if (!found)
        return err->code;

    const struct hy_graph *graph = &found->graph;
    const uint32_t count =
        is_output ? hy_graph_own_output_count(graph) : hy_graph_own_input_count(graph);
    if (index >= count)
        return hy_fail(err, HY_BAD_DATA, "%s %u, the signature has %u",
                       is_output ? "output" : "input", index, count);
    const uint32_t tensor = (is_output ? graph->outputs : graph->inputs)[index];
    struct halyard_tensor_info full = {0};
    hy_tensor_info_fill(&graph->tensors[tensor],
                        hy_signature_tensor_name(network, signature, is_output, tensor, graph),
                        graph->tensors[tensor].rank,
                        hy_network_file_extents(found, signature, tensor), &full);
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
