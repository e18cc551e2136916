#include "hardware_buffer/layout.h"

#include "common/checked.h"
#include "hardware_buffer/failure.h"
#include "hardware_buffer/format.h"

#include <inttypes.h>

#define CPU_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)
#define DEVICE_USAGE \
    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | \
     AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY | AHARDWAREBUFFER_USAGE_VIDEO_ENCODE | \
     AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER)

/* More than any mapping can have, so that sizes fit all types that the system has for them. */
#define MOST_BYTES (UINT64_C(1) << 46)

/* ---- Description ----------------------------------------------------------------------------- */

static bool is_cpu_value(uint64_t value)
{
    return value == AHARDWAREBUFFER_USAGE_CPU_READ_NEVER ||
           value == AHARDWAREBUFFER_USAGE_CPU_READ_RARELY ||
           value == AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
}

bool hy_usage_is_of_cpu(uint64_t usage)
{
    return is_cpu_value(usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK) &&
           is_cpu_value((usage & ~(uint64_t)AHARDWAREBUFFER_USAGE_CPU_READ_MASK) >> 4);
}

static int check_usage(const AHardwareBuffer_Desc *desc, struct hy_error *err)
{
    const uint64_t usage = desc->usage, unknown = usage & ~(uint64_t)(CPU_USAGE | DEVICE_USAGE);

    if (unknown)
        return hy_errno_fail(err, -EINVAL, "usage 0x%" PRIx64 " is not supported", unknown);
    if (!hy_usage_is_of_cpu(usage & CPU_USAGE))
        return hy_errno_fail(err, -EINVAL, "usage 0x%" PRIx64 " has an unknown use by the CPU",
                             usage);
    if (usage & AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER &&
        desc->format != AHARDWAREBUFFER_FORMAT_BLOB)
        return hy_errno_fail(err, -EINVAL, "a data buffer has format BLOB, not 0x%x", desc->format);
    return 0;
}

int hy_description_check(const AHardwareBuffer_Desc *desc, struct hy_error *err)
{
    if (!hy_format_find(desc->format))
        return hy_errno_fail(err, -EINVAL, "format 0x%x is not supported", desc->format);
    if (desc->width == 0 || desc->height == 0 || desc->layers == 0)
        return hy_errno_fail(err, -EINVAL, "%u layers of %u x %u pixels are empty", desc->layers,
                             desc->width, desc->height);
    if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB && (desc->height != 1 || desc->layers != 1))
        return hy_errno_fail(err, -EINVAL, "a BLOB of height %u with %u layers, not 1 and 1",
                             desc->height, desc->layers);
    if (desc->rfu0 != 0 || desc->rfu1 != 0)
        return hy_errno_fail(err, -EINVAL, "a reserved member of the description is not 0");
    return check_usage(desc, err);
}

bool hy_description_needs_dma_buf(const AHardwareBuffer_Desc *desc)
{
    return desc->usage & DEVICE_USAGE;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* The alignment is a power of two: an odd pixel needs that many of them, an even one fewer. */
static uint64_t own_stride(const AHardwareBuffer_Desc *desc, uint32_t pixel_bytes)
{
    uint64_t step = HY_LAYOUT_ROW_ALIGNMENT;

    if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB)
        return desc->width;
    for (uint32_t bytes = pixel_bytes; bytes % 2 == 0 && step > 1; bytes /= 2)
        step /= 2;
    return (desc->width + step - 1) / step * step;
}

static bool add_plane(struct hy_layout *layout, uint64_t row_bytes, uint32_t pixel_bytes,
                      uint32_t rows)
{
    uint64_t bytes, end;

    if (row_bytes > INT32_MAX || !hy_mul_u64(row_bytes, rows, &bytes) ||
        !hy_add_u64(layout->layer_bytes, bytes, &end))
        return false;
    layout->planes[layout->plane_count++] = (struct hy_layout_plane){
        .offset = layout->layer_bytes,
        .pixel_bytes = pixel_bytes,
        .row_bytes = (uint32_t)row_bytes,
        .rows = rows,
    };
    layout->layer_bytes = end;
    return true;
}

/* A BLOB has one row, as long as it is; those of images have to fit what tells their distance. */
static bool add_first(struct hy_layout *layout, const AHardwareBuffer_Desc *desc,
                      const struct hy_format *format)
{
    if (desc->format != AHARDWAREBUFFER_FORMAT_BLOB)
        return add_plane(layout, (uint64_t)layout->stride * format->pixel_bytes,
                         format->pixel_bytes, desc->height);
    layout->planes[layout->plane_count++] =
        (struct hy_layout_plane){.pixel_bytes = 1, .row_bytes = desc->width, .rows = 1};
    layout->layer_bytes = desc->width;
    return true;
}

int hy_layout_of(const AHardwareBuffer_Desc *desc, uint32_t stride, struct hy_layout *ret,
                 struct hy_error *err)
{
    const struct hy_format *format = hy_format_find(desc->format);
    const uint64_t chosen = stride ? stride : own_stride(desc, format->pixel_bytes);
    struct hy_layout layout = {.stride = (uint32_t)chosen};
    bool fits = chosen <= UINT32_MAX;

    if (chosen < desc->width ||
        (desc->format == AHARDWAREBUFFER_FORMAT_BLOB && chosen != desc->width))
        return hy_errno_fail(err, -EINVAL, "a stride of %u pixels for rows of %u", stride,
                             desc->width);
    fits = fits && add_first(&layout, desc, format);
    for (uint32_t i = 1; fits && i < format->planes; i++)
        fits = add_plane(&layout, (chosen + 1) / 2, 1, desc->height / 2 + desc->height % 2);
    if (!fits || !hy_mul_u64(layout.layer_bytes, desc->layers, &layout.bytes) ||
        layout.bytes > MOST_BYTES)
        return hy_errno_fail(err, -EINVAL, "%u layers of %u x %u pixels have too many bytes",
                             desc->layers, desc->width, desc->height);
    *ret = layout;
    return 0;
}
