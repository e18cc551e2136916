#ifndef HY_HARDWARE_BUFFER_BUFFER_H
#define HY_HARDWARE_BUFFER_BUFFER_H

#include "hardware_buffer/backing.h"
#include "hardware_buffer/layout.h"

#include <android/hardware_buffer.h>
#include <stdatomic.h>

/* All but the counters is constant. Read it through the functions below, outside of this room. */
struct AHardwareBuffer {
    atomic_uint references;
    atomic_int locks;          /* see lock.h */
    AHardwareBuffer_Desc desc; /* with the stride and the usage that the memory has */
    struct hy_image_layout layout;
    struct hy_backing backing;
    void *address; /* NULL where the usage has nothing for the CPU */
};

/*
 * A new buffer, all zero, with one reference. A BLOB for GPU_DATA_BUFFER that is no dma-buf has a
 * description without this usage. -EINVAL (the description); what the system says.
 */
HY_MUST_CHECK int hy_hardware_buffer_create(const AHardwareBuffer_Desc *desc, AHardwareBuffer **ret,
                                            struct hy_error *err);

/*
 * A buffer over memory of somebody else, as hy_backing_adopt takes it; a stride of 0: as
 * hy_hardware_buffer_create lays it out. `fd` goes over, also on failure. -EINVAL; what the system
 * says.
 */
HY_MUST_CHECK int hy_hardware_buffer_adopt(int fd, const AHardwareBuffer_Desc *desc,
                                           AHardwareBuffer **ret, struct hy_error *err);

/* Whether create would take the description: -EINVAL, in words. */
HY_MUST_CHECK int hy_hardware_buffer_check(const AHardwareBuffer_Desc *desc, struct hy_error *err);

void hy_hardware_buffer_retain(AHardwareBuffer *buffer);
void hy_hardware_buffer_release(AHardwareBuffer *buffer); /* takes NULL */

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
