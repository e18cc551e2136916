#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/*
 * Products of two 8-bit numbers outside of convolutions, on both devices: which precision the
 * product of their scales has, and where halves go.
 */

enum { DEVICES = 2 };

#define UINT8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define INT8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

/* One number times another. For PRELU the first is negative, and the second is its slope. */
struct product {
    int32_t operation, type;
    float a_scale, b_scale, out_scale;
    int32_t a, b; /* zero points subtracted */
};

/* The middle of the type stands for 0. */
static int32_t zero_point(int32_t type)
{
    return type == INT8 ? 0 : 128;
}

static struct hy_builder_type type_of(const struct product *p, float scale)
{
    struct hy_builder_type type = hy_op_case_type(p->type, 2, (uint32_t[]){1, 1});

    type.scale = scale;
    type.zero_point = zero_point(p->type);
    return type;
}

static void expect_product(const struct product *p, int32_t want)
{
    const uint8_t a = (uint8_t)(p->a + zero_point(p->type));
    const uint8_t b = (uint8_t)(p->b + zero_point(p->type));
    const struct hy_builder_type a_type = type_of(p, p->a_scale), b_type = type_of(p, p->b_scale);
    const struct hy_builder_type out_type = type_of(p, p->out_scale);

    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_op_case test;
        uint8_t out = 0;
        hy_op_case_init(&test, p->operation);
        hy_op_case_tensor(&test, &a_type, &a, false);
        hy_op_case_tensor(&test, &b_type, &b, false);
        if (p->operation == HY_OP_BATCH_MATMUL) {
            hy_op_case_bool(&test, false);
            hy_op_case_bool(&test, false);
        }
        if (p->operation == HY_OP_MUL)
            hy_op_case_int(&test, ANEURALNETWORKS_FUSED_NONE);
        hy_op_case_output(&test, &out_type, &out, sizeof out);
        const int32_t status = hy_op_case_run(&test, device);
        if (status != HY_STATUS_OK || out != (uint8_t)(want + zero_point(p->type)))
            hy_test_fail(__FILE__, __LINE__, "device %u: %s: status %d (%s), %d for %d", device,
                         hy_operation_name(p->operation), status, test.message, out,
                         want + zero_point(p->type));
        hy_op_case_finish(&test);
    }
}

/*
 * The product of these scales is 0.00078987167 as a float32: times 97 * 97, 73.5 steps of the
 * output and a little more. As a double it is a little less.
 */
static void expect_product_in_float32(int32_t operation, int32_t type)
{
    struct product p = {operation, type, 0x1.07ef7ap-5f, 0x1.91922p-6f, 0x1.9e15acp-4f, 97, 97};

    if (operation == HY_OP_PRELU)
        p.a = p.b = -97;
    expect_product(&p, 74);
}

TEST(scale_products, scales_of_mul_uint8_multiply_in_float32)
{
    expect_product_in_float32(HY_OP_MUL, UINT8);
}

TEST(scale_products, scales_of_mul_int8_multiply_in_float32)
{
    expect_product_in_float32(HY_OP_MUL, INT8);
}

TEST(scale_products, scales_of_prelu_uint8_multiply_in_float32)
{
    expect_product_in_float32(HY_OP_PRELU, UINT8);
}

TEST(scale_products, scales_of_prelu_int8_multiply_in_float32)
{
    expect_product_in_float32(HY_OP_PRELU, INT8);
}

TEST(scale_products, scales_of_batch_matmul_int8_multiply_in_float32)
{
    expect_product_in_float32(HY_OP_BATCH_MATMUL, INT8);
}

/* -6 quarters. */
static void expect_half(int32_t operation, int32_t type, int32_t want)
{
    expect_product(&(struct product){operation, type, 1, 1, 4, -6, 1}, want);
}

TEST(scale_products, halves_of_mul_and_prelu_go_away_from_zero)
{
    expect_half(HY_OP_MUL, UINT8, -2);
    expect_half(HY_OP_MUL, INT8, -2);
    expect_half(HY_OP_PRELU, UINT8, -2);
    expect_half(HY_OP_PRELU, INT8, -2);
}

TEST(scale_products, halves_of_batch_matmul_go_up)
{
    expect_half(HY_OP_BATCH_MATMUL, INT8, -1);
}

/* 3 * 2 with an output step of half the product of the scales. */
TEST(scale_products, mul_may_have_finer_outputs_than_the_product)
{
    expect_product(&(struct product){HY_OP_MUL, UINT8, 0.5f, 0.5f, 0.125f, 3, 2}, 12);
    expect_product(&(struct product){HY_OP_MUL, INT8, 0.5f, 0.5f, 0.125f, -3, 2}, -12);
    expect_product(&(struct product){HY_OP_MUL, INT8, 0.5f, 0.5f, 0.25f, -3, 2}, -6);
}

/* Scales of tensors that were always zero when the network was calibrated. */
TEST(scale_products, mul_saturates_where_the_output_is_all_but_zero)
{
    const float tiny = 2.97e-35f;

    expect_product(&(struct product){HY_OP_MUL, INT8, 0.01f, 0.01f, tiny, 1, 1}, 127);
    expect_product(&(struct product){HY_OP_MUL, INT8, 0.01f, 0.01f, tiny, 1, -1}, -128);
    expect_product(&(struct product){HY_OP_MUL, INT8, 0.01f, 0.01f, tiny, 0, -1}, 0);
    expect_product(&(struct product){HY_OP_MUL, UINT8, 0.01f, 0.01f, tiny, 127, 127}, 127);
    expect_product(&(struct product){HY_OP_MUL, UINT8, 0.01f, 0.01f, tiny, -127, 127}, -128);
}
