/*
 * Reads the operands of an operation during compilation. Each function checks its operands. After
 * a failed check the function writes the reason into the source and returns NULL or false.
 */
#ifndef XD_OPERANDS_H
#define XD_OPERANDS_H

#include "driver_kit/tensor.h"
#include "program.h"

#include <android/NeuralNetworks.h>

/* Sets of operand types. */
#define XD_TYPE(code)         (1u << (code))
#define XD_F32                XD_TYPE(ANEURALNETWORKS_TENSOR_FLOAT32)
#define XD_F16                XD_TYPE(ANEURALNETWORKS_TENSOR_FLOAT16)
#define XD_I32                XD_TYPE(ANEURALNETWORKS_TENSOR_INT32)
#define XD_QU8                XD_TYPE(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)
#define XD_QS8                XD_TYPE(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED)
#define XD_QY8                XD_TYPE(ANEURALNETWORKS_TENSOR_QUANT8_SYMM)
#define XD_QC8                XD_TYPE(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
#define XD_Q8                 (XD_QU8 | XD_QS8)
#define XD_MAIN               (XD_F32 | XD_Q8) /* supported by most operations */
#define XD_NO_TYPE            31               /* a bit for type codes outside of any set */
#define XD_HAS(types, tensor) (((types) >> (tensor)->type) & 1u)

/* A compilation in progress: the model and its program. */
struct xd_build {
    struct hy_model_reader reader;
    struct xd_program *program;
};

/* An input tensor with one of the types and with a known shape. */
struct xd_tensor *xd_input(struct xd_build *build, const struct hy_operation *operation,
                           uint32_t position, uint32_t types);

/* As xd_input, for a constant: weights, packed by XNNPACK during the creation of an operator. */
struct xd_tensor *xd_weights(struct xd_build *build, const struct hy_operation *operation,
                             uint32_t position, uint32_t types);

/*
 * An output tensor with the type and shape. The call sets the open extents of the tensor.
 */
struct xd_tensor *xd_output(struct xd_build *build, const struct hy_operation *operation,
                            uint32_t position, int32_t type, uint32_t rank, const uint32_t *dims);

/* Returns output 0 with the type and shape of `input`. */
struct xd_tensor *xd_output_like(struct xd_build *build, const struct hy_operation *operation,
                                 const struct xd_tensor *input);

/* Adds an intermediate tensor in the shape of another tensor. */
struct xd_tensor *xd_temporary(struct xd_build *build, int32_t type, const struct xd_tensor *shape);

/* Reads a constant INT32 tensor of at most `capacity` elements into `ret`, and their number into
 * `*ret_count`. False: another type, not constant, or too many elements. */
bool xd_list_i32(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                 uint32_t capacity, int32_t *ret, uint32_t *ret_count);

/* True if both tensors have the same scale and zero point, or if `input` has no quantisation of 8
 * bits with one scale. */
bool xd_same_quantisation(struct xd_build *build, const struct xd_tensor *input,
                          const struct xd_tensor *output);

/* True if low <= ratio < high, the range supported by XNNPACK. False: the reason names `what`. */
bool xd_ratio_fits(struct xd_build *build, const char *what, float ratio, float low, float high);

/* The number of elements in dimensions [from, to) of a checked tensor. */
size_t xd_elements(const struct xd_tensor *tensor, uint32_t from, uint32_t to);
size_t xd_all_elements(const struct xd_tensor *tensor);
bool xd_is_quantised(const struct xd_tensor *tensor);

#endif
