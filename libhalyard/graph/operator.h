#ifndef HY_LIBHALYARD_GRAPH_OPERATOR_H
#define HY_LIBHALYARD_GRAPH_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The computation of a node. An operator has one definition for all file formats. Readers translate
 * the operators of a format, and compose several nodes for an operator with another definition.
 */
enum hy_operator {
#define OPERATOR(NAME, ...) HY_OPERATOR_##NAME,
#include "libhalyard/graph/operators.def"
    HY_OPERATOR_COUNT
};

/* "CONV_2D". */
const char *hy_operator_name(enum hy_operator operator_);

enum hy_padding {
    HY_PADDING_SAME, /* outputs = inputs / stride, rounded up; zeros at both ends */
    HY_PADDING_VALID,
    HY_PADDING_EXPLICIT, /* convolutions: the attributes have the number of zeros */
};

enum hy_activation {
    HY_ACTIVATION_NONE,
    HY_ACTIVATION_RELU,
    HY_ACTIVATION_RELU1, /* -1 to 1 */
    HY_ACTIVATION_RELU6,
    HY_ACTIVATION_TANH,
    HY_ACTIVATION_SIGN_BIT,
};

/* Attributes, by the names of operators.def. Images are [batch, height, width, channels]. */
struct hy_attributes_binary {
    enum hy_activation activation;
};

/* Indices of bodies of the graph. Inputs: condition, inputs of either body */
struct hy_attributes_branches {
    uint32_t then_body, else_body;
};

struct hy_attributes_bucketize {
    uint32_t count;
    const float *boundaries; /* in ascending order */
};

struct hy_attributes_conv {
    enum hy_padding padding;
    int32_t stride_width, stride_height;
    int32_t dilation_width, dilation_height;
    enum hy_activation activation;
    int32_t padding_top, padding_bottom, padding_left, padding_right; /* of EXPLICIT */
};

struct hy_attributes_conv_3d {
    enum hy_padding padding;
    int32_t strides[3], dilations[3]; /* depth, height, width */
    enum hy_activation activation;
};

struct hy_attributes_pool {
    enum hy_padding padding;
    int32_t stride_width, stride_height;
    int32_t filter_width, filter_height;
    enum hy_activation activation;
};

struct hy_attributes_matmul {
    bool adjoint_a, adjoint_b; /* the last two dimensions are exchanged */
};

struct hy_attributes_axis {
    int32_t axis; /* negative: counted from the end */
    enum hy_activation activation;
};

struct hy_attributes_combiner {
    /* 0: weighted sum; 1: divided by the sum of weights; 2: divided by the root of the sum of
     * squares */
    int32_t combiner;
};

struct hy_attributes_cumsum {
    bool exclusive; /* an element is not part of its own sum */
    bool reverse;   /* sums run from the last element to the first */
};

struct hy_attributes_block {
    int32_t size;
};

/* Boxes are coded relative to anchors, divided by the scales. Inputs: boxes, scores, anchors;
 * outputs: boxes, classes without the background, scores, count. All tensors are floats. */
struct hy_attributes_detection {
    float y_scale, x_scale, h_scale, w_scale;
    float score_threshold, iou_threshold;
    int32_t max_detections, max_classes_per_detection, detections_per_class;
    int32_t class_count; /* without the background */
    bool use_regular_nms;
};

/* Rounds to the steps of a quantisation of `bits` bits with a range over `low`, 0 and `high`. */
struct hy_attributes_fake_quant {
    float low, high;
    int32_t bits;
    bool narrow_range; /* without the smallest step */
};

struct hy_attributes_foreign {
    const char *name;   /* the operator's name in the file, printable */
    const char *reason; /* the reason for the lack of a definition, with a remedy */
};

struct hy_attributes_fully_connected {
    enum hy_activation activation;
    bool keep_dimensions; /* the output has all dimensions of the input but the last */
    bool shuffled;        /* the filter is stored for one processor's instructions */
};

struct hy_attributes_gather {
    int32_t axis;
    int32_t batch_dimensions;
};

struct hy_attributes_gelu {
    bool approximate; /* with a hyperbolic tangent */
};

/* The matrix from pixels of an image to the box around a subset of landmarks. The landmarks are
 * rotated until the line between `left` and `right` has the angle `rotation`. */
struct hy_attributes_landmarks_matrix {
    uint32_t count;
    const int32_t *subset;
    int32_t left, right; /* landmarks */
    float rotation;
    int32_t width, height; /* of the image */
    float scale_x, scale_y;
};

struct hy_attributes_leaky_relu {
    float alpha;
};

