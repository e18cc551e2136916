/* Which descriptions there can be, and where pixels lie. */
#include "common/image/pixel_format.h"
#include "hardware_buffer/layout.h"
#include "tests/kit/test.h"
#include "tests/unit/hardware_buffer/samples.h"

#include <errno.h>

static struct hy_image_layout layout_of(AHardwareBuffer_Desc desc, uint32_t stride)
{
    struct hy_image_layout layout = {0};
    EXPECT_INT(hy_layout_of(&desc, stride, &layout, NULL), 0);
    return layout;
}

TEST(hardware_buffer_layout, rows_begin_at_multiples_of_64_bytes)
{
    static const uint32_t formats[] = {
        AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,     AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
        AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM,       AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
        AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
        AHARDWAREBUFFER_FORMAT_D16_UNORM,          AHARDWAREBUFFER_FORMAT_D24_UNORM,
        AHARDWAREBUFFER_FORMAT_D32_FLOAT,          AHARDWAREBUFFER_FORMAT_S8_UINT,
        AHARDWAREBUFFER_FORMAT_R8_UNORM,           AHARDWAREBUFFER_FORMAT_R16_UINT,
        AHARDWAREBUFFER_FORMAT_R16G16_UINT,
    };

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct hy_pixel_format *format = hy_pixel_format_find(formats[i]);
        REQUIRE(format != NULL);
        for (uint32_t width = 1; width <= 130; width++) {
            const struct hy_image_layout layout = layout_of(image_of(formats[i], width, 7), 0);
            const struct hy_image_plane *plane = &layout.planes[0];
            EXPECT_INT(layout.plane_count, 1);
            EXPECT_INT(plane->pixel_bytes, format->pixel_bytes);
            EXPECT_INT(plane->row_bytes, layout.stride * format->pixel_bytes);
            EXPECT_INT(plane->row_bytes % 64, 0);
            EXPECT(layout.stride >= width && layout.stride < width + 64);
            EXPECT_INT(layout.bytes, 7 * plane->row_bytes);
        }
    }
}

TEST(hardware_buffer_layout, stride_of_known_images)
{
    EXPECT_INT(layout_of(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 224, 224), 0).stride, 224);
    EXPECT_INT(layout_of(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 225, 1), 0).stride, 240);
    EXPECT_INT(layout_of(image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 224, 224), 0).stride, 256);
    EXPECT_INT(layout_of(image_of(AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 1, 1), 0).stride, 8);
}

TEST(hardware_buffer_layout, blob_has_its_bytes_and_no_more)
{
    const uint32_t sizes[] = {1, 63, 65, 4097, INT32_MAX, UINT32_MAX};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct hy_image_layout layout = layout_of(blob_of(sizes[i]), 0);
        EXPECT_INT(layout.stride, sizes[i]);
        EXPECT_INT(layout.bytes, sizes[i]);
    }
}

TEST(hardware_buffer_layout, layers_lie_one_behind_the_other)
{
    AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 10, 3);

    desc.layers = 5;
    EXPECT_INT(layout_of(desc, 0).layer_bytes, 3 * 64);
    EXPECT_INT(layout_of(desc, 0).bytes, 5 * 3 * 64);
}

TEST(hardware_buffer_layout, planes_of_y_cb_cr_have_half_the_pixels_each_way)
{
    const struct hy_image_layout layout =
        layout_of(image_of(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 101, 51), 0);

    EXPECT_INT(layout.plane_count, 3);
    EXPECT_INT(layout.stride, 128);
    EXPECT_INT(layout.planes[1].offset, 128 * 51);
    EXPECT_INT(layout.planes[1].row_bytes, 64);
    EXPECT_INT(layout.planes[1].rows, 26);
    EXPECT_INT(layout.planes[2].offset, 128 * 51 + 64 * 26);
    EXPECT_INT(layout.bytes, 128 * 51 + 2 * 64 * 26);
}

TEST(hardware_buffer_layout, stride_that_is_given_counts)
{
    const AHardwareBuffer_Desc desc = image_of(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 100, 10);
    struct hy_image_layout layout;

    EXPECT_INT(layout_of(desc, 100).bytes, 3000);
    EXPECT_INT(layout_of(desc, 333).bytes, 9990);
    EXPECT_INT(hy_layout_of(&desc, 99, &layout, NULL), -EINVAL);
}

