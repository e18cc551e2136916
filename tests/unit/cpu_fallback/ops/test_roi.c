#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* ROI_ALIGN and ROI_POOLING against their formulas in double; and regions that are not there. */

enum { ROUNDS = 60, REGIONS = 3, IMAGES = 2, MOST = 4096 };

struct roi {
    int32_t operation;
    bool nchw, is_quantised;
    uint32_t height, width, channels, out_h, out_w;
    int32_t samples_h, samples_w;
    float ratio_h, ratio_w;
    float values[MOST], boxes[REGIONS][4], results[MOST];
    uint8_t bytes[MOST], byte_results[MOST];
    int32_t images[REGIONS];
};

static uint32_t between(uint32_t *seed, uint32_t low, uint32_t high)
{
    return low + hy_sample_random(seed) % (high - low + 1);
}

static void set_boxes(struct roi *r, uint32_t *seed)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        r->images[i] = (int32_t)between(seed, 0, IMAGES - 1);
        for (uint32_t k = 0; k < 2; k++) {
            float size = k ? (float)r->height * r->ratio_h : (float)r->width * r->ratio_w;
            float a = size * (float)between(seed, 0, 64) / 64;
            float b = size * (float)between(seed, 0, 64) / 64;
            r->boxes[i][k] = fminf(a, b);
            r->boxes[i][k + 2] = fmaxf(a, b);
        }
    }
}

static struct roi make(int32_t operation, uint32_t *seed)
{
    struct roi r = {
        .operation = operation,
        .nchw = between(seed, 0, 1),
        .is_quantised = operation == HY_OP_ROI_POOLING && between(seed, 0, 1),
        .height = between(seed, 1, 9),
        .width = between(seed, 1, 9),
        .channels = between(seed, 1, 3),
        .out_h = between(seed, 1, 4),
        .out_w = between(seed, 1, 4),
        .samples_h = (int32_t)between(seed, 0, 3),
        .samples_w = (int32_t)between(seed, 0, 3),
        .ratio_h = (float)(1u << between(seed, 0, 3)),
        .ratio_w = (float)(1u << between(seed, 0, 3)),
    };

    hy_sample_numbers(*seed, MOST, r.values);
    for (uint32_t i = 0; i < MOST; i++)
        r.bytes[i] = (uint8_t)hy_sample_random(seed);
    set_boxes(&r, seed);
    return r;
}

static struct hy_builder_type image_type(const struct roi *r, uint32_t n, uint32_t h, uint32_t w)
{
    int32_t type =
        r->is_quantised ? ANEURALNETWORKS_TENSOR_QUANT8_ASYMM : ANEURALNETWORKS_TENSOR_FLOAT32;
    const uint32_t nhwc[] = {n, h, w, r->channels}, nchw[] = {n, r->channels, h, w};

    return hy_op_case_type(type, 4, r->nchw ? nchw : nhwc);
}

static struct hy_builder_type boxes_type(const struct roi *r)
{
    struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {REGIONS, 4}};

    if (r->is_quantised) {
        type.type = ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
        type.scale = 0.125f;
    }
    return type;
}

static int32_t run(struct roi *r, char message[512])
{
    struct hy_builder_type in = image_type(r, IMAGES, r->height, r->width);
    struct hy_builder_type out = image_type(r, REGIONS, r->out_h, r->out_w);
    struct hy_builder_type boxes = boxes_type(r);
    uint16_t steps[REGIONS][4] = {0};
    struct hy_op_case test;

    for (uint32_t i = 0; r->is_quantised && i < REGIONS * 4; i++)
        steps[i / 4][i % 4] = (uint16_t)(8 * r->boxes[i / 4][i % 4]);
    hy_op_case_init(&test, r->operation);
    hy_op_case_tensor(&test, &in, r->is_quantised ? (void *)r->bytes : r->values, false);
    hy_op_case_tensor(&test, &boxes, r->is_quantised ? (void *)steps : r->boxes, false);
    hy_op_case_ints(&test, 1, (const uint32_t[]){REGIONS}, r->images, false);
    hy_op_case_int(&test, (int32_t)r->out_h);
    hy_op_case_int(&test, (int32_t)r->out_w);
    hy_op_case_float(&test, r->ratio_h);
    hy_op_case_float(&test, r->ratio_w);
    if (r->operation == HY_OP_ROI_ALIGN) {
        hy_op_case_int(&test, r->samples_h);
        hy_op_case_int(&test, r->samples_w);
    }
    hy_op_case_bool(&test, r->nchw);
    hy_op_case_output(&test, &out, r->is_quantised ? (void *)r->byte_results : r->results, MOST);
    int32_t status = hy_op_case_run(&test, hy_sample_random(&(uint32_t){r->height}) % 2);
    memcpy(message, test.message, sizeof test.message);
    hy_op_case_finish(&test);
    return status;
}

