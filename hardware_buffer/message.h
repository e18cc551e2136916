#ifndef HY_HARDWARE_BUFFER_MESSAGE_H
#define HY_HARDWARE_BUFFER_MESSAGE_H

#include "common/error.h"

#include <android/hardware_buffer.h>
#include <assert.h>

/*
 * The message that accompanies a buffer's descriptor on a socket between two processes of a
 * machine, in native byte order. A change of the layout needs a new version; versions are not
 * negotiated.
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
    uint64_t bytes; /* of all layers; both sides must compute the same number */
};

static_assert(sizeof(struct hy_buffer_message) == 48, "no padding that would carry old memory");

void hy_buffer_message_fill(const AHardwareBuffer_Desc *desc, uint64_t bytes,
                            struct hy_buffer_message *ret);

/* Reads and checks the description of a message, without the memory. Errors: -EBADMSG. */
HY_MUST_CHECK int hy_buffer_message_read(const struct hy_buffer_message *message,
                                         AHardwareBuffer_Desc *ret, struct hy_error *err);

#endif
