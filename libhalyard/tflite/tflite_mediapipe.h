#ifndef HY_LIBHALYARD_TFLITE_TFLITE_MEDIAPIPE_H
#define HY_LIBHALYARD_TFLITE_TFLITE_MEDIAPIPE_H

#include "libhalyard/graph/graph.h"
#include "libhalyard/tflite/custom_options.h"

/* Custom operators of MediaPipe: each function sets operator, attributes and inputs of the node, or
 * saves a fault. `version` is the version of the operator in the file. */
typedef void hy_tflite_translate_custom(struct hy_custom_options *options, uint32_t version,
                                        struct hy_graph_node *node);

hy_tflite_translate_custom hy_tflite_convolution_2d_transpose_bias,
    hy_tflite_max_pooling_with_argmax_2d, hy_tflite_max_unpooling_2d,
    hy_tflite_landmarks_to_transform_matrix, hy_tflite_transform_landmarks,
    hy_tflite_transform_tensor_bilinear;

#endif
