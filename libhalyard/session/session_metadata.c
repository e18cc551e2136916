#include "libhalyard/session/session.h"

/* Metadata describe the first subgraph; signature 0 of a file has its inputs and outputs. */

const struct hy_tflite_tensor_metadata *
hy_network_input_metadata(const struct halyard_network *network, uint32_t signature, uint32_t index)
{
    return hy_tflite_metadata_input(&network->metadata, signature == 0 ? index : UINT32_MAX);
}

const struct hy_tflite_tensor_metadata *
hy_network_output_metadata(const struct halyard_network *network, uint32_t signature,
                           uint32_t index)
{
    return hy_tflite_metadata_output(&network->metadata, signature == 0 ? index : UINT32_MAX);
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
