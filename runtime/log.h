#ifndef HY_RUNTIME_LOG_H
#define HY_RUNTIME_LOG_H

#include "halyard/driver.h"

#include <stdbool.h>

#define HY_LOG_TEXT_SIZE 1024 /* a longer text is cut */

/*
 * One line to stderr, with the time, the process, the level and the area, as HALYARD_LOG_FORMAT
 * says (docs/environment.md). Quiet by default (errors and warnings only); HALYARD_LOG says which
 * levels and areas are written. The text becomes one printable line (common/printable.h). Levels
 * are HY_LOG_*; log.c lists the areas.
 */
void hy_log(int32_t level, const char *area, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same in the area "driver" for what a driver says; `driver` is its name, or "". A level that
 * is none is taken for the nearest. */
void hy_log_driver(int32_t level, const char *driver, const char *text);

/* The same for a text that is worth one line in the life of the process; after HY_DISTINCT_TEXTS of
 * them (common/distinct_texts.h) no further ones are written. Never waits, never allocates. */
void hy_log_once(int32_t level, const char *area, const char *text);

/* Whether such a line would be written, for callers that would have to work for the text. */
bool hy_log_enabled(int32_t level, const char *area);

/* A warning for each word of HALYARD_LOG and HALYARD_LOG_FORMAT that means nothing, with the words
 * that there are. */
void hy_log_check_settings(void);

/* For a process of ours whose lines belong into the log of another: `take` gets "area: text" in the
 * place of stderr. Before there are threads. */
void hy_log_lead_to(void (*take)(int32_t level, const char *text));

#endif
