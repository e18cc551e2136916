#ifndef HY_RUNTIME_REPORT_REPORT_H
#define HY_RUNTIME_REPORT_REPORT_H

#include "runtime/compile/compilation.h"

/*
 * Reports of compilations, in the format of docs/explain.md: the device of each operation with the
 * reason, and predicted and measured times. `*text` ends in NUL and has `*length` bytes without the
 * NUL; the caller frees the text. The compilation must be finished. Errors: OUT_OF_MEMORY.
 */

/* The origin of a report in a file; NULL for other reports. */
struct hy_report_occasion {
    const char *event; /* "finish" or "free" */
    uint64_t compilation;
    int64_t process;
    const char *program; /* program name of the process */
    int64_t time;        /* nanoseconds since 1970 */
};

/* Formats a line of JSON without the newline. */
HY_MUST_CHECK enum hy_code hy_report_json(const struct hy_compilation *compilation,
                                          const struct hy_report_occasion *occasion, char **text,
                                          size_t *length, struct hy_error *err);

/* A graph for Graphviz. */
HY_MUST_CHECK enum hy_code hy_report_dot(const struct hy_compilation *compilation, char **text,
                                         size_t *length, struct hy_error *err);

/* Returns the cache outcome as a word, such as "hit". */
const char *hy_report_cache_text(enum hy_cache_kind kind);

/* True if HALYARD_REPORT names a file. Steps are measured in this case. */
bool hy_report_is_wanted(void);

/* Appends a report to the file of HALYARD_REPORT, if set. A failure is logged once and does not
 * affect the app. */
void hy_report_append(const struct hy_compilation *compilation, const char *event);

#endif
