#ifndef HY_COMMON_IMAGE_IMAGE_LAYOUT_H
#define HY_COMMON_IMAGE_IMAGE_LAYOUT_H

#include "common/error.h"
#include "halyard/driver.h"

#include <android/hardware_buffer.h>
#include <stdbool.h>

/*
 * Where the pixels of an image lie, and how many bytes of memory the image needs. Every
 * reader and every mapping of images takes the number of bytes from here.
 */
#define HY_IMAGE_PLANES 3u

struct hy_image_plane {
    uint64_t offset; /* of its first row inside a layer */
    uint32_t pixel_bytes;
    uint32_t row_bytes; /* from one row to the next */
    uint32_t rows;
};

/* Layer after layer, in each plane after plane, row after row. */
struct hy_image_layout {
    uint32_t stride; /* pixels from one row of the first plane to the next */
    uint32_t plane_count;
    uint64_t layer_bytes;
    uint64_t bytes; /* of all layers, the ends of rows included */
    struct hy_image_plane planes[HY_IMAGE_PLANES];
};

/* What needs memory that other devices than the CPU can reach. */
#define HY_IMAGE_DEVICE_USAGE \
    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | \
     AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY | AHARDWAREBUFFER_USAGE_VIDEO_ENCODE | \
     AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER)

/* Nothing but values for reading and writing by the CPU. */
bool hy_image_usage_is_of_cpu(uint64_t usage);

/* Whether the usage has known bits alone, which go with the format. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_image_check_usage(uint32_t format, uint64_t usage,
                                                struct hy_error *err);

/*
 * The layout that the members of an image describe, BLOBs included. Chroma rows are half as far
 * apart as those of the first plane, rounded up. The members may be anybody's.
 * Errors: BAD_DATA (an unknown format, an extent of 0, a stride below the width, a BLOB with more
 * than one row, rows further apart than INT32_MAX bytes, more bytes than a mapping can have).
 */
HY_MUST_CHECK enum hy_code hy_image_layout_of(const struct hy_image *image,
                                              struct hy_image_layout *ret, struct hy_error *err);

/*
 * Whether the pool of an image tells the truth as far as its own members go: there are an image and
 * no offset, format, extents, stride and usage are possible, and the size, where it is not 0, is
 * the size that the image needs. `ret`: bytes that the memory has to have. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_image_pool_check(const struct hy_pool *pool, uint64_t *ret,
                                               struct hy_error *err);

#endif
