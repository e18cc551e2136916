/* The text of a failure, for the caller of a driver. */
#ifndef HY_DRIVER_KIT_MESSAGE_H
#define HY_DRIVER_KIT_MESSAGE_H

#include <halyard/driver.h>

/* Writes the text as printf does, cut to the size that the caller gave. A message without memory is
 * ignored. */
void hy_message_write(const struct hy_message *message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
