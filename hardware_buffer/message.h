#ifndef HY_HARDWARE_BUFFER_MESSAGE_H
#define HY_HARDWARE_BUFFER_MESSAGE_H

#include "common/error.h"

#include <android/hardware_buffer.h>
#include <assert.h>

/*
 * What goes through a socket with the descriptor of a buffer, between two processes of one machine,
 * in its order of bytes. A change makes a new version; there is no talk about it.
 */
struct hy_buffer_message {
    uint32_t magic;
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t layers;
    uint32_t format;
    uint32_t stride;
    uint32_t reserved; /* 0 */
    uint64_t usage;
    uint64_t bytes; /* of all layers, as both sides must count them */
};

static_assert(sizeof(struct hy_buffer_message) == 48, "no padding that would carry old memory");

void hy_buffer_message_fill(const AHardwareBuffer_Desc *desc, uint64_t bytes,
                            struct hy_buffer_message *ret);

/*
 * The description that a message has, checked; only the memory is not looked at. -EBADMSG.
 */
HY_MUST_CHECK int hy_buffer_message_read(const struct hy_buffer_message *message,
                                         AHardwareBuffer_Desc *ret, struct hy_error *err);

#endif
