#ifndef HY_COMMON_IMAGE_PIXEL_FORMAT_H
#define HY_COMMON_IMAGE_PIXEL_FORMAT_H

#include <stdint.h>

/* A pixel format of hardware buffers, with the bytes of a pixel. */
struct hy_pixel_format {
    uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
    const char *name;
    uint32_t pixel_bytes; /* in the first plane */
    uint32_t planes;
};

/* NULL: not supported by hardware buffers. */
const struct hy_pixel_format *hy_pixel_format_find(uint32_t format);

#endif
