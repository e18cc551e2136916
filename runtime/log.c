#include "log.h"

#include "environment.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
    int32_t level;     /* highest that is written; -1 = none */
    const char *areas; /* comma list, NULL = all */
} setting = {HY_LOG_WARNING, NULL};

static void parse(void)
{
    static const char *const names[] = {"none", "error", "warning", "info", "debug"};
    const char *text = hy_environment()->log;
    if (!text)
        return;

    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            setting.level = (int32_t)i - 1;
    }
    if (text[length] == ':' && text[length + 1])
        setting.areas = text + length + 1;
}

static bool area_is_listed(const char *area)
{
    size_t length = strlen(area);
    for (const char *at = setting.areas; *at; at += strspn(at, ",")) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, area, length) == 0)
            return true;
        at += word;
    }
    return false;
}

bool hy_log_enabled(int32_t level, const char *area)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, parse);
    return level <= setting.level && (!setting.areas || area_is_listed(area));
}

void hy_log(int32_t level, const char *area, const char *format, ...)
{
    if (!hy_log_enabled(level, area))
        return;

    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "halyard: %s: %s\n", area, text); /* one call, so lines of threads do not mix */
}
