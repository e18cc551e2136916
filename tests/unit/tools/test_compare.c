#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <math.h>

#include "tools/vectors/compare.h"

static bool is_same(int32_t type, bool half_exact, const void *actual, const void *expected,
                    size_t length)
{
    const struct hy_vector_value value = {.count = 1, .length = length, .bytes = expected};
    return hy_compare_values(type, half_exact, &value, actual, NULL) == HY_OK;
}

static bool floats_are_same(float actual, float expected, bool half_exact)
{
    return is_same(ANEURALNETWORKS_TENSOR_FLOAT32, half_exact, &actual, &expected, sizeof actual);
}

TEST(compare, float32_has_a_small_tolerance_and_a_wide_one_with_float16)
{
    EXPECT(floats_are_same(0.000009f, 0, false));
    EXPECT(!floats_are_same(0.000011f, 0, false));
    EXPECT(floats_are_same(100.00005f, 100, false));
    EXPECT(!floats_are_same(100.0001f, 100, false));
    EXPECT(floats_are_same(100.4f, 100, true));
    EXPECT(!floats_are_same(100.6f, 100, true));
}

TEST(compare, a_nan_is_wrong_on_either_side_and_infinity_equals_itself)
{
    EXPECT(!floats_are_same(NAN, NAN, true));
    EXPECT(!floats_are_same(NAN, 1, true));
    EXPECT(!floats_are_same(1, NAN, true));
    EXPECT(floats_are_same(INFINITY, INFINITY, false));
    EXPECT(!floats_are_same(-INFINITY, INFINITY, true));
    EXPECT(!floats_are_same(1, INFINITY, false));
}

TEST(compare, float16_has_its_own_tolerance)
{
    const uint16_t one = 0x3c00, close = 0x3c09, far = 0x3c0b; /* steps of 2^-10 */
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_FLOAT16, false, &close, &one, 2));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_FLOAT16, false, &far, &one, 2));
}

TEST(compare, integers_may_be_one_step_off)
{
    const uint8_t bytes[] = {127, 128, 255};
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, false, &bytes[0], &bytes[1], 1));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, false, &bytes[0], &bytes[1], 1));
    const uint8_t zero = 0;
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_QUANT8_SYMM, false, &bytes[2], &zero, 1));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, false, &bytes[2], &zero, 1));
    const int32_t values[] = {-1, 0, 1};
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_INT32, false, &values[0], &values[1], 4));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_INT32, false, &values[0], &values[2], 4));
    const uint16_t halves[] = {0xffff, 0};
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_QUANT16_SYMM, false, &halves[0], &halves[1], 2));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, false, &halves[0], &halves[1], 2));
}

TEST(compare, any_byte_but_zero_is_true)
{
    const uint8_t bytes[] = {0, 1, 255};
    EXPECT(is_same(ANEURALNETWORKS_TENSOR_BOOL8, false, &bytes[2], &bytes[1], 1));
    EXPECT(!is_same(ANEURALNETWORKS_TENSOR_BOOL8, false, &bytes[0], &bytes[1], 1));
}

TEST(compare, the_first_wrong_element_is_named_with_both_values)
{
    const float expected[] = {1, 2, 3, 4}, actual[] = {1, 2.5f, 3, 5};
    const struct hy_vector_value value = {.count = 4, .length = sizeof expected, .bytes = expected};
    struct hy_error err;
    EXPECT_INT(hy_compare_values(ANEURALNETWORKS_TENSOR_FLOAT32, false, &value, actual, &err),
               HY_FAILED);
    EXPECT_STR(err.text, "element 1 is 2.5, expected 2; 2 of 4 are wrong");
}

TEST(compare, samples_are_judged_by_how_often_each_class_comes_up)
{
    const float logits[] = {0, 0};
    const struct hy_vector_value value = {.count = 2, .length = sizeof logits, .bytes = logits};
    const int32_t fair[] = {0, 1, 1, 0}, unfair[] = {0, 0, 0, 0}, foreign[] = {0, 1, 0, 7};
    const int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    EXPECT_INT(hy_compare_multinomial(type, &value, 0.1, 4, fair, NULL), HY_OK);
    EXPECT_INT(hy_compare_multinomial(type, &value, 0.1, 4, unfair, NULL), HY_FAILED);
    EXPECT_INT(hy_compare_multinomial(type, &value, 0.3, 4, foreign, NULL), HY_FAILED);
}
