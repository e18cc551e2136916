#include "common/image/pixel_format.h"

#include <android/hardware_buffer.h>
#include <stddef.h>

static const struct hy_pixel_format formats[] = {
    {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM", 4, 1},
    {AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, "R8G8B8X8_UNORM", 4, 1},
    {AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, "R8G8B8_UNORM", 3, 1},
    {AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, "R5G6B5_UNORM", 2, 1},
    {AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, "R16G16B16A16_FLOAT", 8, 1},
    {AHARDWAREBUFFER_FORMAT_BLOB, "BLOB", 1, 1},
    {AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, "Y8Cb8Cr8_420", 1, 3},
    {AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, "R10G10B10A2_UNORM", 4, 1},
    {AHARDWAREBUFFER_FORMAT_D16_UNORM, "D16_UNORM", 2, 1},
    {AHARDWAREBUFFER_FORMAT_D24_UNORM, "D24_UNORM", 4, 1},
    {AHARDWAREBUFFER_FORMAT_D32_FLOAT, "D32_FLOAT", 4, 1},
    {AHARDWAREBUFFER_FORMAT_S8_UINT, "S8_UINT", 1, 1},
    {AHARDWAREBUFFER_FORMAT_R8_UNORM, "R8_UNORM", 1, 1},
    {AHARDWAREBUFFER_FORMAT_R16_UINT, "R16_UINT", 2, 1},
    {AHARDWAREBUFFER_FORMAT_R16G16_UINT, "R16G16_UINT", 4, 1},
};

const struct hy_pixel_format *hy_pixel_format_find(uint32_t format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format == format)
            return &formats[i];
    }
    return NULL;
}
