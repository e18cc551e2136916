#include "tests/kit/test.h"

#include <math.h>
#include <stdlib.h>

#include "libhalyard/preprocess/resize.h"

/* The triangle filter of resize.h in float64, directly: every pixel of the input for every pixel of
 * the result. */
static double weight(uint32_t from, uint32_t to, uint32_t out, uint32_t in)
{
    const double step = (double)from / to, radius = step > 1 ? step : 1;
    const double distance = fabs(in + 0.5 - (out + 0.5) * step) / radius;
    return distance < 1 ? 1 - distance : 0;
}

static double reference(const struct hy_pixels *from, uint32_t width, uint32_t height, uint32_t x,
                        uint32_t y, uint32_t channel)
{
    double sum = 0, total = 0;
    for (uint32_t v = 0; v < from->height; v++)
        for (uint32_t u = 0; u < from->width; u++) {
            const double w = weight(from->width, width, x, u) * weight(from->height, height, y, v);
            sum += w * from->bytes[v * from->stride + (size_t)u * from->channels + channel];
            total += w;
        }
    return sum / total;
}

static void expect_like_reference(const struct hy_pixels *from, uint32_t width, uint32_t height)
{
    const size_t stride = (size_t)width * from->channels + 5;
    uint8_t *out = calloc(stride, height);
    REQUIRE(out && hy_resize(from, out, stride, width, height, NULL) == HY_OK);
    double worst = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < from->channels; c++)
                worst = fmax(worst, fabs(out[y * stride + (size_t)x * from->channels + c] -
                                         reference(from, width, height, x, y, c)));
    if (worst > 0.5 + 1e-3)
        hy_test_fail(__FILE__, __LINE__, "%u x %u to %u x %u: off by %g", from->width, from->height,
                     width, height, worst);
    else
        hy_test_pass(__FILE__, __LINE__);
    free(out);
}

TEST(resize, results_are_those_of_float64_rounded)
{
    static const uint32_t sizes[][4] = {{7, 5, 3, 2},   {3, 2, 7, 5},    {31, 1, 4, 1},
                                        {1, 31, 1, 4},  {20, 6, 5, 30},  {1, 1, 9, 9},
                                        {40, 30, 1, 1}, {12, 12, 11, 13}};
    uint8_t bytes[40 * 30 * 4 + 200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i * 31 + i * 7);
    for (uint32_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const struct hy_pixels from = {bytes, (size_t)sizes[i][0] * channels + 3, sizes[i][0],
                                           sizes[i][1], channels};
            expect_like_reference(&from, sizes[i][2], sizes[i][3]);
        }
}

TEST(resize, the_same_size_is_a_copy)
{
    static const uint8_t bytes[] = {1, 2, 99, 3, 4, 99};
    const struct hy_pixels from = {bytes, 3, 2, 2, 1};
    uint8_t out[4] = {0};
    EXPECT_INT(hy_resize(&from, out, 2, 2, 2, NULL), HY_OK);
    EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4);
}

TEST(resize, it_averages_when_smaller_and_interpolates_when_larger)
{
    static const uint8_t ramp[4] = {0, 100, 100, 200};
    const struct hy_pixels from = {ramp, 4, 4, 1, 1};
    uint8_t out[8];
    EXPECT_INT(hy_resize(&from, out, 1, 1, 1, NULL), HY_OK);
    EXPECT_INT(out[0], 100);
    EXPECT_INT(hy_resize(&from, out, 2, 2, 1, NULL), HY_OK);
    EXPECT_INT(out[0] + out[1], 200); /* symmetric */
    EXPECT(out[0] > 50 && out[0] < 100);
    EXPECT_INT(hy_resize(&from, out, 8, 8, 1, NULL), HY_OK);
    EXPECT_INT(out[0], 0);
    EXPECT_INT(out[1], 25);
    EXPECT_INT(out[2], 75);
    EXPECT_INT(out[7], 200);
}

/* Dots one pixel apart would vanish or blink without the wide filter. */
TEST(resize, fine_patterns_become_their_mean)
{
    uint8_t dots[64 * 64];
    for (size_t i = 0; i < sizeof dots; i++)
        dots[i] = (i + i / 64) % 2 ? 255 : 0;
    const struct hy_pixels from = {dots, 64, 64, 64, 1};
    uint8_t out[7 * 7];
    EXPECT_INT(hy_resize(&from, out, 7, 7, 7, NULL), HY_OK);
    for (size_t i = 0; i < sizeof out; i++)
        EXPECT(abs(out[i] - 128) <= 3);
}

TEST(resize, white_stays_white)
{
    uint8_t white[50 * 41], out[13 * 17];
    memset(white, 255, sizeof white);
    const struct hy_pixels from = {white, 50, 50, 41, 1};
    EXPECT_INT(hy_resize(&from, out, 13, 13, 17, NULL), HY_OK);
    for (size_t i = 0; i < sizeof out; i++)
        EXPECT_INT(out[i], 255);
}
