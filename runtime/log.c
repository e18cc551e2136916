#include "log.h"

#include "common/distinct_texts.h"
#include "common/near_name.h"
#include "common/printable.h"
#include "environment.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const level_names[] = {"none", "error", "warning", "info", "debug"};

/* All areas of log lines. */
static const char *const areas[] = {"api",    "cache",   "device",    "diagnostics",
                                    "driver", "execute", "extension", "memory",
                                    "model",  "plan",    "profile",   "report"};

static const char *const formats[] = {"text", "json", "journal"};
enum { TEXT, JSON, JOURNAL };

/* ---- The setting ----------------------------------------------------------------------------- */

static const char *setting(void)
{
    const struct hy_environment *environment = hy_environment();
    return environment && environment->log ? environment->log : "warning";
}

/* The index of the first `length` bytes of `word` in `names`; `count` if not found. */
static size_t find_name(const char *word, size_t length, const char *const *names, size_t count)
{
    size_t i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], word, length) != 0))
        i++;
    return i;
}

/* The highest level that is written; -1: none. */
static int32_t highest(void)
{
    const char *text = setting();
    const size_t found = find_name(text, strcspn(text, ":"), level_names, COUNT(level_names));
    return found < COUNT(level_names) ? (int32_t)found - 1 : HY_LOG_WARNING;
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
    const char *text = setting();
    return level <= highest() && area_is_listed(text + strcspn(text, ":"), area);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int format_of_lines(void)
{
    const struct hy_environment *environment = hy_environment();
    const char *name = environment && environment->log_format ? environment->log_format : "text";
    const size_t found = find_name(name, strlen(name), formats, COUNT(formats));
    return found < COUNT(formats) ? (int)found : TEXT;
}

/* `out` must have 2 * strlen(text) + 1 bytes. The text is one printable line. */
static void escape(const char *text, char *out)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *out++ = '\\';
        *out++ = *text;
    }
    *out = '\0';
}

/* UTC without gmtime_r: the C library locks in gmtime_r, and a child of a concurrent fork() would
 * deadlock. */
struct stamp {
    unsigned year, month, day, hour, minute, second, microsecond;
};

static struct stamp stamp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);

    /* Days since the 1st of March of year 0, so that the leap day is the last day of a year. */
    const uint64_t seconds = (uint64_t)now.tv_sec;
    const unsigned days = (unsigned)(seconds / 86400) + 719468,
                   of_day = (unsigned)(seconds % 86400);
    const unsigned era = days / 146097, of_era = days % 146097;
    const unsigned years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = of_era - (365 * years + years / 4 - years / 100);
    const unsigned month = (5 * of_year + 2) / 153; /* from March */

    return (struct stamp){
        .year = era * 400 + years + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = of_year - (153 * month + 2) / 5 + 1,
        .hour = of_day / 3600,
        .minute = of_day / 60 % 60,
        .second = of_day % 60,
        .microsecond = (unsigned)(now.tv_nsec / 1000),
    };
}

/* Each line is one call, so that lines of different threads do not mix. */
static void write_json(int32_t level, const char *area, const char *driver, const char *text)
{
    char escaped[2 * HY_LOG_TEXT_SIZE];
    const struct stamp now = stamp_now();

    escape(text, escaped);
    fprintf(stderr,
            "{\"time\": \"%04u-%02u-%02uT%02u:%02u:%02u.%06uZ\", \"level\": \"%s\", "
            "\"area\": \"%s\", \"pid\": %d, \"driver\": \"%s\", \"text\": \"%s\"}\n",
            now.year, now.month, now.day, now.hour, now.minute, now.second, now.microsecond,
            level_names[level + 1], area, (int)getpid(), driver, escaped);
}

/* The journal adds time and process, and expects the level numbers of syslog. */
static void write_journal(int32_t level, const char *area, const char *driver, const char *text)
{
    static const int numbers[] = {
        [HY_LOG_ERROR] = 3, [HY_LOG_WARNING] = 4, [HY_LOG_INFO] = 6, [HY_LOG_DEBUG] = 7};
    fprintf(stderr, "<%d>%s%s%s: %s\n", numbers[level], area, *driver ? " " : "", driver, text);
}

