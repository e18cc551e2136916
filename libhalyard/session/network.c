#include "libhalyard/session/network.h"

#include <stdlib.h>

#include "libhalyard/graph/passes.h"
#include "libhalyard/tflite/tflite_graph.h"

enum hy_code hy_network_open(const void *bytes, size_t length,
                             const struct hy_tflite_limits *limits, struct hy_network **out,
                             struct hy_error *err)
{
    struct hy_network *network = calloc(1, sizeof *network);
    if (!network)
        return hy_fail(err, HY_OUT_OF_MEMORY, "network");

    enum hy_code code = hy_tflite_open(bytes, length, limits, &network->source, err);
    if (code == HY_OK)
        code = hy_tflite_graph(network->source, 0, &network->graph, err);
    if (code == HY_OK)
        code = hy_graph_run_passes(&network->graph, err);
    if (code == HY_OK)
        code = hy_lower(&network->graph, &network->model, err);
    if (code != HY_OK) {
        hy_network_close(network);
        return code;
    }
    *out = network;
    return HY_OK;
}

void hy_network_close(struct hy_network *network)
{
    if (!network)
        return;
    hy_lowered_model_destroy(network->model);
    hy_graph_finish(&network->graph);
    hy_tflite_close(network->source);
    free(network);
}
