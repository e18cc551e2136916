#include "libhalyard/session/session.h"

/* Metadata describe the inputs and outputs of the first sub-graph in its order. A signature may
 * have another order, which shows in its tensors, or another sub-graph. Gives UINT32_MAX where
 * there are no metadata. */
static uint32_t find_position(const struct halyard_network *network, uint32_t signature,
                              const struct hy_tflite_ints *order, uint32_t tensor, uint32_t index)
{
    if (network->source->signatures[signature].subgraph != 0)
        return UINT32_MAX;
    if (index < order->count && (uint32_t)order->values[index] == tensor)
        return index; /* also of a tensor that is listed twice */
    for (uint32_t i = 0; i < order->count; i++)
        if ((uint32_t)order->values[i] == tensor)
            return i;
    return index; /* a tensor that folding has replaced */
}

const struct hy_tflite_tensor_metadata *
hy_network_input_metadata(const struct halyard_network *network, uint32_t signature, uint32_t index)
{
    const struct hy_graph *graph = &network->signatures[signature].network->graph;
    return hy_tflite_metadata_input(
        &network->metadata, find_position(network, signature, &network->source->subgraphs[0].inputs,
                                          graph->inputs[index], index));
}

const struct hy_tflite_tensor_metadata *
hy_network_output_metadata(const struct halyard_network *network, uint32_t signature,
                           uint32_t index)
{
    const struct hy_graph *graph = &network->signatures[signature].network->graph;
    return hy_tflite_metadata_output(&network->metadata,
                                     find_position(network, signature,
                                                   &network->source->subgraphs[0].outputs,
                                                   graph->outputs[index], index));
}

const int32_t *hy_session_open_extents(const struct halyard_session *session, uint32_t input)
{
    const uint32_t signature = session->options.signature;
    const struct hy_network *imported = session->network->signatures[signature].network;
    const struct hy_input_shape *shape = &session->shapes[input];
    if (shape->is_set && !shape->is_chosen)
        return NULL;
    const uint32_t tensor = imported->graph.inputs[input];
    const int32_t *extents = hy_network_file_extents(imported, signature, tensor);
    for (uint32_t i = 0; i < imported->graph.tensors[tensor].rank; i++)
        if (extents[i] == HY_UNKNOWN_EXTENT)
            return extents;
    return NULL;
}
