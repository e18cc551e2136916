#ifndef HY_TOOLS_COMMAND_H
#define HY_TOOLS_COMMAND_H

#include "common/error.h"

/* The exit status of a command. */
enum hy_exit {
    HY_EXIT_OK = 0,
    HY_EXIT_FAILED = 1, /* the command failed; stderr has the reason */
    HY_EXIT_WRONG = 2,  /* the command line is wrong; stderr has the valid forms */
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

/* Prints "halyard COMMAND: text" to stderr and returns HY_EXIT_FAILED. */
int hy_exit_failed(const char *command, const struct hy_error *err);

/* As hy_exit_failed, for a wrong command line, with a pointer to the help; returns
 * HY_EXIT_WRONG. */
int hy_exit_wrong(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Runs drivers and halyard-cpu in separate processes, as with HALYARD_ISOLATE=all. Must be called
 * before the first call of the API. */
void hy_command_isolate(void);

/* Flushes stdout; a failed write is also a failure. */
int hy_exit_written(const char *command);

#endif
