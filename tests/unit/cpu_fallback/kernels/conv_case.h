#ifndef HY_TESTS_KERNELS_CONV_CASE_H
#define HY_TESTS_KERNELS_CONV_CASE_H

#include "cpu_fallback/kernels/kernels.h"

enum { CONV_CASE_CHANNELS = 160 };

/* A random convolution from a seed: shapes, quantisation, and tensors in guarded memory. */
struct conv_case {
    uint64_t seed;
    enum hy_element element;
    int depthwise;
    struct hy_conv_params params;
    struct hy_multiplier multipliers[CONV_CASE_CHANNELS];
    void *in, *filter, *bias;
    size_t in_count, filter_count, out_count, out_element_size;
};

/* The seed, the element type and the family determine all values. `c` must not move in memory. */
void conv_case_init(struct conv_case *c, uint64_t seed, enum hy_element element, int depthwise);

/* The same for FULLY_CONNECTED of `rows` rows. */
void conv_case_init_rows(struct conv_case *c, uint64_t seed, enum hy_element element, uint32_t rows,
                         uint32_t inputs, uint32_t units);

/* A 3x3 convolution without stride and dilation. 8-bit cases have a multiple of 16 input
 * channels. */
void conv_case_init_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise 8-bit convolution with a 3x3 filter, no dilation, and at least 32 channels. */
void conv_case_init_depthwise_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* An 8-bit convolution with depths, channels and lines of real network layers. Covers whole and
 * partial AMX tiles, taps inside and outside of the image, and dilated taps. */
void conv_case_init_layer(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A convolution with input lines too long for copies of whole lines. */
void conv_case_init_long_lines(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A grouped convolution with realistic channel counts, on images of several bands of lines. */
void conv_case_init_grouped(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A transposed convolution with strides up to the filter size. Covers every remainder of pads and
 * outputs. */
void conv_case_init_transposed(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise convolution with several input channels and at least two outputs per channel. */
void conv_case_init_multiplied(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise convolution with a filter of three columns, dilated along the line. */
void conv_case_init_dilated_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* Runs a kernel into guarded memory, packing the weights if needed. Uses the slots `first_slot` to
 * `first_slot` + 2. */
void *conv_case_run(const struct conv_case *c, const struct hy_conv_kernel *kernel, int first_slot);

/* Like conv_case_run, but runs the units in parts of up to `most`, last units first. */
void *conv_case_run_in_parts(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                             int first_slot, size_t most);

/* Writes seed and shape as text, for failure messages. */
void conv_case_describe(const struct conv_case *c, char *text, size_t size);

#endif
