#include "libhalyard/graph/budget.h"

#include "common/checked.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- The arena ------------------------------------------------------------------------------- */

static bool reserve(const void *context, size_t bytes, void **ret_reservation)
{
    struct hy_budget *budget = (struct hy_budget *)(uintptr_t)context;

    if (bytes > budget->memory_limit - budget->memory_used)
        return false;
    budget->memory_used += bytes;
    *ret_reservation = (void *)(uintptr_t)bytes;
    return true;
}

static void release(const void *context, void *reservation)
{
    ((struct hy_budget *)(uintptr_t)context)->memory_used -= (uintptr_t)reservation;
}

void hy_arena_use_budget(struct hy_arena *arena, struct hy_budget *budget)
{
    static const struct hy_arena_quota quota = {.reserve = reserve, .release = release};

    arena->quota = budget ? &quota : NULL;
    arena->context = budget;
}

void hy_graph_use_budget(struct hy_graph *graph, struct hy_budget *budget)
{
    graph->budget = budget;
    hy_arena_use_budget(&graph->arena, budget);
}

uint64_t hy_graph_made_bytes(const struct hy_graph *graph)
{
    return graph->budget ? graph->budget->memory_used : 0;
}

void *hy_budget_alloc(struct hy_arena *arena, const struct hy_budget *budget, uint64_t bytes,
                      const char *what, struct hy_error *err)
{
    void *made = bytes <= SIZE_MAX ? hy_arena_alloc(arena, (size_t)bytes) : NULL;

    if (!made && budget)
        hy_fail(err, HY_OUT_OF_MEMORY,
                "%s of %" PRIu64 " bytes, with %" PRIu64
                " bytes allocated before, exceeds max_memory = %" PRIu64,
                what, bytes, budget->memory_used, budget->memory_limit);
    else if (!made)
        hy_fail(err, HY_OUT_OF_MEMORY, "%s of %" PRIu64 " bytes", what, bytes);
    return made;
}

void *hy_graph_make_constant(struct hy_graph *graph, uint64_t bytes, struct hy_error *err)
{
    return hy_budget_alloc(&graph->arena, graph->budget, bytes, "a constant", err);
}

/* ---- Tensors of a run ------------------------------------------------------------------------ */

static uint64_t bytes_of(const struct hy_graph_tensor *tensor)
{
    int32_t extents[HY_GRAPH_MAX_RANK];
    uint64_t bytes;

    for (uint32_t i = 0; i < tensor->rank; i++)
        extents[i] = tensor->extents[i] < 0 ? 1 : tensor->extents[i];
    return hy_element_bytes(tensor->element, tensor->rank, extents, &bytes) ? bytes : UINT64_MAX;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return hy_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* The walk over the nodes. `last` has one number per tensor: the last node that uses the tensor;
 * `node_count` for a tensor without memory of the walk: constants, buffers of the session. */
struct walk {
    const struct hy_graph *graph;
    uint32_t *last;
    uint64_t live;
    struct hy_graph_peak *peak;
    uint32_t largest_buffer; /* the largest tensor that is live all the time; HY_NO_TENSOR: none */
    uint64_t largest_bytes;
};

/* Memory for the whole run. */
static void hold(struct walk *walk, uint32_t tensor)
{
    const uint64_t bytes = bytes_of(&walk->graph->tensors[tensor]);

    walk->last[tensor] = walk->graph->node_count;
    walk->live = add(walk->live, bytes);
    if (walk->largest_buffer == HY_NO_TENSOR || bytes > walk->largest_bytes) {
        walk->largest_buffer = tensor;
        walk->largest_bytes = bytes;
    }
}

static void find_last_uses(struct walk *walk)
{
    const struct hy_graph *graph = walk->graph;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != HY_NO_TENSOR)
                walk->last[node->inputs[j]] = i;
        }
        for (uint32_t j = 0; j < node->output_count; j++)
            walk->last[node->outputs[j]] = i;
    }
}

/* A list may name a tensor twice: each occurrence has a buffer. */
static void hold_buffers(struct walk *walk)
{
    const struct hy_graph *graph = walk->graph;

    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].data)
            walk->last[i] = graph->node_count;
    }
    for (uint32_t i = 0; i < graph->input_count; i++)
        hold(walk, graph->inputs[i]);
    for (uint32_t i = 0; i < graph->output_count; i++)
        hold(walk, graph->outputs[i]);
    walk->peak->io_bytes = walk->live;
}

/* What the bodies of a node hold while the node runs: the larger one. Its inputs and outputs may be
 * copies of those of the node. Bodies are nested HY_GRAPH_MAX_DEPTH deep at most. */
