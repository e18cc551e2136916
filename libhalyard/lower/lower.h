#ifndef HY_LIBHALYARD_LOWER_LOWER_H
#define HY_LIBHALYARD_LOWER_LOWER_H

#include <android/NeuralNetworks.h>

#include "common/error.h"
#include "libhalyard/graph/graph.h"

/*
 * A graph as an NNAPI model, built with the public API alone and finished. Inputs and outputs are
 * in the order of the graph; tensors without elements are neither inputs nor outputs of the model.
 * A tensor of more than four dimensions has four in the model, with the leading dimensions merged.
 *
 * Types: int8 becomes TENSOR_QUANT8_ASYMM_SIGNED, filters with a scale per channel become
 * TENSOR_QUANT8_SYMM_PER_CHANNEL; int8 weights under float activations (a hybrid network) become
 * constants that a DEQUANTIZE turns into the float filter. int64 and other types outside NNAPI
 * become the types of org.halyard.operations; constant indices of int64 become TENSOR_INT32.
 */
struct hy_lowered_model;

/*
 * `graph` and the memory of its constants outlive the result: large constants are not copied.
 * Errors: HY_BAD_DATA for a node that NNAPI or the lowering cannot express, with operator and
 * tensor; else the code and the error text of the failed API call.
 */
HY_MUST_CHECK enum hy_code hy_lower(const struct hy_graph *graph, struct hy_lowered_model **out,
                                    struct hy_error *err);
/* NULL is ignored. */
void hy_lowered_model_destroy(struct hy_lowered_model *model);

const ANeuralNetworksModel *hy_lowered_model_handle(const struct hy_lowered_model *model);

/* The source of an output of the graph. */
enum hy_output_source {
    HY_OUTPUT_COMPUTED, /* output `index` of the NNAPI model */
    HY_OUTPUT_INPUT,    /* input `index` of the graph, which is also an output */
    HY_OUTPUT_CONSTANT, /* tensor `index` of the graph */
};

struct hy_lowered_output {
    enum hy_output_source source;
    uint32_t index;
};

/* One per output of the graph. An output that the graph lists twice comes from one output of the
 * NNAPI model. */
const struct hy_lowered_output *hy_lowered_model_outputs(const struct hy_lowered_model *model);

/* The NNAPI model has one additional float32 after its inputs, and one after its outputs: NNAPI
 * requires an input and an output, and the graph has no input or no computed output with
 * elements. */
bool hy_lowered_model_has_placeholder(const struct hy_lowered_model *model);

/* The NNAPI model or a body has operands whose extents only a run can tell. */
bool hy_lowered_model_has_open_operands(const struct hy_lowered_model *model);

/* For operation `index` of the NNAPI model, the operator of the file that the operation is part of,
 * and the operator's sub-graph. The operations of bodies are part of IF or WHILE here. */
uint32_t hy_lowered_model_operator(const struct hy_lowered_model *model, uint32_t index);
uint32_t hy_lowered_model_subgraph(const struct hy_lowered_model *model, uint32_t index);
uint32_t hy_lowered_model_operation_count(const struct hy_lowered_model *model);

#endif
