#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_RANDOM_IMAGE_GRAPH_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_RANDOM_IMAGE_GRAPH_H

#include "tests/unit/libhalyard/kit/drawn_graph.h"

/* Draws a random graph of images in float32 or uint8, determined by the seed. Many nodes match
 * patterns of the passes: cancelling pairs, padding, factors per channel, activations, equal nodes,
 * unread nodes. The graph is valid with its shapes, and has 1 to 3 outputs. */
void hy_draw_random_images(struct hy_drawn_graph *drawn, enum hy_element element, uint64_t seed);

#endif
