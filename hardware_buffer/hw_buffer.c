#include "hardware_buffer/hw_buffer.h"

#include "hardware_buffer/failure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A writable mapping is always readable on all processors. */
static int map(AHardwareBuffer *buffer, struct hy_error *err)
{
    const bool writes = buffer->desc.usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;
    const bool reads = buffer->desc.usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK;

    if (!writes && !reads)
        return 0;
    if (writes && !buffer->backing.is_writable)
        return hy_errno_fail(err, -EINVAL,
                             "the usage asks for writes, but the memory is read-only");
    void *address = mmap(NULL, buffer->layout.bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                         MAP_SHARED, buffer->backing.fd, 0);
    if (address == MAP_FAILED) {
        const int reason = errno;
        return hy_errno_fail(err, -reason, "mapping %" PRIu64 " bytes of the buffer: %s",
                             buffer->layout.bytes, strerror(reason));
    }
    buffer->address = address;
    return 0;
}

static AHardwareBuffer *start(const AHardwareBuffer_Desc *desc,
                              const struct hy_image_layout *layout, struct hy_error *err)
{
    AHardwareBuffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        hy_error_set(err, HY_OUT_OF_MEMORY, __FILE__, __LINE__, "hardware buffer of %zu bytes",
                     sizeof *buffer);
        return NULL;
    }
    atomic_init(&buffer->references, 1);
    atomic_init(&buffer->locks, 0);
    buffer->desc = *desc;
    buffer->desc.stride = layout->stride;
    buffer->layout = *layout;
    buffer->backing.fd = -1;
    return buffer;
}

static int end(AHardwareBuffer *buffer, int result, AHardwareBuffer **ret)
{
    if (result == 0)
        *ret = buffer;
    else
        hy_hardware_buffer_release(buffer);
    return result;
}

static int check(const AHardwareBuffer_Desc *desc, uint32_t stride, struct hy_image_layout *ret,
                 struct hy_error *err)
{
    const int result = hy_description_check(desc, err);
    return result == 0 ? hy_layout_of(desc, stride, ret, err) : result;
}

/* GPU data is also used by the CPU: without dma-bufs the BLOB is only for the CPU. */
static AHardwareBuffer_Desc without_gpu_data(const AHardwareBuffer_Desc *desc)
{
    AHardwareBuffer_Desc plain = *desc;

    plain.usage &= ~(uint64_t)AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
    return plain;
}

int hy_hardware_buffer_check(const AHardwareBuffer_Desc *desc, struct hy_error *err)
{
    const AHardwareBuffer_Desc plain = without_gpu_data(desc);
    struct hy_image_layout layout;
    const int result = check(desc, 0, &layout, err);

    if (result == 0 && hy_description_needs_dma_buf(&plain) && !hy_backing_makes_dma_bufs())
        return hy_errno_fail(err, -EINVAL,
                             "usage 0x%" PRIx64 " needs dma-bufs, the system has no dma-buf heap",
                             desc->usage);
    return result;
}

int hy_hardware_buffer_create(const AHardwareBuffer_Desc *desc, AHardwareBuffer **ret,
                              struct hy_error *err)
{
    const AHardwareBuffer_Desc plain = without_gpu_data(desc);
    struct hy_image_layout layout;

    int result = hy_hardware_buffer_check(desc, err);
    if (result == 0)
        result = hy_layout_of(desc, 0, &layout, err);
    if (result != 0)
        return result;
    AHardwareBuffer *buffer = start(desc, &layout, err);
    if (!buffer)
        return -ENOMEM;
    result = hy_backing_allocate(layout.bytes, hy_description_needs_dma_buf(&plain),
                                 &buffer->backing, err);
    if (result == 0 && !buffer->backing.is_dma_buf)
        buffer->desc.usage = plain.usage;
    if (result == 0)
        result = map(buffer, err);
    return end(buffer, result, ret);
}

/* The description must have been checked. Takes ownership of the descriptor on success. */
static int adopt(AHardwareBuffer *buffer, int fd, struct hy_error *err)
{
    const int result = hy_backing_adopt(fd, buffer->layout.bytes, &buffer->backing, err);

    if (result != 0) {
        close(fd);
        return result;
    }
    if (hy_description_needs_dma_buf(&buffer->desc) && !buffer->backing.is_dma_buf)
        return hy_errno_fail(err, -EINVAL, "usage 0x%" PRIx64 " needs a dma-buf",
                             buffer->desc.usage);
    return map(buffer, err);
}

int hy_hardware_buffer_adopt(int fd, const AHardwareBuffer_Desc *desc, AHardwareBuffer **ret,
                             struct hy_error *err)
{
    struct hy_image_layout layout;
    int result = check(desc, desc->stride, &layout, err);
    AHardwareBuffer *buffer = result == 0 ? start(desc, &layout, err) : NULL;

    if (!buffer) {
        close(fd);
        return result == 0 ? -ENOMEM : result;
    }
    return end(buffer, adopt(buffer, fd, err), ret);
}

void hy_hardware_buffer_retain(AHardwareBuffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
}

void hy_hardware_buffer_release(AHardwareBuffer *buffer)
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1)
        return;
    if (buffer->address)
        munmap(buffer->address, buffer->layout.bytes);
    hy_backing_finish(&buffer->backing);
    free(buffer);
}