static void write_text(int32_t level, const char *area, const char *driver, const char *text)
{
    const struct stamp now = stamp_now();

    fprintf(stderr, "%02u:%02u:%02u.%03uZ halyard[%d] %s %s%s%s: %s\n", now.hour, now.minute,
            now.second, now.microsecond / 1000, (int)getpid(), level_names[level + 1], area,
            *driver ? " " : "", driver, text);
}

static void write_line(int32_t level, const char *area, const char *driver, const char *text)
{
    static void (*const writers[])(int32_t level, const char *area, const char *driver,
                                   const char *text) = {
        [TEXT] = write_text, [JSON] = write_json, [JOURNAL] = write_journal};
    writers[format_of_lines()](level, area, driver, text);
}

static void (*leads_to)(int32_t level, const char *text);

void hy_log_lead_to(void (*sink)(int32_t level, const char *text))
{
    leads_to = sink;
}

/* Makes one printable line of the text and writes or forwards the line. */
static void hand_on(int32_t level, const char *area, const char *driver, char *text)
{
    char line[HY_LOG_TEXT_SIZE];

    hy_text_clean(text);
    if (!leads_to) {
        write_line(level, area, driver, text);
        return;
    }
    const int capacity = (int)(sizeof line - strlen(area) - sizeof ": ");
    snprintf(line, sizeof line, "%s: %.*s", area, capacity, text);
    hy_text_clean(line); /* a cut may split a character */
    leads_to(level, line);
}

void hy_log(int32_t level, const char *area, const char *format, ...)
{
    char text[HY_LOG_TEXT_SIZE];
    va_list args;

    if (!hy_log_enabled(level, area))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hand_on(level, area, "", text);
}

void hy_log_driver(int32_t level, const char *driver, const char *text)
{
    const int32_t known = level < HY_LOG_ERROR   ? HY_LOG_ERROR
                          : level > HY_LOG_DEBUG ? HY_LOG_DEBUG
                                                 : level;
    char copy[HY_LOG_TEXT_SIZE];

    if (!hy_log_enabled(known, "driver"))
        return;
    snprintf(copy, sizeof copy, "%s", text);
    hand_on(known, "driver", driver, copy);
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
        hy_log(level, area, "further lines of this kind are logged with HALYARD_LOG=debug only");
        break;
    }
}

/* ---- Unknown words of the settings ----------------------------------------------------------- */

/* Ignores the area filter of the setting, as the areas may be wrong. */
static void report_unknown(const char *variable, const char *kind, const char *word, size_t length,
                           const char *const *names, size_t count)
{
    char name[64], text[HY_LOG_TEXT_SIZE];
    size_t used;

    if (find_name(word, length, names, count) < count)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             word);
    const char *near = hy_near_name(name, names, count);
    used =
        (size_t)snprintf(text, sizeof text, "%s: \"%s\" is not a known %s", variable, name, kind);
    if (near)
        used += (size_t)snprintf(text + used, sizeof text - used, "; did you mean %s", near);
    used += (size_t)snprintf(text + used, sizeof text - used, "; known: ");
    for (size_t i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", names[i]);
    hy_text_clean(text);
    write_line(HY_LOG_WARNING, "device", "", text);
}

void hy_log_check_settings(void)
{
    const struct hy_environment *environment = hy_environment();
    const char *text = setting();
    const size_t length = strcspn(text, ":");

    if (highest() < HY_LOG_WARNING)
        return;
    report_unknown("HALYARD_LOG", "level", text, length, level_names, COUNT(level_names));
    for (const char *at = text + length + (text[length] == ':'); *at; at += strspn(at, ",")) {
        const size_t size = strcspn(at, ",");
        report_unknown("HALYARD_LOG", "area", at, size, areas, COUNT(areas));
        at += size;
    }
    if (environment && environment->log_format)
        report_unknown("HALYARD_LOG_FORMAT", "format", environment->log_format,
                       strlen(environment->log_format), formats, COUNT(formats));
}
