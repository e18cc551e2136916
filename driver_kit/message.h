/* Error texts for the caller of a driver. */
#ifndef HY_DRIVER_KIT_MESSAGE_H
#define HY_DRIVER_KIT_MESSAGE_H

#include <halyard/driver.h>

/* Writes the text as printf does, truncated to the size of the buffer. Does nothing if the message
 * has no buffer. */
void hy_message_write(const struct hy_message *message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
