#ifndef HY_TESTS_LIBHALYARD_KIT_RANDOM_IMAGE_GRAPH_H
#define HY_TESTS_LIBHALYARD_KIT_RANDOM_IMAGE_GRAPH_H

#include "tests/libhalyard/kit/drawn_graph.h"

/* Draws a graph of images, of float32 or uint8, with many nodes that passes look for: pairs that
 * cancel, padding, factors per channel, activations, equal nodes, nodes that nothing reads. The
 * seed alone decides what is drawn. The graph is valid with its shapes, and 1 to 3 outputs. */
void hy_draw_random_images(struct hy_drawn_graph *drawn, enum hy_element element, uint64_t seed);

#endif
