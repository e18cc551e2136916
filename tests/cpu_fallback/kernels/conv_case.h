#ifndef HY_TESTS_KERNELS_CONV_CASE_H
#define HY_TESTS_KERNELS_CONV_CASE_H

#include "cpu_fallback/kernels/kernels.h"

enum { CONV_CASE_CHANNELS = 160 };

/* A seeded convolution: shapes, quantisation, and tensors in guarded memory. */
struct conv_case {
    uint64_t seed;
    enum hy_element element;
    int depthwise;
    struct hy_conv_params params;
    struct hy_multiplier multipliers[CONV_CASE_CHANNELS];
    void *in, *filter, *bias;
    size_t in_count, filter_count, out_count, out_element_size;
};

/* Everything follows from the seed, the element type and the family. `c` must stay where it is. */
void conv_case_init(struct conv_case *c, uint64_t seed, enum hy_element element, int depthwise);

/* The same for FULLY_CONNECTED of `rows` rows. */
void conv_case_init_rows(struct conv_case *c, uint64_t seed, enum hy_element element, uint32_t rows,
                         uint32_t inputs, uint32_t units);

/* One whose filter is 3x3, neither strided nor dilated; of bytes with 16 input channels, or a
 * multiple. */
void conv_case_init_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise one of bytes whose filter is 3x3, not dilated, with 32 channels or more. */
void conv_case_init_depthwise_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* One of bytes with the depths, channels and lines of the layers of networks: of whole tiles (AMX)
 * and not, inside the image and beyond, with taps that lie apart. */
void conv_case_init_layer(struct conv_case *c, uint64_t seed, enum hy_element element);

/* One whose input lines are too long for copies of whole ones. */
void conv_case_init_long_lines(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A grouped one of as many channels as networks have, on images of several bands of lines. */
void conv_case_init_grouped(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A transposed one: strides up to the filter, with every remainder of pads and outputs. */
void conv_case_init_transposed(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise one with two outputs or more of each of several input channels. */
void conv_case_init_multiplied(struct conv_case *c, uint64_t seed, enum hy_element element);

/* A depthwise one with a filter of three columns that is dilated along the line. */
void conv_case_init_dilated_three(struct conv_case *c, uint64_t seed, enum hy_element element);

/* Runs a kernel into guarded memory (`first_slot` and the two after it), packing if it packs. */
void *conv_case_run(const struct conv_case *c, const struct hy_conv_kernel *kernel, int first_slot);

/* The same, the last units first, `most` at a time. */
void *conv_case_run_in_parts(const struct conv_case *c, const struct hy_conv_kernel *kernel,
                             int first_slot, size_t most);

/* Reports seed and shape with a format of its own for what differs. */
void conv_case_describe(const struct conv_case *c, char *text, size_t size);

#endif
