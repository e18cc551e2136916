#ifndef HY_BENCH_SERVICE_REMOTE_RACER_H
#define HY_BENCH_SERVICE_REMOTE_RACER_H

#include "bench/race.h"

/*
 * A racer in a process of its own, for what a process can hold only one of: the library that a
 * client finds under a fixed name. The process times its runs itself, so that the way there is not
 * in the figures.
 */
struct hy_remote_racer;

/* What a process tells once it is ready, in whatever sense its program has for it. */
struct hy_remote_facts {
    double seconds; /* that it took to get ready */
    double bytes;   /* of memory that this has cost */
};

/* A variable of the process's environment. */
struct hy_remote_variable {
    const char *name;
    const char *value;
};

/*
 * Starts this program once more with `arguments` (NULL at the end, the program's name first) and
 * these variables, and waits until it is ready. Errors: FAILED; what goes wrong over there is told
 * on its stderr.
 */
HY_MUST_CHECK enum hy_code
hy_remote_racer_start(const char *const *arguments, const struct hy_remote_variable *variables,
                      uint32_t variable_count, struct hy_remote_racer **out, struct hy_error *err);
void hy_remote_racer_stop(struct hy_remote_racer *remote); /* takes NULL */
struct hy_remote_facts hy_remote_racer_facts(const struct hy_remote_racer *remote);

/* hy_racer.time_runs, with the remote racer as `self`. */
HY_MUST_CHECK enum hy_code hy_remote_racer_time_runs(void *self, uint64_t repeats, double *seconds,
                                                     struct hy_error *err);

/* The other end: tells the facts (NULL: there are none), and runs `racer` as it is told, until it
 * is stopped. It owns stdin and stdout. */
HY_MUST_CHECK enum hy_code hy_remote_racer_serve(const struct hy_racer *racer,
                                                 const struct hy_remote_facts *facts,
                                                 struct hy_error *err);

#endif