TEST(hardware_buffer_layout, sizes_that_cannot_be_counted_are_refused)
{
    AHardwareBuffer_Desc desc =
        image_of(AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, UINT32_MAX, UINT32_MAX);
    struct hy_image_layout layout;

    EXPECT_INT(hy_layout_of(&desc, 0, &layout, NULL), -EINVAL);
    desc.width = 1u << 20;
    EXPECT_INT(hy_layout_of(&desc, 0, &layout, NULL), -EINVAL); /* 2^55 bytes */
    desc.height = 1u << 20;
    EXPECT_INT(hy_layout_of(&desc, 0, &layout, NULL), 0);
    EXPECT_INT(hy_layout_of(&desc, UINT32_MAX, &layout, NULL), -EINVAL); /* rows too far apart */
    desc.layers = UINT32_MAX;
    EXPECT_INT(hy_layout_of(&desc, 0, &layout, NULL), -EINVAL);
}

static void expect_refused(AHardwareBuffer_Desc desc, const char *expected)
{
    struct hy_error err = {0};

    EXPECT_INT(hy_description_check(&desc, &err), -EINVAL);
    EXPECT_INT(err.code, HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, expected);
}

TEST(hardware_buffer_layout, description_without_pixels_is_refused)
{
    const AHardwareBuffer_Desc good = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 4, 4);
    AHardwareBuffer_Desc desc = good;

    EXPECT_INT(hy_description_check(&good, NULL), 0);
    desc.width = 0;
    expect_refused(desc, "0 x 4");
    desc = good, desc.height = 0;
    expect_refused(desc, "4 x 0");
    desc = good, desc.layers = 0;
    expect_refused(desc, "0 layers");
}

TEST(hardware_buffer_layout, format_that_is_not_known_is_refused)
{
    static const uint32_t formats[] = {0,
                                       5,
                                       AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT,
                                       AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT,
                                       AHARDWAREBUFFER_FORMAT_YCbCr_P010,
                                       UINT32_MAX};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        expect_refused(image_of(formats[i], 4, 4), "format");
}

TEST(hardware_buffer_layout, blob_has_one_row_and_one_layer)
{
    AHardwareBuffer_Desc desc = blob_of(8);

    desc.height = 2;
    expect_refused(desc, "height 2");
    desc = blob_of(8);
    desc.layers = 2;
    expect_refused(desc, "2 layers");
}

TEST(hardware_buffer_layout, reserved_members_are_zero)
{
    AHardwareBuffer_Desc desc = blob_of(8);

    desc.rfu0 = 1;
    expect_refused(desc, "reserved");
    desc = blob_of(8);
    desc.rfu1 = UINT64_MAX;
    expect_refused(desc, "reserved");
}

TEST(hardware_buffer_layout, usage_that_nothing_serves_is_refused)
{
    static const uint64_t usages[] = {1,
                                      4,
                                      0xf,
                                      1u << 4,
                                      0xf0,
                                      1u << 12,
                                      AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT,
                                      AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP,
                                      AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE,
                                      AHARDWAREBUFFER_USAGE_FRONT_BUFFER,
                                      AHARDWAREBUFFER_USAGE_VENDOR_0,
                                      AHARDWAREBUFFER_USAGE_VENDOR_19};
    AHardwareBuffer_Desc desc = blob_of(8);

    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++) {
        desc.usage = usages[i];
        expect_refused(desc, "usage");
    }
    desc = image_of(AHARDWAREBUFFER_FORMAT_R8_UNORM, 4, 4);
    desc.usage |= AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
    expect_refused(desc, "BLOB");
}

TEST(hardware_buffer_layout, devices_need_a_dma_buf_and_the_processor_does_not)
{
    static const uint64_t devices[] = {
        AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,  AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
        AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY,   AHARDWAREBUFFER_USAGE_VIDEO_ENCODE,
        AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER};
    AHardwareBuffer_Desc desc = blob_of(8);

    EXPECT(!hy_description_needs_dma_buf(&desc));
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        desc.usage = CPU_OFTEN | devices[i];
        EXPECT_INT(hy_description_check(&desc, NULL), 0);
        EXPECT(hy_description_needs_dma_buf(&desc));
    }
}
