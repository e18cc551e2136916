#include "tests/kit/test.h"

#include <math.h>

#include "common/half.h"
#include "libhalyard/preprocess/image.h"

static const int32_t grey_dims[] = {1, 1, 4, 1};
static const uint8_t grey[4] = {0, 127, 128, 255};
static const struct hy_pixels grey_pixels = {grey, 4, 4, 1, 1};

static struct hy_input_spec spec_of(enum hy_element type, float scale, int32_t zero_point)
{
    return (struct hy_input_spec){
        .type = type, .rank = 4, .dims = grey_dims, .scale = scale, .zero_point = zero_point};
}

static void fill(const struct hy_input_spec *spec, void *out)
{
    struct hy_input_note note;
    struct hy_error err = {0};
    if (hy_image_fill(&grey_pixels, spec, out, &note, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
}

TEST(image_types, floats_are_from_0_to_1)
{
    float single[4];
    uint16_t half[4];
    struct hy_input_spec spec = spec_of(HY_ELEMENT_FLOAT32, 0, 0);
    fill(&spec, single);
    spec = spec_of(HY_ELEMENT_FLOAT16, 0, 0);
    fill(&spec, half);
    for (unsigned i = 0; i < 4; i++) {
        EXPECT(single[i] == (float)(grey[i] / 255.0));
        EXPECT_INT(half[i], hy_half_from_float((float)(grey[i] / 255.0)));
    }
}

/* Whatever numbers the model was trained on: 0 to 1, 0 to 255, -1 to 1, or unknown ones. */
TEST(image_types, bytes_have_the_range_of_the_pixels)
{
    static const struct {
        float scale;
        int32_t zero_point;
    } cases[] = {{1.0F / 255, -128}, {1, -128}, {2.0F / 255, 0}, {1, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int8_t out[4];
        uint8_t bytes[4];
        struct hy_input_spec spec = spec_of(HY_ELEMENT_INT8, cases[i].scale, cases[i].zero_point);
        fill(&spec, out);
        spec = spec_of(HY_ELEMENT_UINT8, cases[i].scale, 0);
        fill(&spec, bytes);
        for (unsigned k = 0; k < 4; k++) {
            EXPECT_INT(out[k], grey[k] - 128);
            EXPECT_INT(bytes[k], grey[k]);
        }
    }
}

TEST(image_types, wide_integers_are_quantised_by_what_they_can_reach)
{
    int16_t out[4];
    int32_t wide[4];
    struct hy_input_spec spec = spec_of(HY_ELEMENT_INT16, 1.0F / 32768, 0);
    fill(&spec, out);
    EXPECT_INT(out[1], 16320); /* 127 / 255 * 32768 = 16319.75 */
    EXPECT_INT(out[3], 32767); /* clamped */
    spec = spec_of(HY_ELEMENT_INT16, 1.0F / 64, 0);
    fill(&spec, out);
    EXPECT_INT(out[1], 127 * 64);
    spec = spec_of(HY_ELEMENT_INT16, 0, 0);
    fill(&spec, out);
    EXPECT_INT(out[3], 255);
    spec = spec_of(HY_ELEMENT_INT32, 0, 0);
    fill(&spec, wide);
    EXPECT_INT(wide[2], 128);
}

TEST(image_types, a_mean_and_a_std_come_before_the_quantisation)
{
    float real[4];
    uint8_t bytes[4];
    int8_t signed_bytes[4];
    struct hy_input_spec spec = spec_of(HY_ELEMENT_FLOAT32, 0, 0);
    spec.image = (struct hy_image_options){.mean_count = 1, .means = {127.5F}, .stds = {127.5F}};
    fill(&spec, real);
    EXPECT(real[0] == -1 && real[3] == 1);
    EXPECT(real[1] == (float)(-0.5 / 127.5));

    spec.type = HY_ELEMENT_UINT8;
    spec.scale = 1.0F / 64;
    spec.zero_point = 200;
    fill(&spec, bytes);
    EXPECT_INT(bytes[0], 200 - 64);
    EXPECT_INT(bytes[2], 200); /* 0.5 / 127.5 * 64 = 0.25 */
    EXPECT_INT(bytes[3], 255); /* 264, clamped */

    spec.type = HY_ELEMENT_INT8;
    spec.scale = 0; /* not quantised: rounded */
    spec.image.stds[0] = 1;
    fill(&spec, signed_bytes);
    EXPECT_INT(signed_bytes[0], -128);
    EXPECT_INT(signed_bytes[2], 1); /* 0.5, away from 0 */
}

/* The mean of a model and the quantisation of its input say the same twice. */
TEST(image_types, a_mean_that_the_quantisation_undoes_leaves_the_pixels)
{
    static const struct {
        enum hy_element type;
        float scale;
        int32_t zero_point;
    } cases[] = {
        {HY_ELEMENT_UINT8, 0.0078125F, 128},
        {HY_ELEMENT_UINT8, 0.0078431377F, 127},
        {HY_ELEMENT_UINT8, 0.0078125F, 127},
        {HY_ELEMENT_INT8, 0.0078431377F, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hy_input_spec spec = spec_of(cases[i].type, cases[i].scale, cases[i].zero_point);
        spec.image =
            (struct hy_image_options){.mean_count = 1, .means = {127.5F}, .stds = {127.5F}};
        uint8_t out[4];
        fill(&spec, out);
        for (unsigned k = 0; k < 4; k++)
            EXPECT_INT(out[k], cases[i].type == HY_ELEMENT_INT8 ? grey[k] ^ 0x80 : grey[k]);
    }
}

TEST(image_types, means_are_those_of_the_tensors_channels)
{
    static const int32_t dims[] = {1, 1, 1, 3};
    static const uint8_t pixel[3] = {10, 20, 30};
    const struct hy_pixels pixels = {pixel, 3, 1, 1, 3};
    struct hy_input_spec spec = {.type = HY_ELEMENT_FLOAT32, .rank = 4, .dims = dims};
    spec.image = (struct hy_image_options){
        .channels = HY_IMAGE_CHANNELS_BGR, .mean_count = 3, .means = {1, 2, 3}, .stds = {1, 2, 4}};
    struct hy_input_note note;
    float out[3];
    EXPECT_INT(hy_image_fill(&pixels, &spec, out, &note, NULL), HY_OK);
    EXPECT(out[0] == 29 && out[1] == 9 && out[2] == 1.75F);
}

TEST(image_types, options_that_make_no_sense_are_refused_in_words)
{
    static const struct {
        struct hy_image_options options;
        const char *expected;
    } cases[] = {
        {{.mean_count = 3, .stds = {1, 1, 1}}, "3 means and stds for an input of 1 channel"},
        {{.mean_count = 1}, "std 0 of channel 0"},
        {{.mean_count = 1, .means = {INFINITY}, .stds = {1}}, "mean inf"},
        {{.mean_count = 1, .stds = {NAN}}, "std nan"},
        {{.fit = HY_IMAGE_FIT_COUNT}, "fit 3 does not exist"},
        {{.channels = HY_IMAGE_CHANNELS_COUNT}, "channel order 2 does not exist"},
        {{.layout = HY_IMAGE_LAYOUT_COUNT}, "layout 3 does not exist"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hy_input_spec spec = spec_of(HY_ELEMENT_FLOAT32, 0, 0);
        struct hy_input_note note;
        struct hy_error err = {0};
        float out[4];
        spec.image = cases[i].options;
        EXPECT_INT(hy_image_fill(&grey_pixels, &spec, out, &note, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, cases[i].expected);
    }
}
