#ifndef HY_COMMON_IMAGE_PIXEL_FORMAT_H
#define HY_COMMON_IMAGE_PIXEL_FORMAT_H

#include <stdint.h>

/* A format that hardware buffers can have: the one description of the bytes of a pixel. */
struct hy_pixel_format {
    uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
    const char *name;
    uint32_t pixel_bytes; /* of the first plane */
    uint32_t planes;
};

/* NULL: no buffer has it. */
const struct hy_pixel_format *hy_pixel_format_find(uint32_t format);

#endif
