#ifndef HY_BENCH_COMPARE_SERVE_H
#define HY_BENCH_COMPARE_SERVE_H

#include "bench/compare/engines.h"

#include "bench/service/remote_subject.h"

/* A contestant in a separate process: its figures exclude threads and memory of other
 * contestants. */

/* The number of arguments after "--serve". */
#define HY_SERVE_ARGUMENTS 6

/*
 * The side of the benchmark: starts a process for the contestant. The process has run once on the
 * inputs of the directory, and has written its outputs to the directory. Its facts are the time
 * from the file to a ready model, and the growth of the process's memory from before loading to the
 * end of the first run.
 */
HY_MUST_CHECK enum hy_code hy_serve_start(const char *program, enum hy_engine who,
                                          const struct hy_engine_model *model, const char *dir,
                                          struct hy_remote_subject **out, struct hy_error *err);

/* The side of the contestant: called by main() with these arguments. Returns an exit status. */
int hy_serve(char **arguments);

#endif
