#ifndef HY_LIBHALYARD_LOWER_LOWER_H
#define HY_LIBHALYARD_LOWER_LOWER_H

#include <android/NeuralNetworks.h>

#include "common/error.h"
#include "libhalyard/graph/graph.h"

/*
 * A graph as an NNAPI model, built through the public API alone and finished. Inputs and outputs
 * are those of the graph, in its order; the model has no inputs and outputs without elements. A
 * tensor of more than four dimensions has four in the model, the leading dimensions are one.
 *
 * How the types meet: int8 becomes TENSOR_QUANT8_ASYMM_SIGNED, filters with a scale per channel
 * TENSOR_QUANT8_SYMM_PER_CHANNEL; int8 weights under float activations (a hybrid network) become
 * constants that a DEQUANTIZE turns into the float filter. int64 and other types that NNAPI has not
 * are those of org.halyard.operations; indices of int64 that are constants become TENSOR_INT32.
 */
struct hy_lowered_model;

/*
 * `graph` and the memory behind its constants outlive the result: large constants stay where they
 * are. Errors: HY_BAD_DATA for what NNAPI or the lowering cannot express, with operator and tensor;
 * else the code and the words of the API call that failed.
 */
HY_MUST_CHECK enum hy_code hy_lower(const struct hy_graph *graph, struct hy_lowered_model **out,
                                    struct hy_error *err);
void hy_lowered_model_destroy(struct hy_lowered_model *model); /* takes NULL */

const ANeuralNetworksModel *hy_lowered_model_handle(const struct hy_lowered_model *model);

/* Where the contents of an output of the graph come from. */
enum hy_output_source {
    HY_OUTPUT_COMPUTED, /* output `index` of the NNAPI model */
    HY_OUTPUT_INPUT,    /* input `index` of the graph, which is an output as it is */
    HY_OUTPUT_CONSTANT, /* tensor `index` of the graph */
};

struct hy_lowered_output {
    enum hy_output_source source;
    uint32_t index;
};

/* One per output of the graph. Outputs that the graph lists twice come from one output of the NNAPI
 * model. */
const struct hy_lowered_output *hy_lowered_model_outputs(const struct hy_lowered_model *model);

/* The NNAPI model has one float32 more behind its inputs, and one behind its outputs: where the
 * graph has no input or no output with elements that are computed, NNAPI wants one. */
bool hy_lowered_model_has_placeholder(const struct hy_lowered_model *model);

/* The NNAPI model or a body has operands whose extents only a run can tell. */
bool hy_lowered_model_has_open_operands(const struct hy_lowered_model *model);

/* For operation `index` of the NNAPI model, the operator of the file that the operation is part of,
 * and the operator's sub-graph. The operations of bodies are part of IF or WHILE here. */
uint32_t hy_lowered_model_operator(const struct hy_lowered_model *model, uint32_t index);
uint32_t hy_lowered_model_subgraph(const struct hy_lowered_model *model, uint32_t index);
uint32_t hy_lowered_model_operation_count(const struct hy_lowered_model *model);

#endif
