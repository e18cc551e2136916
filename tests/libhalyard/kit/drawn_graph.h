#ifndef HY_TESTS_LIBHALYARD_KIT_DRAWN_GRAPH_H
#define HY_TESTS_LIBHALYARD_KIT_DRAWN_GRAPH_H

#include "libhalyard/graph/graph.h"

/* Graphs for tests of passes, drawn by hand. Failures to draw are failures of the test. */
struct hy_drawn_graph {
    struct hy_graph graph;
};

void hy_draw_finish(struct hy_drawn_graph *drawn);

/* Each gives the index of the new tensor. Extents are listed up to a negative one. */
uint32_t hy_draw_tensor(struct hy_drawn_graph *drawn, enum hy_element element,
                        const int32_t *extents);
uint32_t hy_draw_ints(struct hy_drawn_graph *drawn, uint32_t count, const int32_t *numbers);
uint32_t hy_draw_int(struct hy_drawn_graph *drawn, int32_t number); /* of rank 0 */
uint32_t hy_draw_floats(struct hy_drawn_graph *drawn, const int32_t *extents, const float *numbers);
uint32_t hy_draw_bytes(struct hy_drawn_graph *drawn, const int32_t *extents,
                       const uint8_t *bytes); /* of uint8 */

/* Gives a tensor one scale and zero point; returns the tensor. */
uint32_t hy_draw_scale(struct hy_drawn_graph *drawn, uint32_t tensor, float scale,
                       int32_t zero_point);

/* Lists the inputs and outputs of the graph. */
void hy_draw_inputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors);
void hy_draw_outputs(struct hy_drawn_graph *drawn, uint32_t count, const uint32_t *tensors);

/* A node with one output, whose shape in the file is [1]; gives the output. */
uint32_t hy_draw_node(struct hy_drawn_graph *drawn, enum hy_operator operator_,
                      const union hy_attributes *attributes, enum hy_element element,
                      uint32_t input_count, const uint32_t *inputs);

#define HY_EXTENTS(...) ((const int32_t[]){__VA_ARGS__, -1})
#define HY_INPUTS(...) \
    sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]) \
    { \
        __VA_ARGS__ \
    }

/* The tensor has these extents. */
void hy_expect_extents(const struct hy_drawn_graph *drawn, uint32_t tensor, const int32_t *extents,
                       int line);

/* The tensor is a constant of these int32 or int64 numbers. */
void hy_expect_ints(const struct hy_drawn_graph *drawn, uint32_t tensor, uint32_t count,
                    const int64_t *numbers, int line);

#endif
