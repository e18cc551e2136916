#ifndef HY_TOOLS_CONVERT_CONVERT_H
#define HY_TOOLS_CONVERT_CONVERT_H

#include <android/NeuralNetworks.h>

#include "common/error.h"
#include "tools/tflite/tflite_model.h"

/*
 * A `.tflite` model as an NNAPI model, built through the public API alone and finished. Inputs and
 * outputs are those of the file's first sub-graph, in its order.
 *
 * How the types meet: int8 becomes TENSOR_QUANT8_ASYMM_SIGNED, filters with a scale per channel
 * TENSOR_QUANT8_SYMM_PER_CHANNEL; int8 weights under float activations (a hybrid model) become
 * constants that a DEQUANTIZE turns into the float filter.
 */
struct hy_converted_model;

/*
 * `source` and the bytes behind it must outlive the result: large constants stay where they are.
 * Errors: HY_BAD_DATA for what NNAPI or this converter cannot express, naming operator and tensor;
 * else the code and words of the API call that failed.
 */
HY_MUST_CHECK enum hy_code hy_convert(const struct hy_tflite_model *source,
                                      struct hy_converted_model **out, struct hy_error *err);
void hy_converted_model_destroy(struct hy_converted_model *model); /* takes NULL */

const ANeuralNetworksModel *hy_converted_model_handle(const struct hy_converted_model *model);

/* For operation `index` of the NNAPI model, the operator of the file that it comes from. */
uint32_t hy_converted_model_operator(const struct hy_converted_model *model, uint32_t index);
uint32_t hy_converted_model_operation_count(const struct hy_converted_model *model);

#endif
