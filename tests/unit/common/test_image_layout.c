/* How many bytes images need, and which images there can be. */
#include "common/image/image_layout.h"
#include "common/image/pixel_format.h"
#include "tests/kit/test.h"

#define GREY AHARDWAREBUFFER_FORMAT_R8_UNORM

static struct hy_image image_of(uint32_t format, uint32_t width, uint32_t height, uint32_t layers)
{
    return (struct hy_image){
        .width = width, .height = height, .layers = layers, .format = format, .stride = width};
}

static void expect_bytes(struct hy_image image, uint64_t bytes)
{
    struct hy_image_layout layout = {0};

    EXPECT_INT(hy_image_layout_of(&image, &layout, NULL), HY_OK);
    EXPECT_INT(layout.bytes, bytes);
}

static void expect_refused(struct hy_image image, const char *expected)
{
    struct hy_image_layout layout = {.bytes = 7};
    struct hy_error err = {0};

    EXPECT_INT(hy_image_layout_of(&image, &layout, &err), HY_BAD_DATA);
    EXPECT_INT(layout.bytes, 7);
    EXPECT_CONTAINS(err.text, expected);
}

TEST(image_layout, bytes_are_those_of_all_rows_with_their_ends)
{
    struct hy_image image = image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 5, 4, 3);

    expect_bytes(image, 5 * 4 * 3 * 3);
    image.stride = 7;
    expect_bytes(image, 7 * 4 * 3 * 3);
    expect_bytes(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 5, 3, 2), 2 * (15 + 6 + 6));
    expect_bytes(image_of(AHARDWAREBUFFER_FORMAT_BLOB, UINT32_MAX, 1, 1), UINT32_MAX);
}

TEST(image_layout, every_format_counts_the_bytes_of_its_pixels)
{
    uint32_t known = 0;

    for (uint32_t format = 0; format < 0x100; format++) {
        const struct hy_pixel_format *pixel = hy_pixel_format_find(format);
        if (!pixel || pixel->planes > 1)
            continue;
        expect_bytes(image_of(format, 9, 1, 1), 9 * (uint64_t)pixel->pixel_bytes);
        known++;
    }
    EXPECT_INT(known, 14);
}

TEST(image_layout, images_that_cannot_be_are_refused)
{
    struct hy_image image = image_of(GREY, 8, 8, 1);

    expect_refused(image_of(0, 8, 8, 1), "format 0x0");
    expect_refused(image_of(UINT32_MAX, 8, 8, 1), "format 0xffffffff");
    expect_refused(image_of(GREY, 0, 8, 1), "0 x 8 pixels are empty");
    expect_refused(image_of(GREY, 8, 0, 1), "8 x 0 pixels are empty");
    expect_refused(image_of(GREY, 8, 8, 0), "0 layers");
    expect_refused(image_of(AHARDWAREBUFFER_FORMAT_BLOB, 8, 2, 1), "a BLOB has height 2");
    image.stride = 7;
    expect_refused(image, "the stride is 7 pixels, rows have 8");
}

TEST(image_layout, numbers_that_overflow_are_refused)
{
    struct hy_image image = image_of(GREY, 1, 1, 1);

    image.stride = UINT32_MAX;
    expect_refused(image, "too many bytes");
    image.stride = INT32_MAX;
    expect_bytes(image, INT32_MAX);
    image.height = image.layers = UINT32_MAX;
    expect_refused(image, "too many bytes");
    expect_refused(image_of(GREY, 1U << 30, 1U << 31, 8), "too many bytes"); /* 2^64 */
    expect_refused(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, INT32_MAX, UINT32_MAX, UINT32_MAX),
                   "too many bytes");
    expect_bytes(image_of(GREY, 1U << 30, 1U << 16, 1), UINT64_C(1) << 46);
    expect_refused(image_of(GREY, 1U << 30, 1U << 16, 2), "too many bytes");
}

static void expect_pool(const struct hy_pool *pool, const char *refused)
{
    struct hy_error err = {0};
    uint64_t bytes = 7;

    EXPECT_INT(hy_image_pool_check(pool, &bytes, &err), refused ? HY_BAD_DATA : HY_OK);
    EXPECT_INT(bytes, refused ? 7 : 64);
    EXPECT_CONTAINS(err.text, refused ? refused : "");
}

TEST(image_layout, pool_of_an_image_has_the_size_of_the_image_or_none)
{
    struct hy_image image = image_of(GREY, 8, 8, 1);
    struct hy_pool pool = {.kind = HY_POOL_HARDWARE_BUFFER, .image = &image};

    expect_pool(&pool, NULL);
    pool.size = 64;
    expect_pool(&pool, NULL);
    pool.size = 63;
    expect_pool(&pool, "an image of 64 bytes in a pool of 63 bytes");
    pool.size = 65;
    expect_pool(&pool, "in a pool of 65 bytes");
    pool = (struct hy_pool){.kind = HY_POOL_HARDWARE_BUFFER, .image = &image, .offset = 4096};
    expect_pool(&pool, "an image at offset 4096");
    pool = (struct hy_pool){.kind = HY_POOL_HARDWARE_BUFFER};
    expect_pool(&pool, "has no image description");
}

TEST(image_layout, usage_of_an_image_is_one_of_a_buffer)
{
    struct hy_image image = image_of(GREY, 8, 8, 1);
    const struct hy_pool pool = {.kind = HY_POOL_HARDWARE_BUFFER, .image = &image};

    image.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
    expect_pool(&pool, NULL);
    image.usage = 1;
    expect_pool(&pool, "an unknown CPU usage");
    image.usage = UINT64_C(1) << 63;
    expect_pool(&pool, "usage 0x8000000000000000 is not supported");
    image.usage = AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
    expect_pool(&pool, "a data buffer has format BLOB");
}
