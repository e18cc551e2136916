#ifndef HY_RUNTIME_LOG_H
#define HY_RUNTIME_LOG_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * One line to stderr: "halyard: area: text". Quiet by default (errors and warnings only);
 * The text becomes one printable line (common/printable.h).
 * HALYARD_LOG=level[:area,…] with level error, warning, info, debug or none. HY_LOG_* levels.
 */
void hy_log(int32_t level, const char *area, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a text that is worth one line in the life of the process; after HY_DISTINCT_TEXTS of
 * them (common/distinct_texts.h) no further ones are written. Never waits, never allocates. */
void hy_log_once(int32_t level, const char *area, const char *text);

/* Whether such a line would be written, for callers that would have to work for the text. */
bool hy_log_enabled(int32_t level, const char *area);

/* For a process of ours whose lines belong into the log of another: `take` gets "area: text" in the
 * place of stderr. Before there are threads. */
void hy_log_lead_to(void (*take)(int32_t level, const char *text));

#endif
