#include "common/image/image_layout.h"

#include "common/checked.h"
#include "common/image/pixel_format.h"

#include <inttypes.h>

#define CPU_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)

/* Above the size of any mapping, so that sizes fit all types of the system. */
#define MOST_BYTES (UINT64_C(1) << 46)

/* ---- Usage ----------------------------------------------------------------------------------- */

static bool is_cpu_value(uint64_t value)
{
    return value == AHARDWAREBUFFER_USAGE_CPU_READ_NEVER ||
           value == AHARDWAREBUFFER_USAGE_CPU_READ_RARELY ||
           value == AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
}

bool hy_image_usage_is_of_cpu(uint64_t usage)
{
    return is_cpu_value(usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK) &&
           is_cpu_value((usage & ~(uint64_t)AHARDWAREBUFFER_USAGE_CPU_READ_MASK) >> 4);
}

enum hy_code hy_image_check_usage(uint32_t format, uint64_t usage, struct hy_error *err)
{
    const uint64_t unknown = usage & ~(uint64_t)(CPU_USAGE | HY_IMAGE_DEVICE_USAGE);

    if (unknown)
        return hy_fail(err, HY_BAD_DATA, "usage 0x%" PRIx64 " is not supported", unknown);
    if (!hy_image_usage_is_of_cpu(usage & CPU_USAGE))
        return hy_fail(err, HY_BAD_DATA, "usage 0x%" PRIx64 " has an unknown CPU usage", usage);
    if (usage & AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER && format != AHARDWAREBUFFER_FORMAT_BLOB)
        return hy_fail(err, HY_BAD_DATA, "a data buffer has format BLOB, not 0x%x", format);
    return HY_OK;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static enum hy_code check_extents(const struct hy_image *image, struct hy_error *err)
{
    const bool is_blob = image->format == AHARDWAREBUFFER_FORMAT_BLOB;

    if (image->width == 0 || image->height == 0 || image->layers == 0)
        return hy_fail(err, HY_BAD_DATA, "%u layers of %u x %u pixels are empty", image->layers,
                       image->width, image->height);
    if (is_blob && (image->height != 1 || image->layers != 1))
        return hy_fail(err, HY_BAD_DATA, "a BLOB has height %u and %u layers, needs 1 and 1",
                       image->height, image->layers);
    if (image->stride < image->width || (is_blob && image->stride != image->width))
        return hy_fail(err, HY_BAD_DATA, "the stride is %u pixels, rows have %u", image->stride,
                       image->width);
    return HY_OK;
}

static bool add_plane(struct hy_image_layout *layout, uint64_t row_bytes, uint32_t pixel_bytes,
                      uint32_t rows)
{
    uint64_t bytes, end;

    if (row_bytes > INT32_MAX || !hy_mul_u64(row_bytes, rows, &bytes) ||
        !hy_add_u64(layout->layer_bytes, bytes, &end))
        return false;
    layout->planes[layout->plane_count++] = (struct hy_image_plane){
        .offset = layout->layer_bytes,
        .pixel_bytes = pixel_bytes,
        .row_bytes = (uint32_t)row_bytes,
        .rows = rows,
    };
    layout->layer_bytes = end;
    return true;
}

/* A BLOB has a single row of any length; rows of images must fit the type of a row distance. */
static bool add_first(struct hy_image_layout *layout, const struct hy_image *image,
                      uint32_t pixel_bytes)
{
    if (image->format != AHARDWAREBUFFER_FORMAT_BLOB)
        return add_plane(layout, (uint64_t)image->stride * pixel_bytes, pixel_bytes, image->height);
    layout->planes[layout->plane_count++] =
        (struct hy_image_plane){.pixel_bytes = 1, .row_bytes = image->width, .rows = 1};
    layout->layer_bytes = image->width;
    return true;
}

enum hy_code hy_image_layout_of(const struct hy_image *image, struct hy_image_layout *ret,
                                struct hy_error *err)
{
    const struct hy_pixel_format *format = hy_pixel_format_find(image->format);
    struct hy_image_layout layout = {.stride = image->stride};

    if (!format)
        return hy_fail(err, HY_BAD_DATA, "format 0x%x is not supported", image->format);
    enum hy_code code = check_extents(image, err);
    if (code != HY_OK)
        return code;
    bool fits = add_first(&layout, image, format->pixel_bytes);
    for (uint32_t i = 1; fits && i < format->planes; i++)
        fits = add_plane(&layout, ((uint64_t)image->stride + 1) / 2, 1,
                         image->height / 2 + image->height % 2);
    if (!fits || !hy_mul_u64(layout.layer_bytes, image->layers, &layout.bytes) ||
        layout.bytes > MOST_BYTES)
        return hy_fail(err, HY_BAD_DATA, "%u layers of %u x %u pixels have too many bytes",
                       image->layers, image->width, image->height);
    *ret = layout;
    return HY_OK;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

enum hy_code hy_image_pool_check(const struct hy_pool *pool, uint64_t *ret, struct hy_error *err)
{
    const struct hy_image *image = pool->image;
    struct hy_image_layout layout;

    if (!image)
        return hy_fail(err, HY_BAD_DATA, "memory of kind %u has no image description", pool->kind);
    if (pool->offset != 0 || image->reserved != 0)
        return hy_fail(err, HY_BAD_DATA,
                       "an image at offset %" PRIu64 ", reserved member %u, needs 0 and 0",
                       pool->offset, image->reserved);
    if (image->format == AHARDWAREBUFFER_FORMAT_BLOB)
        return hy_fail(
            err, HY_BAD_DATA,
            "an image has format BLOB; a BLOB needs memory of kind HARDWARE_BUFFER_BLOB");
    enum hy_code code = hy_image_check_usage(image->format, image->usage, err);
    if (code == HY_OK)
        code = hy_image_layout_of(image, &layout, err);
    if (code != HY_OK)
        return code;
    if (pool->size != 0 && pool->size != layout.bytes)
        return hy_fail(err, HY_BAD_DATA,
                       "an image of %" PRIu64 " bytes in a pool of %" PRIu64 " bytes", layout.bytes,
                       pool->size);
    *ret = layout.bytes;
    return HY_OK;
}
