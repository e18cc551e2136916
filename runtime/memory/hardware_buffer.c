#include "runtime/memory/hardware_buffer.h"

#include "hardware_buffer/hw_buffer.h"
#include "runtime/memory/memory_object.h"

#include <string.h>

static struct hy_image image_of(const AHardwareBuffer_Desc *desc)
{
    return (struct hy_image){
        .width = desc->width,
        .height = desc->height,
        .layers = desc->layers,
        .format = desc->format,
        .stride = desc->stride,
        .usage = desc->usage,
    };
}

/* Makes earlier writes of devices visible, so that constants need no further CPU access calls. */
static enum hy_code look_once(const struct hy_memory *memory, struct hy_error *err)
{
    enum hy_code code = hy_memory_access_begin(memory, HY_PROTECT_READ, err);
    return code == HY_OK ? hy_memory_access_end(memory, HY_PROTECT_READ, err) : code;
}

enum hy_code hy_memory_from_hardware_buffer(const AHardwareBuffer *buffer, struct hy_memory **ret,
                                            struct hy_error *err)
{
    const AHardwareBuffer_Desc *desc = hy_hardware_buffer_desc(buffer);
    const struct hy_backing *backing = hy_hardware_buffer_backing(buffer);
    const bool is_blob = desc->format == AHARDWAREBUFFER_FORMAT_BLOB;
    const struct hy_image image = image_of(desc);
    const struct hy_memory_source source = {
        .kind = is_blob ? HY_POOL_HARDWARE_BUFFER_BLOB : HY_POOL_HARDWARE_BUFFER,
        .protection = HY_PROTECT_READ | (backing->is_writable ? HY_PROTECT_WRITE : 0),
        .fd = backing->fd,
        .bytes = hy_hardware_buffer_layout(buffer)->bytes,
        .image = is_blob ? NULL : &image,
        .is_dma_buf = backing->is_dma_buf,
    };
    struct hy_memory *memory = NULL;

    enum hy_code code = hy_memory_from_source(&source, &memory, err);
    if (code == HY_OK)
        code = look_once(memory, err);
    if (code != HY_OK) {
        hy_memory_release(memory);
        return code;
    }
    *ret = memory;
    return HY_OK;
}

/* ---- Access ---------------------------------------------------------------------------------- */

static uint32_t access_of(uint32_t protection)
{
    return (protection & HY_PROTECT_READ ? HY_SYNC_READ : 0) |
           (protection & HY_PROTECT_WRITE ? HY_SYNC_WRITE : 0);
}

enum hy_code hy_memory_access_begin(const struct hy_memory *memory, uint32_t protection,
                                    struct hy_error *err)
{
    if (!hy_memory_is_dma_buf(memory))
        return HY_OK;
    const int result = hy_backing_sync_begin(hy_memory_pool(memory)->fd, access_of(protection));
    return result == 0
               ? HY_OK
               : hy_fail(err, HY_FAILED, "access to a dma-buf cannot begin: %s", strerror(-result));
}

enum hy_code hy_memory_access_end(const struct hy_memory *memory, uint32_t protection,
                                  struct hy_error *err)
{
    if (!hy_memory_is_dma_buf(memory))
        return HY_OK;
    const int result = hy_backing_sync_end(hy_memory_pool(memory)->fd, access_of(protection));
    return result == 0
               ? HY_OK
               : hy_fail(err, HY_FAILED, "access to a dma-buf cannot end: %s", strerror(-result));
}
