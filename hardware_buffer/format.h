#ifndef HY_HARDWARE_BUFFER_FORMAT_H
#define HY_HARDWARE_BUFFER_FORMAT_H

#include <stdint.h>

/* A format that buffers can have. */
struct hy_format {
    uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
    const char *name;
    uint32_t pixel_bytes; /* of the first plane */
    uint32_t planes;
};

/* NULL: no buffer has it. */
const struct hy_format *hy_format_find(uint32_t format);

#endif
