/* Complex numbers: RFFT2D, and what takes them apart. */
#include "tests/kit/test.h"

#include <halyard/halyard.h>
#include <math.h>
#include <string.h>

#include "tests/unit/libhalyard/session/input_fixture.h"
#include "tests/unit/tools/kit/tflite_builder.h"

enum { LENGTH = 8, BIN_COUNT = LENGTH / 2 + 1 };

static int32_t tensor(struct hy_builder *builder, int type, uint32_t rank, int32_t last)
{
    struct hy_builder_tensor of = {.name = "t", .type = type, .rank = rank, .dims = {1, 1, 1}};

    of.dims[rank - 1] = last;
    return hy_builder_tensor(builder, &of);
}

static void add(struct hy_builder *builder, int op, int32_t input, int32_t other, int32_t output)
{
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = op,
                                                               .input_count = other >= 0 ? 2 : 1,
                                                               .inputs = {input, other},
                                                               .output_count = 1,
                                                               .outputs = {output}});
}

/* [1, 1, 8] -> its transform [1, 5], its real and imaginary parts, its magnitudes. */
static struct hy_builder *spectrum(void)
{
    static const int32_t lengths[] = {1, LENGTH};
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = tensor(builder, HY_TFLITE_FLOAT32, 3, LENGTH);
    const int32_t size =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "lengths",
                                                               .type = HY_TFLITE_INT32,
                                                               .rank = 1,
                                                               .dims = {2},
                                                               .data = lengths,
                                                               .bytes = sizeof lengths});
    const int32_t transform = tensor(builder, HY_TFLITE_COMPLEX64, 3, BIN_COUNT);
    const int32_t flat = tensor(builder, HY_TFLITE_COMPLEX64, 2, BIN_COUNT);
    static const int ops[] = {HY_TFLITE_OP_REAL, HY_TFLITE_OP_IMAG, HY_TFLITE_OP_COMPLEX_ABS};

    add(builder, HY_TFLITE_OP_RFFT2D, x, size, transform);
    add(builder, HY_TFLITE_OP_SQUEEZE, transform, -1, flat);
    hy_builder_input(builder, x);
    hy_builder_output(builder, flat);
    for (int i = 0; i < 3; i++) {
        const int32_t part = tensor(builder, HY_TFLITE_FLOAT32, 2, BIN_COUNT);
        add(builder, ops[i], flat, -1, part);
        hy_builder_output(builder, part);
    }
    return builder;
}

static void transform(const float *in, int k, double *real, double *imaginary)
{
    *real = *imaginary = 0;
    for (int i = 0; i < LENGTH; i++) {
        const double angle = -2 * acos(-1.0) * k * i / LENGTH;
        *real += (double)in[i] * cos(angle);
        *imaginary += (double)in[i] * sin(angle);
    }
}

TEST(session_signals, a_transform_is_taken_apart)
{
    static const float in[LENGTH] = {1, -2, 0.5f, 3, 3, 0, -1, 4};
    double pairs[2 * BIN_COUNT], parts[3][BIN_COUNT], real, imaginary;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct input_fixture f;
    size_t length;
    uint8_t *bytes = hy_builder_finish(spectrum(), &length);

    REQUIRE(input_fixture_begin(&f, bytes, length));
    memcpy(input_floats(f.session), in, sizeof in);
    EXPECT_INT(halyard_session_run(f.session), 0);
    EXPECT_INT(halyard_session_get_output(f.session, 0, &info), 0);
    EXPECT(info.rank == 3 && info.extents[1] == BIN_COUNT && info.extents[2] == 2);
    EXPECT_INT(halyard_session_read_output(f.session, 0, pairs, 2 * BIN_COUNT), 0);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_INT(halyard_session_read_output(f.session, i + 1, parts[i], BIN_COUNT), 0);
    for (int k = 0; k < BIN_COUNT; k++) {
        transform(in, k, &real, &imaginary);
        EXPECT(fabs(pairs[2 * k] - real) < 1e-5 && fabs(pairs[2 * k + 1] - imaginary) < 1e-5);
        EXPECT(parts[0][k] == pairs[2 * k] && parts[1][k] == pairs[2 * k + 1]);
        EXPECT(fabs(parts[2][k] - hypot(real, imaginary)) < 1e-5);
    }
    input_fixture_end(&f);
}
