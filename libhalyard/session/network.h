#ifndef HY_LIBHALYARD_SESSION_NETWORK_H
#define HY_LIBHALYARD_SESSION_NETWORK_H

#include "libhalyard/lower/lower.h"
#include "libhalyard/tflite/tflite_model.h"

/* A network file, as far as the NNAPI model: what the file says, its graph, and the graph lowered.
 */
struct hy_network {
    struct hy_tflite_model *source;
    struct hy_graph graph;
    struct hy_lowered_model *model;
};

/*
 * Opens the network in `bytes`, which outlive the network; large constants stay where they are.
 * `limits` may be NULL for the defaults. Errors: those of hy_tflite_open, hy_tflite_graph,
 * hy_lower.
 */
HY_MUST_CHECK enum hy_code hy_network_open(const void *bytes, size_t length,
                                           const struct hy_tflite_limits *limits,
                                           struct hy_network **out, struct hy_error *err);
void hy_network_close(struct hy_network *network); /* takes NULL */

#endif
