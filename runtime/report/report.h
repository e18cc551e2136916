#ifndef HY_RUNTIME_REPORT_REPORT_H
#define HY_RUNTIME_REPORT_REPORT_H

#include "runtime/compile/compilation.h"

/*
 * The report of a compilation, in the format of docs/explain.md: the device of each operation with
 * the reason, and predicted and measured times. `*text` ends in NUL, is `*length` bytes long
 * without it, and is freed by the caller. The compilation is finished. Errors: OUT_OF_MEMORY.
 */

/* Where a report that is written to a file was made; NULL for none. */
struct hy_report_occasion {
    const char *event; /* "finish" or "free" */
    uint64_t compilation;
    int64_t process;
    const char *program; /* name of the process's program */
    int64_t time;        /* nanoseconds since 1970 */
};

/* One line of JSON, without its end. */
HY_MUST_CHECK enum hy_code hy_report_json(const struct hy_compilation *compilation,
                                          const struct hy_report_occasion *occasion, char **text,
                                          size_t *length, struct hy_error *err);

/* A graph for Graphviz. */
HY_MUST_CHECK enum hy_code hy_report_dot(const struct hy_compilation *compilation, char **text,
                                         size_t *length, struct hy_error *err);

/* What became of caching, in a word: "hit". */
const char *hy_report_cache_word(enum hy_cache_kind kind);

/* Whether HALYARD_REPORT names a file: steps are measured then. */
bool hy_report_is_wanted(void);

/* Appends the report to that file, if one is named. Trouble with it is logged once, and is no
 * trouble of the app's. */
void hy_report_append(const struct hy_compilation *compilation, const char *event);

#endif
