#include "libhalyard/graph/graph.h"

#include "common/array.h"
#include "common/checked.h"
#include "libhalyard/graph/budget.h"

#include <stdlib.h>
#include <string.h>

void hy_graph_init(struct hy_graph *graph)
{
    *graph = (struct hy_graph){0};
}

void hy_graph_finish(struct hy_graph *graph)
{
    for (uint32_t i = 0; i < graph->body_count; i++) {
        hy_graph_finish(graph->bodies[i]);
        free(graph->bodies[i]);
    }
    free(graph->bodies);
    hy_arena_finish(&graph->arena);
    free(graph->tensors);
    free(graph->nodes);
    hy_graph_init(graph);
}

/* Ensures capacity for one more element of `size` bytes. */
static enum hy_code grow(void **elements, uint32_t count, size_t size, const char *what,
                         struct hy_error *err)
{
    void *grown = count < HY_NO_TENSOR ? hy_array_grow(*elements, count, size) : NULL;
    if (!grown)
        return hy_fail(err, HY_OUT_OF_MEMORY, "graph of more than %u %s", count, what);
    *elements = grown;
    return HY_OK;
}

enum hy_code hy_graph_add_tensor(struct hy_graph *graph, const struct hy_graph_tensor *tensor,
                                 uint32_t *ret_index, struct hy_error *err)
{
    void *tensors = graph->tensors;
    const enum hy_code code = grow(&tensors, graph->tensor_count, sizeof *tensor, "tensors", err);
    graph->tensors = tensors;
    if (code != HY_OK)
        return code;
    *ret_index = graph->tensor_count;
    graph->tensors[graph->tensor_count++] = *tensor;
    return HY_OK;
}

enum hy_code hy_graph_add_node(struct hy_graph *graph, const struct hy_graph_node *node,
                               struct hy_error *err)
{
    void *nodes = graph->nodes;
    const enum hy_code code = grow(&nodes, graph->node_count, sizeof *node, "nodes", err);
    graph->nodes = nodes;
    if (code != HY_OK)
        return code;
    graph->nodes[graph->node_count++] = *node;
    return HY_OK;
}

static enum hy_code add_body(struct hy_graph *graph, struct hy_graph *body, struct hy_error *err)
{
    void *bodies = graph->bodies;
    const enum hy_code code =
        grow(&bodies, graph->body_count, sizeof *graph->bodies, "bodies", err);
    graph->bodies = bodies;
    if (code == HY_OK)
        graph->bodies[graph->body_count++] = body;
    return code;
}

enum hy_code hy_graph_add_body(struct hy_graph *graph, uint32_t *ret_index, struct hy_error *err)
{
    struct hy_graph *body = calloc(1, sizeof *body);
    if (!body)
        return hy_fail(err, HY_OUT_OF_MEMORY, "graph of a body");
    hy_graph_use_budget(body, graph->budget);
    *ret_index = graph->body_count;
    const enum hy_code code = add_body(graph, body, err);
    if (code != HY_OK)
        free(body);
    return code;
}

enum hy_code hy_graph_move_bodies(struct hy_graph *graph, struct hy_graph *from,
                                  struct hy_error *err)
{
    const uint32_t before = graph->body_count;
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < from->body_count; i++)
        code = add_body(graph, from->bodies[i], err);
    if (code == HY_OK)
        from->body_count = 0;
    else
        graph->body_count = before;
    return code;
}

bool hy_graph_tensor_elements(const struct hy_graph_tensor *tensor, uint64_t *ret_count)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->extents[i] < 0 || !hy_mul_u64(count, (uint64_t)tensor->extents[i], &count))
            return false;
    }
    *ret_count = count;
    return true;
}

bool hy_graph_tensor_is_empty(const struct hy_graph_tensor *tensor)
{
    uint64_t elements, bytes;
    return hy_graph_tensor_elements(tensor, &elements) && elements == 0 &&
           hy_element_bytes(tensor->element, tensor->rank, tensor->extents, &bytes);
}

uint32_t hy_graph_unknown_extents(const struct hy_graph_tensor *tensor)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        count += tensor->extents[i] == HY_UNKNOWN_EXTENT;
    return count;
}

bool hy_graph_tensor_same_type(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b)
{
    const struct hy_graph_quantisation *of_a = &a->quantisation, *of_b = &b->quantisation;

    if (a->element != b->element || of_a->count != of_b->count ||
        (of_a->count > 1 && of_a->axis != of_b->axis))
        return false;
    for (uint32_t i = 0; i < of_a->count; i++) {
        if (of_a->scales[i] != of_b->scales[i] || of_a->zero_points[i] != of_b->zero_points[i])
            return false;
    }
    return true;
}

bool hy_is_integer(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_INT32 || tensor->element == HY_ELEMENT_INT64;
}

bool hy_is_byte(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_INT8 || tensor->element == HY_ELEMENT_UINT8;
}

bool hy_has_steps(const struct hy_graph_tensor *tensor)
{
    return hy_is_byte(tensor) || tensor->element == HY_ELEMENT_INT16;
}

bool hy_same_quantisation(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b)
{
    const struct hy_graph_quantisation *x = &a->quantisation, *y = &b->quantisation;
    const float x_scale = x->count == 1 ? x->scales[0] : 1.0f;
    const float y_scale = y->count == 1 ? y->scales[0] : 1.0f;
    const int32_t x_zero = x->count == 1 ? x->zero_points[0] : 0;
    const int32_t y_zero = y->count == 1 ? y->zero_points[0] : 0;
    return x->count <= 1 && y->count <= 1 && x_scale == y_scale && x_zero == y_zero;
}

bool hy_graph_tensor_same_shape(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b)
{
    return a->rank == b->rank && memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}
