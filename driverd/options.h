#ifndef HY_DRIVERD_OPTIONS_H
#define HY_DRIVERD_OPTIONS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum hy_driverd_task {
    HY_DRIVERD_PRIVATE,
    HY_DRIVERD_SHARED,
    HY_DRIVERD_HELP,
    HY_DRIVERD_VERSION,
    HY_DRIVERD_LIST_OPTIONS,   /* for shell completions */
    HY_DRIVERD_LIST_MANIFESTS, /* for shell completions */
};

/* The parsed command line, see docs/halyard-driverd.8. */
struct hy_driverd_options {
    enum hy_driverd_task task;
    const char *name; /* name of the manifest to find, or NULL */
    const char
        *manifest; /* path of the manifest, or NULL; the built-in driver if `name` is NULL, too */
    const char *socket; /* NULL: passed by the service manager, or given by the manifest */
    mode_t socket_mode;
    uint32_t idle_seconds; /* idle time before the service ends; 0: never */
};

/* Parses the command line. The strings of `ret` point into `argv`. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_driverd_options_read(int argc, char **argv,
                                                   struct hy_driverd_options *ret,
                                                   struct hy_error *err);

/* hy_driverd_options_help prints the text of --help. hy_driverd_options_list prints a line for each
 * option, for shell completions: name, argument and help, separated by tabs. */
void hy_driverd_options_help(void);
void hy_driverd_options_list(void);

#endif
