#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_DRAWN_GRAPH_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_DRAWN_GRAPH_H

#include "libhalyard/graph/graph.h"

/* Hand-made graphs for tests of graph passes. Any failure is recorded as a test failure. */
struct hy_drawn_graph {
    struct hy_graph graph;
};

void hy_draw_finish(struct hy_drawn_graph *drawn);

/* Each function returns the index of the new tensor. A negative extent ends a list of extents. */
uint32_t hy_draw_tensor(struct hy_drawn_graph *drawn, enum hy_element element,
                        const int32_t *extents);
uint32_t hy_draw_ints(struct hy_drawn_graph *drawn, uint32_t count, const int32_t *numbers);
uint32_t hy_draw_int(struct hy_drawn_graph *drawn, int32_t number); /* of rank 0 */
uint32_t hy_draw_floats(struct hy_drawn_graph *drawn, const int32_t *extents, const float *numbers);
uint32_t hy_draw_bytes(struct hy_drawn_graph *drawn, const int32_t *extents,
                       const uint8_t *bytes); /* of uint8 */

/* Sets a single scale and zero point of a tensor and returns the tensor. */
uint32_t hy_draw_scale(struct hy_drawn_graph *drawn, uint32_t tensor, float scale,
                       int32_t zero_point);

/* Sets the inputs and outputs of the graph. */
void hy_draw_inputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors);
void hy_draw_outputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors);

/* Adds a node with one output and returns the output. The output's shape in the file is [1]. */
uint32_t hy_draw_node(struct hy_drawn_graph *drawn, enum hy_operator operator_,
                      const union hy_attributes *attributes, enum hy_element element,
                      uint32_t input_count, const uint32_t *inputs);

#define HY_EXTENTS(...) ((const int32_t[]){__VA_ARGS__, -1})
#define HY_INPUTS(...) \
    sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]) \
    { \
        __VA_ARGS__ \
    }

/* Expects the given extents of a tensor. */
void hy_expect_extents(const struct hy_drawn_graph *drawn, uint32_t tensor, const int32_t *extents,
                       int line);

/* Expects a constant tensor with the given int32 or int64 numbers. */
void hy_expect_ints(const struct hy_drawn_graph *drawn, uint32_t tensor, uint32_t count,
                    const int64_t *numbers, int line);

#endif
