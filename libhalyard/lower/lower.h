#ifndef HY_LIBHALYARD_LOWER_LOWER_H
#define HY_LIBHALYARD_LOWER_LOWER_H

#include <android/NeuralNetworks.h>

#include "common/error.h"
#include "libhalyard/graph/graph.h"

/*
 * A graph as an NNAPI model, built through the public API alone and finished. Inputs and outputs
 * are those of the graph, in its order.
 *
 * How the types meet: int8 becomes TENSOR_QUANT8_ASYMM_SIGNED, filters with a scale per channel
 * TENSOR_QUANT8_SYMM_PER_CHANNEL; int8 weights under float activations (a hybrid network) become
 * constants that a DEQUANTIZE turns into the float filter.
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

/* For operation `index` of the NNAPI model, the operator of the file that the operation is part of.
 */
uint32_t hy_lowered_model_operator(const struct hy_lowered_model *model, uint32_t index);
uint32_t hy_lowered_model_operation_count(const struct hy_lowered_model *model);

#endif