struct hy_attributes_local_response {
    int32_t radius;
    float bias, alpha, beta;
};

/* Indices of bodies of the graph */
struct hy_attributes_loop {
    uint32_t condition, body;
};

/* Properties of values inside a quantised cell, as far as the file has them. */
struct hy_lstm_intermediates {
    float gate_scales[4]; /* before normalisation: input, forget, cell, output; 0: unknown */
    float hidden_scale;   /* output before its projection; 0: unknown */
    int32_t hidden_zero_point;
};

struct hy_attributes_lstm {
    enum hy_activation activation;
    float cell_clip, projection_clip; /* 0: none */
    bool time_major;                  /* sequences are [time, batch, features] */
    bool merge_outputs;               /* one output: forward, then backward */
    bool diagonal_recurrent;          /* recurrent weights are diagonals */
    bool is_basic;                    /* all gates have one matrix of weights */
    struct hy_lstm_intermediates intermediates;
};

struct hy_attributes_projection {
    bool is_dense; /* an output for each bit; else one for each signature */
};

struct hy_attributes_random {
    int64_t seeds[2]; /* both 0: different seeds in each run */
};

struct hy_attributes_rnn {
    enum hy_activation activation;
    bool time_major;    /* sequences are [time, batch, features] */
    bool merge_outputs; /* one output: forward, then backward */
};

struct hy_attributes_svdf {
    int32_t rank; /* filters per unit */
    enum hy_activation activation;
};

struct hy_attributes_reduce {
    bool keep_dimensions;
};

struct hy_attributes_mirror {
    bool symmetric; /* the edge element is also mirrored */
};

struct hy_attributes_reshape {
    int32_t count; /* number of extents; used for a node without a second input */
    const int32_t *extents;
};

struct hy_attributes_resize {
    bool align_corners;
    bool half_pixel_centers;
};

struct hy_attributes_sequence {
    int32_t time_axis, batch_axis; /* negative: counted from the end */
};

struct hy_attributes_softmax {
    float beta;
};

struct hy_attributes_split {
    int32_t count;
};

struct hy_attributes_squeeze {
    uint32_t count; /* number of axes; 0: every dimension of extent 1 */
    const int32_t *axes;
};

/* Bit i of a mask stands for dimension i of the specification */
struct hy_attributes_strided_slice {
    int32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
    bool end_is_offset; /* `end` counts from `begin` */
};

struct hy_attributes_transform_landmarks {
    int32_t dimensions; /* numbers of a landmark; 0: the last extent */
    float scale;        /* of the matrix's translation */
};

struct hy_attributes_transform_tensor {
    int32_t width, height; /* of the output */
    bool half_pixel_centers;
};

struct hy_attributes_window {
    int32_t function; /* 0 sum, 1 product, 2 minimum, 3 maximum; of bool 4 all, 5 any */
};

union hy_attributes {
    struct hy_attributes_binary binary;
    struct hy_attributes_conv conv;
    struct hy_attributes_conv_3d conv_3d;
    struct hy_attributes_pool pool;
    struct hy_attributes_matmul matmul;
    struct hy_attributes_axis axis;
    struct hy_attributes_block block;
    struct hy_attributes_bucketize bucketize;
    struct hy_attributes_branches branches;
    struct hy_attributes_combiner combiner;
    struct hy_attributes_cumsum cumsum;
    struct hy_attributes_detection detection;
    struct hy_attributes_fake_quant fake_quant;
    struct hy_attributes_foreign foreign;
    struct hy_attributes_fully_connected fully_connected;
    struct hy_attributes_gather gather;
    struct hy_attributes_gelu gelu;
    struct hy_attributes_landmarks_matrix landmarks_matrix;
    struct hy_attributes_leaky_relu leaky_relu;
    struct hy_attributes_local_response local_response;
    struct hy_attributes_loop loop;
    struct hy_attributes_lstm lstm;
    struct hy_attributes_random random;
    struct hy_attributes_projection projection;
    struct hy_attributes_rnn rnn;
    struct hy_attributes_svdf svdf;
    struct hy_attributes_reduce reduce;
    struct hy_attributes_mirror mirror;
    struct hy_attributes_reshape reshape;
    struct hy_attributes_resize resize;
    struct hy_attributes_sequence sequence;
    struct hy_attributes_softmax softmax;
    struct hy_attributes_split split;
    struct hy_attributes_squeeze squeeze;
    struct hy_attributes_strided_slice strided_slice;
    struct hy_attributes_transform_landmarks transform_landmarks;
    struct hy_attributes_transform_tensor transform_tensor;
    struct hy_attributes_window window;
};

#endif
