#ifndef HY_BENCH_SERVICE_REMOTE_SUBJECT_H
#define HY_BENCH_SERVICE_REMOTE_SUBJECT_H

#include "bench/measure.h"

/*
 * A subject in a separate process, for libraries that a process can load only once, for example a
 * library with a fixed name. The process measures its own runs: the figures exclude the
 * communication.
 */
struct hy_remote_subject;

/* The report of a ready process; the program defines the meaning. */
struct hy_remote_info {
    double seconds; /* start-up time */
    double bytes;   /* memory of the start */
};

/* A variable of the process's environment. */
struct hy_remote_variable {
    const char *name;
    const char *value;
};

/*
 * Starts this program again with `arguments` (NULL at the end, the program's name first) and these
 * variables, and waits until the process is ready. Errors: FAILED; the process reports its errors
 * on stderr.
 */
HY_MUST_CHECK enum hy_code hy_remote_subject_start(const char *const *arguments,
                                                   const struct hy_remote_variable *variables,
                                                   uint32_t variable_count,
                                                   struct hy_remote_subject **out,
                                                   struct hy_error *err);
/* NULL is ignored. */
void hy_remote_subject_stop(struct hy_remote_subject *remote);
struct hy_remote_info hy_remote_subject_info(const struct hy_remote_subject *remote);

/* hy_bench_subject.time_runs, with the remote racer as `self`. */
HY_MUST_CHECK enum hy_code hy_remote_subject_time_runs(void *self, uint64_t repeats,
                                                       double *seconds, struct hy_error *err);

/* The side of the process: sends the facts (NULL: no facts), and runs `racer` on request until the
 * end of the requests. The function owns stdin and stdout. */
HY_MUST_CHECK enum hy_code hy_remote_subject_serve(const struct hy_bench_subject *subject,
                                                   const struct hy_remote_info *info,
                                                   struct hy_error *err);

#endif
