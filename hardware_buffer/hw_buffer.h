#ifndef HY_HARDWARE_BUFFER_HW_BUFFER_H
#define HY_HARDWARE_BUFFER_HW_BUFFER_H

#include "hardware_buffer/backing.h"
#include "hardware_buffer/layout.h"

#include <android/hardware_buffer.h>
#include <stdatomic.h>

/* All members except the counters are constant. Outside of hardware_buffer use the functions
 * below. */
struct AHardwareBuffer {
    atomic_uint references;
    atomic_int locks;          /* see lock.h */
    AHardwareBuffer_Desc desc; /* with the actual stride and usage */
    struct hy_image_layout layout;
    struct hy_backing backing;
    void *address; /* NULL without CPU usage */
};

/*
 * Creates a zeroed buffer with a single reference. If no dma-buf is available for a BLOB with
 * GPU_DATA_BUFFER, the description of the buffer lacks this usage. Errors: -EINVAL (the
 * description); negative errno values of the system.
 */
HY_MUST_CHECK int hy_hardware_buffer_create(const AHardwareBuffer_Desc *desc, AHardwareBuffer **ret,
                                            struct hy_error *err);

/*
 * Creates a buffer over foreign memory, with the checks of hy_backing_adopt. A stride of 0 selects
 * the layout of hy_hardware_buffer_create. Takes ownership of `fd`, also on failure. Errors:
 * -EINVAL; negative errno values of the system.
 */
HY_MUST_CHECK int hy_hardware_buffer_adopt(int fd, const AHardwareBuffer_Desc *desc,
                                           AHardwareBuffer **ret, struct hy_error *err);

/* Checks whether create accepts the description: -EINVAL with an error text. */
HY_MUST_CHECK int hy_hardware_buffer_check(const AHardwareBuffer_Desc *desc, struct hy_error *err);

void hy_hardware_buffer_retain(AHardwareBuffer *buffer);
void hy_hardware_buffer_release(AHardwareBuffer *buffer); /* NULL is allowed */

static inline const AHardwareBuffer_Desc *hy_hardware_buffer_desc(const AHardwareBuffer *buffer)
{
    return &buffer->desc;
}

static inline const struct hy_image_layout *hy_hardware_buffer_layout(const AHardwareBuffer *buffer)
{
    return &buffer->layout;
}

static inline const struct hy_backing *hy_hardware_buffer_backing(const AHardwareBuffer *buffer)
{
    return &buffer->backing;
}

#endif