static enum hy_code find_body_peak(const struct hy_graph *graph, const struct hy_graph_node *node,
                                   uint64_t *bytes, struct hy_error *err)
{
    *bytes = 0;
    if (!hy_graph_has_bodies(node))
        return HY_OK;
    const bool is_branch = node->operator_ == HY_OPERATOR_IF;
    const uint32_t bodies[2] = {
        is_branch ? node->attributes.branches.then_body : node->attributes.loop.condition,
        is_branch ? node->attributes.branches.else_body : node->attributes.loop.body};
    for (unsigned i = 0; i < 2; i++) {
        struct hy_graph_peak peak;
        const enum hy_code code = hy_graph_find_peak(graph->bodies[bodies[i]], &peak, err);
        if (code != HY_OK)
            return code;
        *bytes = peak.bytes > *bytes ? peak.bytes : *bytes;
    }
    return HY_OK;
}

static enum hy_code run_node(struct walk *walk, uint32_t index, struct hy_error *err)
{
    const struct hy_graph *graph = walk->graph;
    const struct hy_graph_node *node = &graph->nodes[index];
    uint64_t body_bytes;
    uint32_t largest = walk->largest_buffer;
    uint64_t largest_bytes = walk->largest_bytes;

    for (uint32_t i = 0; i < node->output_count; i++) {
        const uint32_t tensor = node->outputs[i];
        const uint64_t bytes = bytes_of(&graph->tensors[tensor]);
        if (walk->last[tensor] != graph->node_count)
            walk->live = add(walk->live, bytes);
        if (largest == HY_NO_TENSOR || bytes > largest_bytes) {
            largest = tensor;
            largest_bytes = bytes;
        }
    }
    const enum hy_code code = find_body_peak(graph, node, &body_bytes, err);
    if (code != HY_OK)
        return code;
    const uint64_t bytes = add(walk->live, body_bytes);
    if (bytes > walk->peak->bytes)
        *walk->peak = (struct hy_graph_peak){
            .bytes = bytes, .node = index, .tensor = largest, .io_bytes = walk->peak->io_bytes};
    return HY_OK;
}

/* Each tensor is freed once, at its last use; a node may read one tensor several times. */
static void free_after(struct walk *walk, uint32_t index, const uint32_t *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t tensor = tensors[i];
        if (tensor == HY_NO_TENSOR || walk->last[tensor] != index)
            continue;
        walk->last[tensor] = HY_NO_TENSOR;
        walk->live -= bytes_of(&walk->graph->tensors[tensor]);
    }
}

enum hy_code hy_graph_find_peak(const struct hy_graph *graph, struct hy_graph_peak *peak,
                                struct hy_error *err)
{
    struct walk walk = {.graph = graph, .peak = peak, .largest_buffer = HY_NO_TENSOR};

    *peak = (struct hy_graph_peak){.node = graph->node_count, .tensor = HY_NO_TENSOR};
    walk.last = malloc(((size_t)graph->tensor_count + 1) * sizeof *walk.last);
    if (!walk.last)
        return hy_fail(err, HY_OUT_OF_MEMORY, "last uses of %u tensors", graph->tensor_count);
    for (uint32_t i = 0; i < graph->tensor_count; i++)
        walk.last[i] = HY_NO_TENSOR;

    find_last_uses(&walk);
    hold_buffers(&walk);
    peak->bytes = walk.live;
    peak->tensor = walk.largest_buffer;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < graph->node_count && peak->bytes != UINT64_MAX; i++) {
        const struct hy_graph_node *node = &graph->nodes[i];
        code = run_node(&walk, i, err);
        free_after(&walk, i, node->inputs, node->input_count);
        free_after(&walk, i, node->outputs, node->output_count);
    }
    free(walk.last);
    return code;
}

static enum hy_code refuse(const struct hy_graph *graph, const struct hy_graph_peak *peak,
                           uint64_t limit, struct hy_error *err)
{
    const struct hy_graph_tensor *tensor =
        peak->tensor == HY_NO_TENSOR ? NULL : &graph->tensors[peak->tensor];
    const char *name = tensor ? tensor->name : "";
    const uint64_t bytes = tensor ? bytes_of(tensor) : 0;

    hy_fail(err, HY_OUT_OF_MEMORY,
            "tensor %" PRIu32 " (%.64s) has %" PRIu64
            " bytes; at this operator, tensors of a run need %" PRIu64
            " bytes and constants made at opening %" PRIu64 "; max_memory is %" PRIu64,
            peak->tensor, name, bytes, peak->bytes, hy_graph_made_bytes(graph), limit);
    if (peak->node < graph->node_count)
        hy_error_prefix(err, HY_OUT_OF_MEMORY, "operator %u %s", graph->nodes[peak->node].origin,
                        graph->nodes[peak->node].operator_name);
    else
        hy_error_prefix(err, HY_OUT_OF_MEMORY, "inputs and outputs");
    return HY_OUT_OF_MEMORY;
}

enum hy_code hy_graph_check_memory(const struct hy_graph *graph, uint64_t limit,
                                   struct hy_error *err)
{
    struct hy_graph_peak peak;

    const enum hy_code code = hy_graph_find_peak(graph, &peak, err);
    if (code != HY_OK)
        return code;
    const uint64_t made = hy_graph_made_bytes(graph);
    if (made > limit || peak.bytes > limit - made)
        return refuse(graph, &peak, limit, err);
    return HY_OK;
}
