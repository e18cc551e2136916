#include "cpu_fallback/program/image_tensor.h"

#include <android/NeuralNetworks.h>
#include <stddef.h>

#include "common/image/pixel_format.h"
#include "common/operations/operand_type.h"

struct pixel {
    uint32_t format;
    int32_t type; /* of the tensor's elements */
};

static const struct pixel pixels[] = {
    {AHARDWAREBUFFER_FORMAT_R8_UNORM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {AHARDWAREBUFFER_FORMAT_S8_UINT, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R16_UINT, ANEURALNETWORKS_TENSOR_QUANT16_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R16G16_UINT, ANEURALNETWORKS_TENSOR_QUANT16_ASYMM},
    {AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, ANEURALNETWORKS_TENSOR_FLOAT16},
    {AHARDWAREBUFFER_FORMAT_D32_FLOAT, ANEURALNETWORKS_TENSOR_FLOAT32},
};

/* Elements of the type in a pixel of the format; 0: the format is not read as the type. */
static uint32_t channels_of(uint32_t format, int32_t type)
{
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++) {
        if (pixels[i].format == format && pixels[i].type == type)
            return hy_pixel_format_find(format)->pixel_bytes / hy_operand_type_bytes(type);
    }
    return 0;
}

static bool is_shape_of(const struct hy_shape *shape, const struct hy_image *image,
                        uint32_t channels)
{
    const uint32_t dims[4] = {image->layers, image->height, image->width, channels};

    for (uint32_t first = 0; first <= (image->layers == 1); first++) {
        for (uint32_t end = 4; end >= 4 - (channels == 1); end--) {
            struct hy_shape wanted;
            if (hy_shape_set(&wanted, end - first, dims + first) && hy_shape_equal(&wanted, shape))
                return true;
        }
    }
    return false;
}

enum hy_code hy_cpu_image_tensor(const struct hy_pool *pool, int32_t type,
                                 const struct hy_shape *shape, uint64_t *ret, struct hy_error *err)
{
    const struct hy_image *image = pool->image;
    const uint32_t channels = image ? channels_of(image->format, type) : 0;
    char text[HY_SHAPE_TEXT_SIZE];
    uint64_t bytes;

    if (channels == 0)
        return hy_fail(err, HY_UNMAPPABLE, "an image of format 0x%x cannot be read as %s",
                       image ? image->format : 0, hy_operand_type_name(type));
    if (image->stride != image->width && (image->height > 1 || image->layers > 1))
        return hy_fail(
            err, HY_UNMAPPABLE,
            "an image with rows of %u pixels and a stride of %u is not a tensor without a copy",
            image->width, image->stride);
    if (!is_shape_of(shape, image, channels) ||
        !hy_shape_bytes(shape, hy_operand_type_bytes(type), &bytes))
        return hy_fail(err, HY_UNMAPPABLE, "an image [%u, %u, %u, %u] does not match shape %s",
                       image->layers, image->height, image->width, channels,
                       hy_shape_text(shape, text));
    if (bytes > pool->size)
        return hy_fail(err, HY_BAD_DATA, "an image of %llu bytes does not fit memory of %llu",
                       (unsigned long long)bytes, (unsigned long long)pool->size);
    *ret = bytes;
    return HY_OK;
}
