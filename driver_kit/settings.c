#include "driver_kit/settings.h"

#include "driver_kit/message.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAME 48u /* bytes of a name, with the end */

/* ---- Scanner: each function skips blanks, then takes what it is named after ------------------ */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool consume(const char **at, char wanted)
{
    skip_blanks(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* A string without escapes, shorter than `size`. */
static bool parse_string(const char **at, char *out, size_t size)
{
    if (!consume(at, '"'))
        return false;
    const size_t length = strcspn(*at, "\"\\");
    if ((*at)[length] != '"' || length >= size)
        return false;
    memcpy(out, *at, length);
    out[length] = '\0';
    *at += length + 1;
    return true;
}

/* Digits, with or without a fraction. (strtod would depend on the app's locale.) */
static bool parse_number(const char **at, double *out)
{
    skip_blanks(at);
    const char *start = *at;
    double value = 0, unit = 1;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value * 10 + (**at - '0');
    if (*at > start && **at == '.') {
        for (++*at; **at >= '0' && **at <= '9'; ++*at)
            value += (**at - '0') * (unit /= 10);
    }
    *out = value;
    return *at > start && **at != 'e' && **at != 'E';
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool read_text(const char **at, const struct hy_setting *setting, char *value,
                      const struct hy_message *message)
{
    if (parse_string(at, value, setting->limit) && value[0])
        return true;
    hy_message_write(message, "arguments.%s needs a plain string of 1 to %llu bytes", setting->name,
                     (unsigned long long)setting->limit - 1);
    return false;
}

static bool read_name(const char **at, const struct hy_setting *setting, uint32_t *index,
                      const struct hy_message *message)
{
    char name[MAX_NAME] = "";
    const bool is_string = parse_string(at, name, sizeof name);
    for (uint32_t i = 0; is_string && setting->names[i]; i++) {
        if (strcmp(name, setting->names[i]) == 0) {
            *index = i;
            return true;
        }
    }
    hy_message_write(message, "arguments.%s: \"%s\" is not known to this driver", setting->name,
                     name);
    return false;
}

static bool read_set(const char **at, const struct hy_setting *setting, uint32_t *set,
                     const struct hy_message *message)
{
    *set = 0;
    bool ok = consume(at, '[');
    bool more = ok && !consume(at, ']');
    while (ok && more) {
        uint32_t index;
        if (!read_name(at, setting, &index, message))
            return false;
        *set |= UINT32_C(1) << index;
        more = consume(at, ',');
        ok = more || consume(at, ']');
    }
    if (!ok)
        hy_message_write(message, "arguments.%s needs an array of names", setting->name);
    return ok;
}

static bool read_number(const char **at, const struct hy_setting *setting, void *value,
                        const struct hy_message *message)
{
    const bool is_ratio = setting->kind == HY_SETTING_RATIO;
    double number;
    if (!parse_number(at, &number) || number > (double)setting->limit ||
        (is_ratio && number == 0)) {
        hy_message_write(message, "arguments.%s needs a number %s %llu, without exponent",
                         setting->name, is_ratio ? "above 0, up to" : "from 0 to",
                         (unsigned long long)setting->limit);
        return false;
    }
    if (is_ratio)
        *(float *)value = (float)number;
    else if (setting->kind == HY_SETTING_SIZE)
        *(uint64_t *)value = (uint64_t)number;
    else
        *(uint32_t *)value = (uint32_t)number;
    return true;
}

static bool read_value(const char **at, const struct hy_setting *setting, void *value,
                       const struct hy_message *message)
{
    switch (setting->kind) {
    case HY_SETTING_TEXT:
        return read_text(at, setting, value, message);
    case HY_SETTING_ENUM:
        return read_name(at, setting, value, message);
    case HY_SETTING_SET:
        return read_set(at, setting, value, message);
    default:
        return read_number(at, setting, value, message);
    }
}

/* ---- Members --------------------------------------------------------------------------------- */

static bool refuse_unknown(const char *name, const struct hy_setting *settings, uint32_t count,
                           const struct hy_message *message)
{
    char known[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                 settings[i].name);
    if (count > 0)
        hy_message_write(message, "arguments.%s is unknown; known are %s", name, known);
    else
        hy_message_write(message, "arguments.%s is unknown; this driver has no arguments", name);
    return false;
}

static bool read_member(const char **at, const struct hy_setting *settings, uint32_t count,
                        void *values, const struct hy_message *message)
{
    char name[MAX_NAME] = "";
    if (!parse_string(at, name, sizeof name) || !consume(at, ':')) {
        hy_message_write(message, "arguments: a member has an unknown or empty name");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(name, settings[i].name) == 0)
            return read_value(at, &settings[i], (char *)values + settings[i].offset, message);
    }
    return refuse_unknown(name, settings, count, message);
}

bool hy_settings_read(const char *arguments, const struct hy_setting *settings, uint32_t count,
                      void *values, const struct hy_message *message)
{
    const char *at = arguments;
    bool ok = consume(&at, '{');
    bool more = ok && !consume(&at, '}');
    while (ok && more) {
        if (!read_member(&at, settings, count, values, message))
            return false;
        more = consume(&at, ',');
        ok = more || consume(&at, '}');
    }
    if (!ok)
        hy_message_write(message, "arguments is not an object");
    return ok;
}
