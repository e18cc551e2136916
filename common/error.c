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
    hy_text_clean(text); /* parts of drivers, files and names, or a cut character */

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

    size_t prefix_length = strlen(prefix);
    const size_t capacity = sizeof err->text - prefix_length - sizeof ": ";
    size_t text_length = strnlen(err->text, capacity);
    memmove(err->text + prefix_length + 2, err->text, text_length);
    memcpy(err->text, prefix, prefix_length);
    memcpy(err->text + prefix_length, ": ", 2);
    err->text[prefix_length + 2 + text_length] = '\0';
    hy_text_clean(err->text);
    err->code = code;
}

const char *hy_code_name(enum hy_code code)
{
    switch (code) {
#define CODE(code, name, status) \
    case HY_##code: \
        return name;
#include "common/status.def"
    }
    return "UNKNOWN";
}
