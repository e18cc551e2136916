/* The functions of <android/hardware_buffer.h>: NULL checks and calls of the implementation. */
#include "hardware_buffer/lock.h"
#include "hardware_buffer/transfer.h"

#include <errno.h>
#include <unistd.h>

int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer)
{
    return desc && outBuffer ? hy_hardware_buffer_create(desc, outBuffer, NULL) : -EINVAL;
}

void AHardwareBuffer_acquire(AHardwareBuffer *buffer)
{
    if (buffer)
        hy_hardware_buffer_retain(buffer);
}

void AHardwareBuffer_release(AHardwareBuffer *buffer)
{
    hy_hardware_buffer_release(buffer);
}

void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc)
{
    if (buffer && outDesc)
        *outDesc = *hy_hardware_buffer_desc(buffer);
}

int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc)
{
    return desc && hy_hardware_buffer_check(desc, NULL) == 0;
}

int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId)
{
    if (!buffer || !outId)
        return -EINVAL;
    *outId = hy_hardware_buffer_backing(buffer)->id;
    return 0;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Like hy_hardware_buffer_lock; closes the fence if an argument is missing. */
static int lock(AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect,
                const void *out)
{
    if (buffer && out)
        return hy_hardware_buffer_lock(buffer, usage, fence, rect);
    if (fence >= 0)
        close(fence);
    return -EINVAL;
}

int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
                         void **outVirtualAddress)
{
    const int result = lock(buffer, usage, fence, rect, outVirtualAddress);

    if (result == 0)
        *outVirtualAddress = buffer->address;
    return result;
}

int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                                   const ARect *rect, void **outVirtualAddress,
                                   int32_t *outBytesPerPixel, int32_t *outBytesPerStride)
{
    const int result =
        lock(buffer, usage, fence, rect,
             outBytesPerPixel && outBytesPerStride ? (const void *)outVirtualAddress : NULL);
    if (result != 0)
        return result;

    const struct hy_image_layout *layout = hy_hardware_buffer_layout(buffer);
    const bool is_plain = layout->plane_count == 1 && layout->planes[0].row_bytes <= INT32_MAX;
    *outVirtualAddress = buffer->address;
    *outBytesPerPixel = is_plain ? (int32_t)layout->planes[0].pixel_bytes : -1;
    *outBytesPerStride = is_plain ? (int32_t)layout->planes[0].row_bytes : -1;
    return 0;
}

int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                               const ARect *rect, AHardwareBuffer_Planes *outPlanes)
{
    const int result = lock(buffer, usage, fence, rect, outPlanes);
    if (result != 0)
        return result;

    const struct hy_image_layout *layout = hy_hardware_buffer_layout(buffer);
    *outPlanes = (AHardwareBuffer_Planes){.planeCount = layout->plane_count};
    for (uint32_t i = 0; i < layout->plane_count; i++) {
        const struct hy_image_plane *plane = &layout->planes[i];
        outPlanes->planes[i] = (AHardwareBuffer_Plane){
            .data = (unsigned char *)buffer->address + plane->offset,
            .pixelStride = plane->pixel_bytes,
            .rowStride = plane->row_bytes,
        };
    }
    return 0;
}

int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence)
{
    const int result = buffer ? hy_hardware_buffer_unlock(buffer) : -EINVAL;

    if (result == 0 && fence)
        *fence = -1;
    return result;
}

/* ---- Sockets --------------------------------------------------------------------------------- */

int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd)
{
    return buffer && socketFd >= 0 ? hy_hardware_buffer_send(buffer, socketFd) : -EINVAL;
}

int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer)
{
    return outBuffer && socketFd >= 0 ? hy_hardware_buffer_receive(socketFd, outBuffer, NULL)
                                      : -EINVAL;
}
