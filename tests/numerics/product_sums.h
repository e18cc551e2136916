#ifndef HY_TESTS_NUMERICS_PRODUCT_SUMS_H
#define HY_TESTS_NUMERICS_PRODUCT_SUMS_H

#include "tests/numerics/claim.h"

/*
 * Operations whose outputs are sums of products, of random shapes: CONV_2D, DEPTHWISE_CONV_2D,
 * GROUPED_CONV_2D, TRANSPOSE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL. Both matrix products are
 * convolutions of one row with filters of 1x1. Numbers are doubles, which hold all that is stored
 * exactly, and their sums where those are whole.
 */
enum { SUMS_MOST_IN = 1 << 17, SUMS_MOST_FILTER = 1 << 15, SUMS_MOST_OUT = 1 << 16 };

struct product_sums {
    int32_t operation;
    uint32_t in_h, in_w, in_c, out_h, out_w, out_c;
    uint32_t filter_h, filter_w, stride, dilation, pad, groups;
    uint32_t in_count, filter_count, out_count;
    bool is_constant; /* filter and bias */
    double in[SUMS_MOST_IN], filter[SUMS_MOST_FILTER], bias[SUMS_MOST_OUT];
};

/* What one output adds up. */
struct product_sum {
    double sum, magnitude; /* exact, but for roundings to double; magnitudes of terms */
    float ordered;         /* in float32: by filter row, column and channel, the bias last */
    uint32_t terms;        /* products that lie inside the image, and the bias */
};

/* A random shape. `is_minimal`: one that CONV_2D may compute by minimal filtering. */
void product_sums_choose(struct product_sums *s, struct hy_random *r, int32_t operation,
                         bool is_minimal);

/* The types of the operands, whose quantisation is the caller's. `rank` follows from `s`. */
struct product_types {
    struct hy_builder_type in, filter, bias, out;
    const float *channel_scales; /* of the filter, or NULL */
};

void product_sums_set_shapes(const struct product_sums *s, struct product_types *types);

/* A model of the operation with the tensors' bytes. */
void product_sums_build(const struct product_sums *s, const struct product_types *types,
                        const void *in, const void *filter, const void *bias, void *out,
                        size_t out_bytes, struct hy_op_case *test);

/* Output `index`. */
struct product_sum product_sums_at(const struct product_sums *s, uint32_t index);

/*
 * For outputs by minimal filtering: for all input channels the largest magnitude under the filter,
 * times the magnitudes of the filter's weights, summed.
 */
double product_sums_reach(const struct product_sums *s, uint32_t index);

#endif
