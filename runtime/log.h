#ifndef HY_RUNTIME_LOG_H
#define HY_RUNTIME_LOG_H

#include "halyard/driver.h"

#include <stdbool.h>

#define HY_LOG_TEXT_SIZE 1024 /* longer texts are truncated */

/*
 * Writes one line to stderr with time, process, level and area, in the format that
 * HALYARD_LOG_FORMAT selects (docs/environment.md). By default only errors and warnings are
 * written; HALYARD_LOG selects levels and areas. The text becomes one printable line
 * (common/printable.h). Levels are HY_LOG_*; log.c lists the areas.
 */
void hy_log(int32_t level, const char *area, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Logs a driver's text in the area "driver". `driver` is the name of the driver, or "". An invalid
 * level is clamped to the valid range. */
void hy_log_driver(int32_t level, const char *driver, const char *text);

/* Logs a text once in the life of the process. After HY_DISTINCT_TEXTS different texts
 * (common/distinct_texts.h) no more texts are written. Never waits and never allocates. */
void hy_log_once(int32_t level, const char *area, const char *text);

/* True: a line with this level and area would be written. For callers with a text that is expensive
 * to make. */
bool hy_log_enabled(int32_t level, const char *area);

/* Logs a warning for each unknown word in HALYARD_LOG and HALYARD_LOG_FORMAT, with a list of the
 * valid words. */
void hy_log_check_settings(void);

/* Redirects the log of a Halyard process to `take`, which gets "area: text" instead of stderr. Call
 * before the process starts threads. */
void hy_log_lead_to(void (*sink)(int32_t level, const char *text));

#endif
