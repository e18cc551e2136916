#ifndef HY_TOOLS_COMMAND_H
#define HY_TOOLS_COMMAND_H

#include "common/error.h"

/* How a command ends, for the shell. */
enum hy_exit {
    HY_EXIT_OK = 0,
    HY_EXIT_FAILED = 1, /* it was tried and failed; stderr says why */
    HY_EXIT_WRONG = 2,  /* the command line is wrong; stderr says what there is */
};

/* One per subcommand. argv[0] is the subcommand's name. Each returns an enum hy_exit. */
int hy_cmd_devices(int argc, char **argv);
int hy_cmd_run(int argc, char **argv);
int hy_cmd_bench(int argc, char **argv);
int hy_cmd_explain(int argc, char **argv);
int hy_cmd_inspect(int argc, char **argv);
int hy_cmd_conformance(int argc, char **argv);
int hy_cmd_cache(int argc, char **argv);
int hy_cmd_cache_check(int argc, char **argv); /* `halyard cache check` */
int hy_cmd_compile(int argc, char **argv);
int hy_cmd_check_driver(int argc, char **argv);

/* Prints "halyard COMMAND: words" to stderr and returns HY_EXIT_FAILED. */
int hy_exit_failed(const char *command, const struct hy_error *err);

/* The same for a wrong command line, with where to find help; returns HY_EXIT_WRONG. */
int hy_exit_wrong(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Drivers, and halyard-cpu, run in processes of their own, as with HALYARD_ISOLATE=all; before the
 * first call of the API. */
void hy_command_isolate(void);

/* Flushes stdout; a result that could not be written is a failure too. */
int hy_exit_written(const char *command);

#endif
