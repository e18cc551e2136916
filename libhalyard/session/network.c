#include "libhalyard/session/network.h"

#include <stdlib.h>

#include "common/memory/memory_available.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/graph/input_shape.h"
#include "libhalyard/graph/io_copy.h"
#include "libhalyard/graph/passes/passes.h"
#include "libhalyard/session/file_kind.h"
#include "libhalyard/tflite/tflite_graph.h"

static enum hy_code set_shapes(struct hy_graph *graph, const struct hy_input_shape *shapes,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < hy_graph_own_input_count(graph); i++) {
        if (shapes[i].is_set)
            code = hy_graph_set_shape(graph, i, shapes[i].rank, shapes[i].extents, err);
    }
    return code;
}

enum hy_code hy_network_read(const void *bytes, size_t length,
                             const struct hy_tflite_limits *limits, struct hy_tflite_model **out,
                             struct hy_error *err)
{
    char kind[256];

    if (bytes && hy_file_is_other(bytes, length, kind, sizeof kind))
        return hy_fail(err, HY_BAD_DATA, "%s", kind);
    return hy_tflite_open(bytes, length, limits, out, err);
}

enum { DEFAULT_OPERATIONS = 1000000 };

uint64_t hy_network_memory(uint64_t asked)
{
    if (asked > 0)
        return asked;
    return hy_memory_available(hy_system_memory(), "/proc/self/cgroup", "/sys/fs/cgroup");
}

static enum hy_code import(struct hy_network *network, uint32_t signature,
                           const struct hy_input_shape *shapes,
                           const struct hy_tflite_limits *limits, struct hy_error *err)
{
    const uint32_t subgraph = network->source->signatures[signature].subgraph;
    struct hy_graph *graph = &network->graph;

    network->budget = (struct hy_budget){
        .memory_limit = hy_network_memory(limits->memory),
        .operation_limit = limits->operations > 0 ? limits->operations : DEFAULT_OPERATIONS,
    };
    hy_graph_use_budget(graph, &network->budget);
    enum hy_code code = hy_tflite_graph(network->source, subgraph, graph, err);
    if (code == HY_OK && shapes)
        code = set_shapes(graph, shapes, err);
    return code == HY_OK ? hy_graph_run_passes(graph, err) : code;
}

enum hy_code hy_network_import(struct hy_tflite_model *source, uint32_t signature,
                               const struct hy_input_shape *shapes,
                               const struct hy_tflite_limits *limits, struct hy_network **out,
                               struct hy_error *err)
{
    struct hy_network *network = calloc(1, sizeof *network);
    if (!network)
        return hy_fail(err, HY_OUT_OF_MEMORY, "network");

    network->source = hy_tflite_retain(source);
    const enum hy_code code = import(network, signature, shapes, limits, err);
    if (code != HY_OK) {
        hy_network_close(network);
        return code;
    }
    *out = network;
    return HY_OK;
}

enum hy_code hy_network_lower(struct hy_network *network, struct hy_error *err)
{
    return hy_lower(&network->graph, &network->model, err);
}

void hy_network_trim(struct hy_network *network)
{
    if (network->graph.state_count > 0 || hy_graph_reduce_to_io(&network->graph, NULL) != HY_OK)
        return;
    hy_tflite_close(network->source);
    network->source = NULL;
}

enum hy_code hy_network_open(const void *bytes, size_t length,
                             const struct hy_tflite_limits *limits, struct hy_network **out,
                             struct hy_error *err)
{
    struct hy_tflite_model *source = NULL;
    struct hy_network *network = NULL;

    if (!limits)
        limits = &hy_tflite_default_limits;
    enum hy_code code = hy_network_read(bytes, length, limits, &source, err);
    if (code == HY_OK)
        code = hy_network_import(source, 0, NULL, limits, &network, err);
    hy_tflite_close(source);
    if (code != HY_OK)
        return code;
    code = hy_graph_check_memory(&network->graph, network->budget.memory_limit, err);
    if (code == HY_OK)
        code = hy_network_lower(network, err);
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
