#include "log.h"

#include "common/distinct_texts.h"
#include "common/printable.h"
#include "environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The highest level that is written; -1: none. */
static int32_t highest(const char *setting)
{
    static const char *const names[] = {"none", "error", "warning", "info", "debug"};
    const size_t length = strcspn(setting, ":");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], setting, length) == 0)
            return (int32_t)i - 1;
    }
    return HY_LOG_WARNING;
}

/* `list` is what follows the level: empty, or a colon and areas between commas. */
static bool area_is_listed(const char *list, const char *area)
{
    const size_t length = strlen(area);

    if (list[0] == '\0' || list[1] == '\0')
        return true;
    for (const char *at = list + 1; *at; at += strspn(at, ",")) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, area, length) == 0)
            return true;
        at += word;
    }
    return false;
}

bool hy_log_enabled(int32_t level, const char *area)
{
    const struct hy_environment *environment = hy_environment();
    const char *setting = environment && environment->log ? environment->log : "warning";

    return level <= highest(setting) && area_is_listed(setting + strcspn(setting, ":"), area);
}

static void (*leads_to)(int32_t level, const char *text);

void hy_log_lead_to(void (*take)(int32_t level, const char *text))
{
    leads_to = take;
}

void hy_log(int32_t level, const char *area, const char *format, ...)
{
    if (!hy_log_enabled(level, area))
        return;

    char text[1024];
    int length = leads_to ? snprintf(text, sizeof text, "%s: ", area) : 0;
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    va_end(args);
    hy_text_clean(text); /* whatever came this way, and where it was cut */
    if (leads_to)
        leads_to(level, text);
    else /* one call, so lines of threads do not mix */
        fprintf(stderr, "halyard: %s: %s\n", area, text);
}

void hy_log_once(int32_t level, const char *area, const char *text)
{
    static struct hy_distinct_texts written;

    if (!hy_log_enabled(level, area))
        return;
    switch (hy_distinct_texts_add(&written, text)) {
    case HY_TEXT_KNOWN:
        break;
    case HY_TEXT_NEW:
        hy_log(level, area, "%s", text);
        break;
    case HY_TEXT_NEW_LAST:
        hy_log(level, area, "%s", text);
        hy_log(level, area, "from here on, HALYARD_LOG=debug alone writes such lines");
        break;
    }
}
