#ifndef HY_LIBHALYARD_SESSION_NETWORK_H
#define HY_LIBHALYARD_SESSION_NETWORK_H

#include "libhalyard/graph/budget.h"
#include "libhalyard/lower/lower.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * One signature of a network file with one set of input shapes: its graph, and the graph lowered to
 * an NNAPI model. After hy_network_lower a network is read-only, and any number of threads may use
 * the network.
 */
struct hy_network {
    struct hy_tflite_model *source; /* memory of `graph`; NULL after hy_network_trim */
    struct hy_budget budget;        /* of the graph */
    struct hy_graph graph;
    struct hy_lowered_model *model; /* NULL before hy_network_lower */
};

/* A shape of an input that replaces the shape of the file. */
struct hy_input_shape {
    bool is_set;
    bool is_from_file; /* set from an input file, not by the caller */
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK];
};

/* hy_tflite_open, with a better error text for files of other kinds: file_kind.h. */
HY_MUST_CHECK enum hy_code hy_network_read(const void *bytes, size_t length,
                                           const struct hy_tflite_limits *limits,
                                           struct hy_tflite_model **out, struct hy_error *err);

/*
 * Imports a signature of `source`, which the network keeps open, and propagates shapes. `shapes`
 * has an entry for each input, or is NULL: all shapes are the file's. Of the limits, those of the
 * graph hold: memory and operations. Errors: those of hy_tflite_graph, hy_graph_set_shape and
 * hy_graph_run_passes.
 */
HY_MUST_CHECK enum hy_code hy_network_import(struct hy_tflite_model *source, uint32_t signature,
                                             const struct hy_input_shape *shapes,
                                             const struct hy_tflite_limits *limits,
                                             struct hy_network **out, struct hy_error *err);

/* A memory limit in bytes: `asked`, or, for 0, the memory of the machine or the limit of the
 * process's control group. */
uint64_t hy_network_memory(uint64_t asked);

/* Makes the NNAPI model. Errors: the errors of hy_lower. */
HY_MUST_CHECK enum hy_code hy_network_lower(struct hy_network *network, struct hy_error *err);

/* Frees the memory of lowering: the source, and the graph except its inputs and outputs. Does
 * nothing for a network with states, or without memory for the reduced graph. */
void hy_network_trim(struct hy_network *network);

/*
 * Opens the network in `bytes`, which outlive the network, and lowers the first signature in the
 * shapes of the file; large constants are not copied. `limits` may be NULL for the defaults.
 * Errors: the errors of hy_tflite_open, hy_network_import, hy_graph_check_memory, hy_network_lower.
 */
HY_MUST_CHECK enum hy_code hy_network_open(const void *bytes, size_t length,
                                           const struct hy_tflite_limits *limits,
                                           struct hy_network **out, struct hy_error *err);
/* NULL is ignored. */
void hy_network_close(struct hy_network *network);

#endif
