#include "driver_kit/message.h"

#include <stdarg.h>
#include <stdio.h>

void hy_message_write(const struct hy_message *message, const char *format, ...)
{
    if (!message->text || message->size == 0)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(message->text, message->size, format, args);
    va_end(args);
}
