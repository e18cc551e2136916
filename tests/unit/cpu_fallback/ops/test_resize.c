#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/half.h"
#include "common/image/image.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR against their formulas, pixel by pixel in double. */

#define ROUNDS   120
#define DEVICES  2
#define ELEMENTS 4096

struct resize {
    int32_t operation, type;
    struct hy_image_size in, out;
    bool nchw, align_corners, half_pixel_centers;
    uint32_t data[ELEMENTS], result[ELEMENTS];
};

static uint32_t between(uint32_t *seed, uint32_t low, uint32_t high)
{
    return low + hy_sample_random(seed) % (high - low + 1);
}

static double element(const struct resize *r, const void *data, size_t index)
{
    switch (r->type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return (double)((const float *)data)[index];
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return (double)hy_half_to_float(((const uint16_t *)data)[index]);
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return ((const uint8_t *)data)[index];
    default:
        return ((const int8_t *)data)[index];
    }
}

static void fill(struct resize *r, uint32_t *seed)
{
    for (size_t i = 0; i < ELEMENTS; i++) {
        float value = (float)between(seed, 0, 2000) / 1000 - 1;
        if (r->type == ANEURALNETWORKS_TENSOR_FLOAT32)
            memcpy(&r->data[i], &value, sizeof value);
        else if (r->type == ANEURALNETWORKS_TENSOR_FLOAT16)
            ((uint16_t *)r->data)[i] = hy_half_from_float(value);
        else
            ((uint8_t *)r->data)[i] = (uint8_t)hy_sample_random(seed);
    }
}

static double pixel(const struct resize *r, const struct hy_image_size *size, const void *data,
                    uint32_t n, uint32_t y, uint32_t x, uint32_t c)
{
    size_t index = ((size_t)(n * size->height + y) * size->width + x) * size->channels + c;

    if (r->nchw)
        index = ((size_t)(n * size->channels + c) * size->height + y) * size->width + x;
    return element(r, data, index);
}

static float scale(const struct resize *r, uint32_t in, uint32_t out)
{
    return r->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                       : (float)in / (float)out;
}

static uint32_t nearest(const struct resize *r, uint32_t o, uint32_t in, uint32_t out)
{
    float at = ((float)o + (r->half_pixel_centers ? 0.5f : 0)) * scale(r, in, out);
    uint32_t index = (uint32_t)(r->align_corners ? roundf(at) : floorf(at));

    return index < in ? index : in - 1;
}

static double between_pixels(const struct resize *r, uint32_t o, uint32_t in, uint32_t out)
{
    float at = r->half_pixel_centers ? ((float)o + 0.5f) * scale(r, in, out) - 0.5f
                                     : (float)o * scale(r, in, out);

    return fmin(fmax((double)at, 0), in - 1);
}

static double expected(const struct resize *r, uint32_t n, uint32_t y, uint32_t x, uint32_t c)
{
    const struct hy_image_size *in = &r->in;

    if (r->operation == HY_OP_RESIZE_NEAREST_NEIGHBOR)
        return pixel(r, in, r->data, n, nearest(r, y, in->height, r->out.height),
                     nearest(r, x, in->width, r->out.width), c);
    double v = between_pixels(r, y, in->height, r->out.height), sum = 0;
    double u = between_pixels(r, x, in->width, r->out.width);
    for (int corner = 0; corner < 4; corner++) {
        uint32_t row = (uint32_t)(corner & 1 ? ceil(v) : floor(v));
        uint32_t column = (uint32_t)(corner & 2 ? ceil(u) : floor(u));
        double weight = (corner & 1 ? v - floor(v) : 1 - (v - floor(v))) *
                        (corner & 2 ? u - floor(u) : 1 - (u - floor(u)));
        sum += weight * pixel(r, in, r->data, n, row, column, c);
    }
    return sum;
}

