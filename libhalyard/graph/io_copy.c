#include "libhalyard/graph/io_copy.h"

#include <stdlib.h>
#include <string.h>

/* A copy in progress. All pointers that it sets are in the arena; NULL: memory has run out. */
struct copying {
    const struct hy_graph *from;
    struct hy_arena *arena;
    struct hy_graph *to;
    uint32_t *copy_of; /* tensor -> tensor of the copy; HY_NO_TENSOR: none yet */
};

static bool copy_tensor(struct copying *copying, uint32_t index)
{
    struct hy_graph_tensor *tensor = &copying->to->tensors[copying->to->tensor_count];
    struct hy_graph_quantisation *quantisation = &tensor->quantisation;
    struct hy_arena *arena = copying->arena;

    *tensor = copying->from->tensors[index];
    tensor->signature = NULL; /* of the file's shape, which may have another rank */
    tensor->numbers = NULL;
    tensor->sparsity = NULL;
    tensor->name = hy_arena_copy(arena, tensor->name, strlen(tensor->name) + 1, 1);
    quantisation->scales =
        hy_arena_copy(arena, quantisation->scales, quantisation->count, sizeof(float));
    quantisation->zero_points =
        hy_arena_copy(arena, quantisation->zero_points, quantisation->count, sizeof(int32_t));
    copying->copy_of[index] = copying->to->tensor_count++;
    return tensor->name && quantisation->scales && quantisation->zero_points;
}

/* A list with the numbers that its tensors have in the copy. */
static const uint32_t *copy_list(struct copying *copying, const uint32_t *list, uint32_t count)
{
    uint32_t *copy = hy_arena_copy(copying->arena, list, count, sizeof *copy);

    for (uint32_t i = 0; copy && i < count; i++) {
        if (copying->copy_of[list[i]] == HY_NO_TENSOR && !copy_tensor(copying, list[i]))
            return NULL;
        copy[i] = copying->copy_of[list[i]];
    }
    return copy;
}

static enum hy_code copy_io(const struct hy_graph *graph, struct hy_arena *arena,
                            struct hy_graph *io, struct hy_error *err)
{
    const uint64_t listed = (uint64_t)graph->input_count + graph->output_count;
    const size_t most = listed < graph->tensor_count ? (size_t)listed : graph->tensor_count;
    struct copying copying = {.from = graph, .arena = arena, .to = io};
    bool is_made = false;

    io->relaxed = graph->relaxed;
    io->input_count = graph->input_count;
    io->output_count = graph->output_count;
    io->state_count = graph->state_count;
    io->tensors = calloc(most + 1, sizeof *io->tensors);
    copying.copy_of = malloc(((size_t)graph->tensor_count + 1) * sizeof *copying.copy_of);
    if (io->tensors && copying.copy_of) {
        for (uint32_t i = 0; i < graph->tensor_count; i++)
            copying.copy_of[i] = HY_NO_TENSOR;
        io->inputs = copy_list(&copying, graph->inputs, graph->input_count);
        io->outputs = copy_list(&copying, graph->outputs, graph->output_count);
        is_made = io->inputs && io->outputs;
    }
    free(copying.copy_of);
    return is_made ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "%zu inputs and outputs", most);
}

enum hy_code hy_graph_copy_io(const struct hy_graph *graph, struct hy_graph *io,
                              struct hy_error *err)
{
    const enum hy_code code = copy_io(graph, &io->arena, io, err);
    if (code != HY_OK)
        hy_graph_finish(io);
    return code;
}

/* Bodies are nested HY_GRAPH_MAX_DEPTH deep at most. */
static void drop_tensors(struct hy_graph *graph)
{
    free(graph->tensors);
    free(graph->nodes);
    graph->tensors = NULL;
    graph->nodes = NULL;
    graph->tensor_count = graph->node_count = 0;
    for (uint32_t i = 0; i < graph->body_count; i++)
        drop_tensors(graph->bodies[i]);
}

enum hy_code hy_graph_reduce_to_io(struct hy_graph *graph, struct hy_error *err)
{
    struct hy_graph io = {0};

    const enum hy_code code = copy_io(graph, &graph->arena, &io, err);
    if (code != HY_OK) {
        free(io.tensors);
        return code;
    }
    drop_tensors(graph);
    graph->tensors = io.tensors;
    graph->tensor_count = io.tensor_count;
    graph->inputs = io.inputs;
    graph->outputs = io.outputs;
    return HY_OK;
}
