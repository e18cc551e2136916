#include "error.h"

#include "printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hy_error_set(struct hy_error *err, enum hy_code code, const char *file, int line,
                  const char *format, ...)
{
    if (!err)
        return;

    /* The arguments may point into err->text itself (a text wrapped in a longer one). */
    char text[HY_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hy_text_clean(text); /* of drivers, files and names, it may be; cut in the middle of a letter */

    err->code = code;
    err->file = file;
    err->line = line;
    memcpy(err->text, text, sizeof text);
}

void hy_error_set_prefix(struct hy_error *err, enum hy_code code, const char *format, ...)
{
    if (!err)
        return;

    char prefix[HY_ERROR_TEXT_SIZE / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);

    size_t taken = strlen(prefix);
    const size_t room = sizeof err->text - taken - sizeof ": ";
    size_t kept = strnlen(err->text, room);
    memmove(err->text + taken + 2, err->text, kept);
    memcpy(err->text, prefix, taken);
    memcpy(err->text + taken, ": ", 2);
    err->text[taken + 2 + kept] = '\0';
    hy_text_clean(err->text);
    err->code = code;
}

const char *hy_code_name(enum hy_code code)
{
    switch (code) {
    case HY_OK:
        return "NO_ERROR";
    case HY_OUT_OF_MEMORY:
        return "OUT_OF_MEMORY";
    case HY_UNEXPECTED_NULL:
        return "UNEXPECTED_NULL";
    case HY_BAD_DATA:
        return "BAD_DATA";
    case HY_FAILED:
        return "OP_FAILED";
    case HY_BAD_STATE:
        return "BAD_STATE";
    case HY_UNMAPPABLE:
        return "UNMAPPABLE";
    case HY_INSUFFICIENT_SIZE:
        return "OUTPUT_INSUFFICIENT_SIZE";
    case HY_UNAVAILABLE:
        return "UNAVAILABLE_DEVICE";
    case HY_MISSED_DEADLINE:
        return "MISSED_DEADLINE_TRANSIENT";
    case HY_MISSED_DEADLINE_FOR_GOOD:
        return "MISSED_DEADLINE_PERSISTENT";
    case HY_EXHAUSTED:
        return "RESOURCE_EXHAUSTED_TRANSIENT";
    case HY_EXHAUSTED_FOR_GOOD:
        return "RESOURCE_EXHAUSTED_PERSISTENT";
    case HY_DEAD:
        return "DEAD_OBJECT";
    }
    return "UNKNOWN";
}
