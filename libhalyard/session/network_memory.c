/* halyard/session.h: the memory of networks. */
#include "libhalyard/graph/budget.h"
#include "libhalyard/session/session.h"

/* Constants in the file, including constants without readers. */
static uint64_t mapped_bytes(const struct hy_tflite_subgraph *subgraph)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        bytes += subgraph->tensors[i].data_bytes;
    return bytes;
}

static enum hy_code get(struct halyard_network *network, uint32_t signature,
                        struct halyard_network_memory *memory, struct hy_error *err)
{
    const struct hy_network *imported = NULL;
    struct hy_graph_peak peak = {0};

    enum hy_code code = hy_signature_imported(network, signature, &imported, err);
    if (code == HY_OK)
        code = hy_graph_find_peak(&imported->graph, &peak, err);
    if (code != HY_OK)
        return code;
    const struct halyard_network_memory full = {
        .mapped = mapped_bytes(
            &network->source->subgraphs[network->source->signatures[signature].subgraph]),
        .made = hy_graph_made_bytes(&imported->graph),
        .io = peak.io_bytes,
        .peak = peak.bytes,
    };
    return hy_public_struct_write(&full, sizeof full, memory, err);
}

int halyard_network_get_memory(struct halyard_network *network, uint32_t signature,
                               struct halyard_network_memory *memory)
{
    static const char name[] = "network_get_memory";
    struct hy_error err;

    if (!network)
        return hy_public_null(name, "network");
    if (!memory)
        return hy_public_null(name, "memory");
    return hy_public_result(get(network, signature, memory, &err), &err);
}
