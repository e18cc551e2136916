#ifndef HY_LIBHALYARD_GRAPH_SHAPES_SHAPES_H
#define HY_LIBHALYARD_GRAPH_SHAPES_SHAPES_H

#include "libhalyard/graph/graph.h"

/*
 * Infers the shapes of a node's outputs from the node's inputs. Inferred shapes replace the shapes
 * of the file, because converters leave outdated shapes in files. The shape of the file stays if
 * the shape depends on contents known only during a run, or if the inputs contradict each other.
 * Extents that depend on unknown extents become unknown. IF and WHILE pass shapes to their bodies.
 */
void hy_graph_infer_shapes(struct hy_graph *graph, const struct hy_graph_node *node);

#endif
