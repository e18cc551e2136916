#ifndef HY_BENCH_COMPARE_SERVE_H
#define HY_BENCH_COMPARE_SERVE_H

#include "bench/compare/contestants.h"

#include "bench/service/remote_racer.h"

/* A contestant in a process of its own, so that threads and memory of others are not in its
 * figures. */

/* What a process of such a kind is started with, behind "--serve". */
#define HY_SERVE_ARGUMENTS 6

/*
 * This end: starts a process for the contestant, in which it has run once on the inputs of the
 * folder; its outputs are there, too. Its facts are the time from the file to a model that is
 * ready, and how much more memory the process has had in use up to the end of the first run than
 * before.
 */
HY_MUST_CHECK enum hy_code hy_serve_start(const char *program, enum hy_contestant who,
                                          const struct hy_contest_model *model, const char *folder,
                                          struct hy_remote_racer **out, struct hy_error *err);

/* The other end: what main() does with these arguments. Returns an exit status. */
int hy_serve(char **arguments);

#endif