static size_t position(const struct roi *r, uint32_t h, uint32_t w, uint32_t n, uint32_t y,
                       uint32_t x, uint32_t c)
{
    return r->nchw ? ((n * r->channels + c) * h + y) * (size_t)w + x
                   : ((n * h + y) * (size_t)w + x) * r->channels + c;
}

static double value(const struct roi *r, uint32_t region, uint32_t y, uint32_t x, uint32_t c)
{
    size_t at = position(r, r->height, r->width, (uint32_t)r->images[region], y, x, c);

    return r->is_quantised ? r->bytes[at] : (double)r->values[at];
}

/* Between the pixels of a row or column: where the point at `at` lies. */
static uint32_t low_of(double at, uint32_t size, double *part)
{
    double low = floor(at);

    *part = low >= size - 1 ? 0 : at - low;
    return low >= size - 1 ? size - 1 : (uint32_t)low;
}

static double point(const struct roi *r, uint32_t region, double y, double x, uint32_t c)
{
    double fy, fx;
    uint32_t y0 = low_of(y, r->height, &fy), x0 = low_of(x, r->width, &fx);
    uint32_t y1 = fy > 0 ? y0 + 1 : y0, x1 = fx > 0 ? x0 + 1 : x0;

    return (1 - fy) * ((1 - fx) * value(r, region, y0, x0, c) + fx * value(r, region, y0, x1, c)) +
           fy * ((1 - fx) * value(r, region, y1, x0, c) + fx * value(r, region, y1, x1, c));
}

static double aligned(const struct roi *r, uint32_t region, uint32_t i, uint32_t j, uint32_t c)
{
    const float *box = r->boxes[region];
    double x1 = (double)(box[0] / r->ratio_w), y1 = (double)(box[1] / r->ratio_h);
    double bw = fmax((double)(box[2] / r->ratio_w) - x1, 1) / r->out_w;
    double bh = fmax((double)(box[3] / r->ratio_h) - y1, 1) / r->out_h;
    int32_t nw = r->samples_w ? r->samples_w : (int32_t)ceil(bw);
    int32_t nh = r->samples_h ? r->samples_h : (int32_t)ceil(bh);
    double sum = 0;

    for (int32_t sy = 0; sy < nh; sy++) {
        for (int32_t sx = 0; sx < nw; sx++)
            sum += point(r, region, y1 + i * bh + (sy + 0.5) * bh / nh,
                         x1 + j * bw + (sx + 0.5) * bw / nw, c);
    }
    return sum / (nh * nw);
}

static double pooled(const struct roi *r, uint32_t region, uint32_t i, uint32_t j, uint32_t c)
{
    const float *box = r->boxes[region];
    double x1 = round((double)(box[0] / r->ratio_w)), y1 = round((double)(box[1] / r->ratio_h));
    double rw = fmax(round((double)(box[2] / r->ratio_w)) - x1 + 1, 1);
    double rh = fmax(round((double)(box[3] / r->ratio_h)) - y1 + 1, 1);
    double largest = -INFINITY;

    for (uint32_t y = 0; y < r->height; y++) {
        for (uint32_t x = 0; x < r->width; x++) {
            if (y >= floor(y1 + i * rh / r->out_h) && y < ceil(y1 + (i + 1) * rh / r->out_h) &&
                x >= floor(x1 + j * rw / r->out_w) && x < ceil(x1 + (j + 1) * rw / r->out_w))
                largest = fmax(largest, value(r, region, y, x, c));
        }
    }
    return largest > -INFINITY ? largest : r->is_quantised ? 5 : 0;
}

