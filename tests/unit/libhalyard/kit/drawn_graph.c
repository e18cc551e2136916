#include "tests/unit/libhalyard/kit/drawn_graph.h"

#include "libhalyard/graph/constant.h"
#include "tests/kit/test.h"

void hy_draw_finish(struct hy_drawn_graph *drawn)
{
    hy_graph_finish(&drawn->graph);
}

static uint32_t add(struct hy_drawn_graph *drawn, const struct hy_graph_tensor *tensor)
{
    uint32_t index = 0;
    EXPECT_INT(hy_graph_add_tensor(&drawn->graph, tensor, &index, NULL), HY_OK);
    return index;
}

uint32_t hy_draw_tensor(struct hy_drawn_graph *drawn, enum hy_element element,
                        const int32_t *extents)
{
    struct hy_graph_tensor tensor = {.name = "t", .element = element};
    for (; extents[tensor.rank] >= 0; tensor.rank++)
        tensor.extents[tensor.rank] = extents[tensor.rank];
    return add(drawn, &tensor);
}

uint32_t hy_draw_ints(struct hy_drawn_graph *drawn, uint32_t count, const int32_t *numbers)
{
    return add(drawn, &(struct hy_graph_tensor){
                          .name = "numbers",
                          .element = HY_ELEMENT_INT32,
                          .rank = 1,
                          .extents = {(int32_t)count},
                          .data = hy_arena_copy(&drawn->graph.arena, numbers, count, 4),
                          .bytes = 4 * (uint64_t)count});
}

uint32_t hy_draw_int(struct hy_drawn_graph *drawn, int32_t number)
{
    return add(drawn,
               &(struct hy_graph_tensor){.name = "number",
                                         .element = HY_ELEMENT_INT32,
                                         .data = hy_arena_copy(&drawn->graph.arena, &number, 1, 4),
                                         .bytes = 4});
}

static uint32_t add_constant(struct hy_drawn_graph *drawn, enum hy_element element,
                             const int32_t *extents, const void *data)
{
    const uint32_t index = hy_draw_tensor(drawn, element, extents);
    struct hy_graph_tensor *tensor = &drawn->graph.tensors[index];

    EXPECT(hy_element_bytes(element, tensor->rank, tensor->extents, &tensor->bytes));
    tensor->data = hy_arena_copy(&drawn->graph.arena, data, (size_t)tensor->bytes, 1);
    return index;
}

uint32_t hy_draw_floats(struct hy_drawn_graph *drawn, const int32_t *extents, const float *numbers)
{
    return add_constant(drawn, HY_ELEMENT_FLOAT32, extents, numbers);
}

uint32_t hy_draw_bytes(struct hy_drawn_graph *drawn, const int32_t *extents, const uint8_t *bytes)
{
    return add_constant(drawn, HY_ELEMENT_UINT8, extents, bytes);
}

uint32_t hy_draw_scale(struct hy_drawn_graph *drawn, uint32_t tensor, float scale,
                       int32_t zero_point)
{
    struct hy_arena *arena = &drawn->graph.arena;
    drawn->graph.tensors[tensor].quantisation = (struct hy_graph_quantisation){
        .count = 1,
        .scales = hy_arena_copy(arena, &scale, 1, sizeof scale),
        .zero_points = hy_arena_copy(arena, &zero_point, 1, sizeof zero_point)};
    return tensor;
}

void hy_draw_inputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors)
{
    drawn->graph.inputs = hy_arena_copy(&drawn->graph.arena, tensors, count, sizeof *tensors);
    drawn->graph.input_count = count;
}

void hy_draw_outputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors)
{
    drawn->graph.outputs = hy_arena_copy(&drawn->graph.arena, tensors, count, sizeof *tensors);
    drawn->graph.output_count = count;
}

uint32_t hy_draw_node(struct hy_drawn_graph *drawn, enum hy_operator operator_,
                      const union hy_attributes *attributes, enum hy_element element,
                      uint32_t input_count, const uint32_t *inputs)
{
    static const union hy_attributes none;
    const uint32_t output = hy_draw_tensor(drawn, element, HY_EXTENTS(1));
    const struct hy_graph_node node = {
        .operator_ = operator_,
        .attributes = attributes ? *attributes : none,
        .origin = drawn->graph.node_count,
        .operator_name = hy_operator_name(operator_),
        .input_count = input_count,
        .output_count = 1,
        .inputs = hy_arena_copy(&drawn->graph.arena, inputs, input_count, sizeof *inputs),
        .outputs = hy_arena_copy(&drawn->graph.arena, &output, 1, sizeof output),
    };
    EXPECT_INT(hy_graph_add_node(&drawn->graph, &node, NULL), HY_OK);
    return output;
}

void hy_expect_extents(const struct hy_drawn_graph *drawn, uint32_t tensor, const int32_t *extents,
                       int line)
{
    const struct hy_graph_tensor *found = &drawn->graph.tensors[tensor];
    uint32_t rank = 0;

    for (; extents[rank] >= 0; rank++) {
        if (rank < found->rank && found->extents[rank] != extents[rank])
            hy_test_fail(__FILE__, line, "extent %u is %d, expected %d", rank, found->extents[rank],
                         extents[rank]);
    }
    if (found->rank != rank)
        hy_test_fail(__FILE__, line, "rank is %u, expected %u", found->rank, rank);
    else
        hy_test_pass(__FILE__, line);
}

void hy_expect_ints(const struct hy_drawn_graph *drawn, uint32_t tensor, uint32_t count,
                    const int64_t *numbers, int line)
{
    int64_t found[64];
    const int64_t read = hy_constant_ints(&drawn->graph.tensors[tensor], found, 64);

    if (read != (int64_t)count) {
        hy_test_fail(__FILE__, line, "%lld numbers, expected %u", (long long)read, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (found[i] != numbers[i])
            hy_test_fail(__FILE__, line, "number %u is %lld, expected %lld", i, (long long)found[i],
                         (long long)numbers[i]);
        else
            hy_test_pass(__FILE__, line);
    }
}
