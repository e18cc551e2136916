#include "hardware_buffer/message.h"

#include "hardware_buffer/failure.h"
#include "hardware_buffer/layout.h"

#include <inttypes.h>

#define MAGIC   0x66756248u /* "Hbuf" in little-endian order */
#define VERSION 1u

void hy_buffer_message_fill(const AHardwareBuffer_Desc *desc, uint64_t bytes,
                            struct hy_buffer_message *ret)
{
    *ret = (struct hy_buffer_message){
        .magic = MAGIC,
        .version = VERSION,
        .width = desc->width,
        .height = desc->height,
        .layers = desc->layers,
        .format = desc->format,
        .stride = desc->stride,
        .usage = desc->usage,
        .bytes = bytes,
    };
}

int hy_buffer_message_read(const struct hy_buffer_message *message, AHardwareBuffer_Desc *ret,
                           struct hy_error *err)
{
    const AHardwareBuffer_Desc desc = {
        .width = message->width,
        .height = message->height,
        .layers = message->layers,
        .format = message->format,
        .stride = message->stride,
        .usage = message->usage,
    };
    struct hy_image_layout layout;

    if (message->magic != MAGIC || message->reserved != 0)
        return hy_errno_fail(err, -EBADMSG, "the message is not a hardware buffer");
    if (message->version != VERSION)
        return hy_errno_fail(err, -EBADMSG, "the message has version %u, needs %u",
                             message->version, VERSION);
    if (hy_description_check(&desc, err) != 0 ||
        hy_layout_of(&desc, desc.stride, &layout, err) != 0)
        return -EBADMSG;
    if (layout.stride != message->stride || layout.bytes != message->bytes)
        return hy_errno_fail(err, -EBADMSG,
                             "the message says %" PRIu64 " bytes, the description needs %" PRIu64,
                             message->bytes, layout.bytes);
    *ret = desc;
    return 0;
}