static void check(const struct roi *r, uint32_t round, uint32_t region, uint32_t y, uint32_t x,
                  uint32_t c)
{
    size_t at = position(r, r->out_h, r->out_w, region, y, x, c);
    double got = r->is_quantised ? r->byte_results[at] : (double)r->results[at];
    double want =
        r->operation == HY_OP_ROI_ALIGN ? aligned(r, region, y, x, c) : pooled(r, region, y, x, c);

    if (!(fabs(got - want) <= 1e-5))
        hy_test_fail(__FILE__, __LINE__, "round %u: region %u, (%u, %u), channel %u is %g, not %g",
                     round, region, y, x, c, got, want);
}

static void check_all(const struct roi *r, uint32_t round)
{
    for (uint32_t region = 0; region < REGIONS; region++)
        for (uint32_t y = 0; y < r->out_h; y++)
            for (uint32_t x = 0; x < r->out_w; x++)
                for (uint32_t c = 0; c < r->channels; c++)
                    check(r, round, region, y, x, c);
}

static void run_rounds(int32_t operation)
{
    char message[512];

    for (uint32_t round = 1; round <= ROUNDS; round++) {
        uint32_t seed = round;
        struct roi r = make(operation, &seed);
        EXPECT_INT(run(&r, message), HY_STATUS_OK);
        EXPECT_STR(message, "");
        check_all(&r, round);
    }
}

TEST(roi, align_is_the_mean_of_points_in_each_cell)
{
    run_rounds(HY_OP_ROI_ALIGN);
}

/* 2^20 points of one pixel. */
TEST(roi, mean_of_a_million_points_is_exact_to_a_few_ulp)
{
    for (uint32_t height = 1; height <= 2; height++) { /* decides the device */
        struct roi r = {.operation = HY_OP_ROI_ALIGN,
                        .height = height,
                        .width = 1,
                        .channels = 1,
                        .out_h = 1,
                        .out_w = 1,
                        .samples_h = 1024,
                        .samples_w = 1024,
                        .ratio_h = 1,
                        .ratio_w = 1,
                        .values = {0.1f, 0.1f, 0.1f, 0.1f}};
        char message[512];
        EXPECT_INT(run(&r, message), HY_STATUS_OK);
        EXPECT_STR(message, "");
        for (uint32_t region = 0; region < REGIONS; region++)
            EXPECT(fabsf(r.results[region] - 0.1f) <= 4 * 0x1p-27f);
    }
}

TEST(roi, pooling_is_the_largest_pixel_in_each_cell)
{
    run_rounds(HY_OP_ROI_POOLING);
}

static void expect_refused(struct roi *r, const char *expected)
{
    char message[512];

    r->is_quantised = false;
    EXPECT_INT(run(r, message), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(message, expected);
}

TEST(roi, regions_that_are_not_there_are_refused)
{
    static const int32_t operations[] = {HY_OP_ROI_ALIGN, HY_OP_ROI_POOLING};

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t seed = 7;
        const struct roi good = make(operations[i], &seed);
        struct roi bad = good;
        bad.images[1] = IMAGES;
        expect_refused(&bad, "region 1 is in image 2 of 2");
        bad.images[1] = INT32_MIN;
        expect_refused(&bad, "region 1 is in image -2147483648 of 2");
        bad = good;
        bad.boxes[2][2] = 1e30f;
        expect_refused(&bad, "region 2 is from");
        bad.boxes[2][2] = NAN;
        expect_refused(&bad, "region 2 is from");
        bad = good;
        bad.boxes[0][1] = -1;
        expect_refused(&bad, "region 0 is from");
        bad = good;
        bad.boxes[0][0] = bad.boxes[0][2] + 1;
        expect_refused(&bad, "region 0 is from");
    }
}
