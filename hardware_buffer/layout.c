#include "hardware_buffer/layout.h"

#include "common/image/pixel_format.h"
#include "hardware_buffer/failure.h"

/* ---- Description ----------------------------------------------------------------------------- */

int hy_description_check(const AHardwareBuffer_Desc *desc, struct hy_error *err)
{
    if (!hy_pixel_format_find(desc->format))
        return hy_errno_fail(err, -EINVAL, "format 0x%x is not supported", desc->format);
    if (desc->width == 0 || desc->height == 0 || desc->layers == 0)
        return hy_errno_fail(err, -EINVAL, "%u layers of %u x %u pixels are empty", desc->layers,
                             desc->width, desc->height);
    if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB && (desc->height != 1 || desc->layers != 1))
        return hy_errno_fail(err, -EINVAL, "a BLOB has height %u and %u layers, needs 1 and 1",
                             desc->height, desc->layers);
    if (desc->rfu0 != 0 || desc->rfu1 != 0)
        return hy_errno_fail(err, -EINVAL, "a reserved member of the description is not 0");
    return hy_image_check_usage(desc->format, desc->usage, err) == HY_OK ? 0 : -EINVAL;
}

bool hy_description_needs_dma_buf(const AHardwareBuffer_Desc *desc)
{
    return desc->usage & HY_IMAGE_DEVICE_USAGE;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* The smallest stride in pixels with aligned rows: for an odd pixel size a multiple of the
 * alignment, for an even size fewer pixels, as the alignment is a power of two. */
static uint64_t own_stride(const AHardwareBuffer_Desc *desc)
{
    uint64_t step = HY_LAYOUT_ROW_ALIGNMENT;

    if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB)
        return desc->width;
    const uint32_t pixel_bytes = hy_pixel_format_find(desc->format)->pixel_bytes;
    for (uint32_t bytes = pixel_bytes; bytes % 2 == 0 && step > 1; bytes /= 2)
        step /= 2;
    return (desc->width + step - 1) / step * step;
}

int hy_layout_of(const AHardwareBuffer_Desc *desc, uint32_t stride, struct hy_image_layout *ret,
                 struct hy_error *err)
{
    const uint64_t chosen = stride ? stride : own_stride(desc);
    const struct hy_image image = {
        .width = desc->width,
        .height = desc->height,
        .layers = desc->layers,
        .format = desc->format,
        .stride = (uint32_t)chosen,
        .usage = desc->usage,
    };

    if (chosen > UINT32_MAX)
        return hy_errno_fail(err, -EINVAL, "%u layers of %u x %u pixels have too many bytes",
                             desc->layers, desc->width, desc->height);
    return hy_image_layout_of(&image, ret, err) == HY_OK ? 0 : -EINVAL;
}
