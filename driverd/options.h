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
    HY_DRIVERD_LIST_OPTIONS,   /* for completions of shells */
    HY_DRIVERD_LIST_MANIFESTS, /* the same */
};

/* The command line: docs/halyard-driverd.8. */
struct hy_driverd_options {
    enum hy_driverd_task task;
    const char *name;     /* of the manifest that is to be found; or NULL */
    const char *manifest; /* its path, if that is given; or NULL. Neither: the built-in driver */
    const char *socket;   /* NULL: it is handed over, or the manifest says where */
    mode_t socket_mode;
    uint32_t idle_seconds; /* 0: it does not end by itself */
};

/* The strings stay those of `argv`. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_driverd_options_read(int argc, char **argv,
                                                   struct hy_driverd_options *ret,
                                                   struct hy_error *err);

/* The text of --help; and what completions are made of: name, argument and help, between tabs. */
void hy_driverd_options_help(void);
void hy_driverd_options_list(void);

#endif
