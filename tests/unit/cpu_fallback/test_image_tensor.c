/* Which images are tensors as they lie. */
#include "cpu_fallback/program/image_tensor.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

#define QUANT8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define RGBA   AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define SHAPE_OF(...) \
    ((struct hy_shape){sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), {__VA_ARGS__}})

static struct hy_image image_of(uint32_t format, uint32_t width, uint32_t height, uint32_t layers)
{
    return (struct hy_image){
        .width = width, .height = height, .layers = layers, .format = format, .stride = width};
}

static struct hy_pool pool_of(const struct hy_image *image, uint64_t bytes)
{
    return (struct hy_pool){
        .kind = HY_POOL_HARDWARE_BUFFER, .fd = -1, .size = bytes, .image = image};
}

static void expect_tensor(struct hy_image image, int32_t type, struct hy_shape shape,
                          uint64_t bytes)
{
    const struct hy_pool pool = pool_of(&image, bytes);
    uint64_t got = 0;

    EXPECT_INT(hy_cpu_image_tensor(&pool, type, &shape, &got, NULL), HY_OK);
    EXPECT_INT(got, bytes);
}

static void expect_none(struct hy_image image, int32_t type, struct hy_shape shape,
                        const char *expected)
{
    const struct hy_pool pool = pool_of(&image, UINT64_MAX);
    struct hy_error err = {0};
    uint64_t bytes = 7;

    EXPECT_INT(hy_cpu_image_tensor(&pool, type, &shape, &bytes, &err), HY_UNMAPPABLE);
    EXPECT_INT(bytes, 7);
    EXPECT_CONTAINS(err.text, expected);
}

TEST(image_tensor, formats_have_their_types_and_channels)
{
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 6, 5, 2), QUANT8, SHAPE_OF(2, 5, 6, 1),
                  60);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_S8_UINT, 6, 5, 2), QUANT8, SHAPE_OF(2, 5, 6, 1),
                  60);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 6, 5, 2), QUANT8,
                  SHAPE_OF(2, 5, 6, 3), 180);
    expect_tensor(image_of(RGBA, 6, 5, 2), QUANT8, SHAPE_OF(2, 5, 6, 4), 240);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 6, 5, 2), QUANT8,
                  SHAPE_OF(2, 5, 6, 4), 240);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R16_UINT, 6, 5, 2),
                  ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, SHAPE_OF(2, 5, 6, 1), 120);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R16G16_UINT, 6, 5, 2),
                  ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, SHAPE_OF(2, 5, 6, 2), 240);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 6, 5, 2),
                  ANEURALNETWORKS_TENSOR_FLOAT16, SHAPE_OF(2, 5, 6, 4), 480);
    expect_tensor(image_of(AHARDWAREBUFFER_FORMAT_D32_FLOAT, 6, 5, 2),
                  ANEURALNETWORKS_TENSOR_FLOAT32, SHAPE_OF(2, 5, 6, 1), 240);
}

TEST(image_tensor, other_formats_and_types_are_none)
{
    expect_none(image_of(RGBA, 6, 5, 1), ANEURALNETWORKS_TENSOR_FLOAT32, SHAPE_OF(1, 5, 6, 4),
                "TENSOR_FLOAT32");
    expect_none(image_of(RGBA, 6, 5, 1), ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
                SHAPE_OF(1, 5, 6, 4), "an image");
    expect_none(image_of(AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 6, 5, 1), QUANT8,
                SHAPE_OF(1, 5, 6, 2), "0x4");
    expect_none(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 6, 4, 1), QUANT8,
                SHAPE_OF(1, 6, 6, 1), "0x23");
    expect_none(image_of(0, 6, 5, 1), QUANT8, SHAPE_OF(1, 5, 6, 1), "0x0");
}

TEST(image_tensor, layers_and_channels_that_are_one_may_be_left_out)
{
    const struct hy_image grey = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 6, 5, 1);

    expect_tensor(grey, QUANT8, SHAPE_OF(1, 5, 6, 1), 30);
    expect_tensor(grey, QUANT8, SHAPE_OF(5, 6, 1), 30);
    expect_tensor(grey, QUANT8, SHAPE_OF(1, 5, 6), 30);
    expect_tensor(grey, QUANT8, SHAPE_OF(5, 6), 30);
    expect_tensor(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(5, 6, 4), 120);
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(5, 6), "does not match shape");
    expect_none(image_of(RGBA, 6, 5, 2), QUANT8, SHAPE_OF(5, 6, 4), "does not match shape");
}

TEST(image_tensor, other_shapes_are_none)
{
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(1, 6, 5, 4), "[1, 5, 6, 4]");
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(120), "does not match shape");
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(1, 1, 5, 6, 4), "does not match shape");
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(1, 5, 6, 3), "does not match shape");
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, SHAPE_OF(1, 5, 6, 0), "does not match shape");
    expect_none(image_of(RGBA, 6, 5, 1), QUANT8, (struct hy_shape){0}, "does not match shape");
}

TEST(image_tensor, gaps_between_rows_are_none)
{
    struct hy_image image = image_of(RGBA, 6, 5, 1);

    image.stride = 16;
    expect_none(image, QUANT8, SHAPE_OF(1, 5, 6, 4), "6 pixels and a stride of 16");
    image.height = 1; /* nothing follows the one row */
    expect_tensor(image, QUANT8, SHAPE_OF(1, 1, 6, 4), 24);
    image.layers = 2;
    expect_none(image, QUANT8, SHAPE_OF(2, 1, 6, 4), "a stride of");
}

TEST(image_tensor, pool_without_a_description_is_none)
{
    const struct hy_pool pool = pool_of(NULL, 1);
    const struct hy_shape shape = SHAPE_OF(1);
    uint64_t bytes;

    EXPECT_INT(hy_cpu_image_tensor(&pool, QUANT8, &shape, &bytes, NULL), HY_UNMAPPABLE);
}

TEST(image_tensor, tensor_larger_than_its_pool_is_refused_with_the_numbers)
{
    const struct hy_image image = image_of(RGBA, 6, 5, 2);
    const struct hy_shape shape = SHAPE_OF(2, 5, 6, 4);

    for (uint64_t size = 0; size < 240; size += 239) {
        const struct hy_pool pool = pool_of(&image, size);
        struct hy_error err = {0};
        uint64_t bytes = 7;
        EXPECT_INT(hy_cpu_image_tensor(&pool, QUANT8, &shape, &bytes, &err), HY_BAD_DATA);
        EXPECT_INT(bytes, 7);
        EXPECT_CONTAINS(err.text, size ? "240 bytes does not fit memory of 239"
                                       : "240 bytes does not fit memory of 0");
    }
}
