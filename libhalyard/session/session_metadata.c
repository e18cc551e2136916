#include "libhalyard/session/session.h"

const struct hy_tflite_metadata *hy_network_metadata(const struct halyard_network *network)
{
    /* Reading on first use is no change visible to the caller. */
    struct halyard_network *own = (struct halyard_network *)(uintptr_t)network;

    pthread_mutex_lock(&own->lock);
    if (!own->has_metadata)
        hy_tflite_metadata_read(own->bytes, own->length, &own->metadata);
    own->has_metadata = true;
    pthread_mutex_unlock(&own->lock);
    return &own->metadata;
}

const struct hy_tflite_tensor_metadata *
hy_network_input_metadata(const struct halyard_network *network, uint32_t signature, uint32_t index)
{
    return hy_tflite_metadata_input(hy_network_metadata(network),
                                    network->signatures[signature].inputs[index].position);
}

const struct hy_tflite_tensor_metadata *
hy_network_output_metadata(const struct halyard_network *network, uint32_t signature,
                           uint32_t index)
{
    return hy_tflite_metadata_output(hy_network_metadata(network),
                                     network->signatures[signature].outputs[index].position);
}

const int32_t *hy_session_open_extents(const struct halyard_session *session, uint32_t input)
{
    const struct hy_graph *io = &session->network->signatures[session->options.signature].io;
    const struct hy_input_shape *shape = &session->shapes[input];
    if (shape->is_set && !shape->is_from_file)
        return NULL;
    const struct hy_graph_tensor *tensor = &io->tensors[io->inputs[input]];
    const int32_t *extents = hy_network_file_extents(tensor);
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (extents[i] == HY_UNKNOWN_EXTENT)
            return extents;
    return NULL;
}
