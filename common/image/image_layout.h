#ifndef HY_COMMON_IMAGE_IMAGE_LAYOUT_H
#define HY_COMMON_IMAGE_IMAGE_LAYOUT_H

#include "common/error.h"
#include "halyard/driver.h"

#include <android/hardware_buffer.h>
#include <stdbool.h>

/*
 * The byte layout of an image in memory. All readers and mappings of images use the size computed
 * here.
 */
#define HY_IMAGE_PLANES 3u

struct hy_image_plane {
    uint64_t offset; /* offset of the first row in a layer */
    uint32_t pixel_bytes;
    uint32_t row_bytes; /* distance between rows */
    uint32_t rows;
};

/* Layers contain planes, and planes contain rows. */
struct hy_image_layout {
    uint32_t stride; /* distance between rows of the first plane in pixels */
    uint32_t plane_count;
    uint64_t layer_bytes;
    uint64_t bytes; /* of all layers, including row padding */
    struct hy_image_plane planes[HY_IMAGE_PLANES];
};

/* Usages that need memory accessible to devices other than the CPU. */
#define HY_IMAGE_DEVICE_USAGE \
    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | \
     AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY | AHARDWAREBUFFER_USAGE_VIDEO_ENCODE | \
     AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER)

/* True for usages that only let the CPU read and write. */
bool hy_image_usage_is_of_cpu(uint64_t usage);

/* Checks the usage: only known bits, valid for the format. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_image_check_usage(uint32_t format, uint64_t usage,
                                                struct hy_error *err);

/*
 * Computes the layout of an image, including BLOBs. Chroma rows have half the distance of rows in
 * the first plane, rounded up. The members of the image need not be trusted. Errors: BAD_DATA (an
 * unknown format, an extent of 0, a stride below the width, a BLOB with more than one row, a row
 * distance above INT32_MAX bytes, more bytes than a mapping can have).
 */
HY_MUST_CHECK enum hy_code hy_image_layout_of(const struct hy_image *image,
                                              struct hy_image_layout *ret, struct hy_error *err);

/*
 * Checks the members of an image pool: an image without an offset; possible format, extents, stride
 * and usage; a size of 0 or the size of the image. `ret`: needed bytes of memory. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_image_pool_check(const struct hy_pool *pool, uint64_t *ret,
                                               struct hy_error *err);

#endif