static double tolerance(const struct resize *r)
{
    if (r->operation == HY_OP_RESIZE_NEAREST_NEIGHBOR)
        return 0;
    switch (r->type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return 1e-5;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return 1e-3;
    default:
        return 0.501; /* rounded to nearest */
    }
}

static void check(const struct resize *r, uint32_t device, uint32_t seed)
{
    const struct hy_image_size *out = &r->out;

    for (uint32_t n = 0; n < out->batch; n++) {
        for (uint32_t y = 0; y < out->height; y++) {
            for (uint32_t x = 0; x < out->width; x++) {
                for (uint32_t c = 0; c < out->channels; c++) {
                    double got = pixel(r, out, r->result, n, y, x, c);
                    double want = expected(r, n, y, x, c);
                    if (fabs(got - want) <= tolerance(r))
                        continue;
                    hy_test_fail(__FILE__, __LINE__,
                                 "%s on device %u, seed %u: [%u, %u, %u, %u] is %g, expected %g",
                                 hy_operation_name(r->operation), device, seed, n, y, x, c, got,
                                 want);
                    return;
                }
            }
        }
    }
    hy_test_pass(__FILE__, __LINE__);
}

static void run(struct resize *r, uint32_t device, uint32_t seed)
{
    struct hy_shape shape = hy_image_shape(&r->in, r->nchw);
    struct hy_builder_type type = hy_op_case_type(r->type, shape.rank, shape.dims);
    struct hy_op_case test;

    hy_op_case_init(&test, r->operation);
    hy_op_case_tensor(&test, &type, r->data, false);
    hy_op_case_int(&test, (int32_t)r->out.width);
    hy_op_case_int(&test, (int32_t)r->out.height);
    hy_op_case_bool(&test, r->nchw);
    hy_op_case_bool(&test, r->align_corners);
    hy_op_case_bool(&test, r->half_pixel_centers);
    hy_op_case_output(&test, &type, r->result, sizeof r->result);
    EXPECT_INT(hy_op_case_run(&test, device), HY_STATUS_OK);
    check(r, device, seed);
    hy_op_case_finish(&test);
}

static void run_random(int32_t operation, uint32_t round)
{
    static const int32_t types[] = {ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT16,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED};
    static struct resize r;
    uint32_t seed = round + 1, kind = between(&seed, 0, 2);

    r.operation = operation;
    r.type = types[round % 4];
    r.in = r.out = (struct hy_image_size){between(&seed, 1, 2), between(&seed, 1, 7),
                                          between(&seed, 1, 7), between(&seed, 1, 3)};
    r.out.height = between(&seed, 1, 15);
    r.out.width = between(&seed, 1, 15);
    r.nchw = between(&seed, 0, 1);
    r.align_corners = kind == 1;
    r.half_pixel_centers = kind == 2;
    fill(&r, &seed);
    for (uint32_t device = 0; device < DEVICES; device++)
        run(&r, device, round);
}

TEST(resize, every_pixel_is_where_its_formula_says)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        run_random(HY_OP_RESIZE_BILINEAR, round);
        run_random(HY_OP_RESIZE_NEAREST_NEIGHBOR, round);
    }
}

TEST(resize, refuses_both_ways_to_align_at_once)
{
    static const uint32_t dims[] = {1, 2, 2, 1};
    static const float data[4];
    struct hy_builder_type type = hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 4, dims);
    struct hy_op_case test;
    float out[4];

    hy_op_case_init(&test, HY_OP_RESIZE_BILINEAR);
    hy_op_case_tensor(&test, &type, data, false);
    hy_op_case_int(&test, 2);
    hy_op_case_int(&test, 2);
    for (int i = 0; i < 3; i++)
        hy_op_case_bool(&test, i > 0);
    hy_op_case_output(&test, &type, out, sizeof out);
    EXPECT(hy_op_case_run(&test, 0) != HY_STATUS_OK);
    EXPECT_CONTAINS(test.message, "corners");
    hy_op_case_finish(&test);
}
