#ifndef HY_TESTS_SCENARIOS_NUMERICS_PRODUCT_SUMS_H
#define HY_TESTS_SCENARIOS_NUMERICS_PRODUCT_SUMS_H

#include "tests/scenarios/numerics/claim.h"

/*
 * Operations with sums of products as outputs, in random shapes: CONV_2D, DEPTHWISE_CONV_2D,
 * GROUPED_CONV_2D, TRANSPOSE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL. Both matrix products are
 * convolutions of one row with 1x1 filters. Numbers are doubles. Doubles represent all stored
 * numbers exactly, and all sums of whole numbers.
 */
enum { SUMS_MOST_IN = 1 << 17, SUMS_MOST_FILTER = 1 << 15, SUMS_MOST_OUT = 1 << 16 };

struct product_sums {
    int32_t operation;
    uint32_t in_h, in_w, in_c, out_h, out_w, out_c;
    uint32_t filter_h, filter_w, stride, dilation, pad, groups;
    uint32_t in_count, filter_count, out_count;
    bool is_constant; /* filter and bias are constants */
    double in[SUMS_MOST_IN], filter[SUMS_MOST_FILTER], bias[SUMS_MOST_OUT];
};

/* The sum of one output. */
struct product_sum {
    double sum, magnitude; /* sum up to double rounding, and the sum of magnitudes */
    float ordered;         /* float32 sum by filter row, column and channel; the bias comes last */
    uint32_t terms;        /* products inside the image, plus the bias */
};

/* Chooses a random shape. With `is_minimal` a shape suitable for minimal filtering in CONV_2D. */
void product_sums_choose(struct product_sums *s, struct hy_random *r, int32_t operation,
                         bool is_minimal);

/* The types of the operands. The caller sets the quantisation; product_sums_set_shapes sets the
 * shapes. */
struct product_types {
    struct hy_builder_type in, filter, bias, out;
    const float *channel_scales; /* of the filter, or NULL */
};

void product_sums_set_shapes(const struct product_sums *s, struct product_types *types);

/* Builds a model of the operation with the given tensor bytes. */
void product_sums_build(const struct product_sums *s, const struct product_types *types,
                        const void *in, const void *filter, const void *bias, void *out,
                        size_t out_bytes, struct hy_op_case *test);

/* Output `index`. */
struct product_sum product_sums_at(const struct product_sums *s, uint32_t index);

/*
 * Error reach of minimal filtering. Sums over input channels the largest input magnitude under the
 * filter times the sum of the filter's magnitudes.
 */
double product_sums_reach(const struct product_sums *s, uint32_t index);

#endif
