#ifndef HY_DRIVERD_OPTIONS_H
#define HY_DRIVERD_OPTIONS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The command line: docs/halyard-driverd.8. */
struct hy_driverd_options {
    bool is_private;
    const char *manifest; /* NULL: the built-in driver */
    const char *socket;   /* NULL: it is handed over */
    mode_t socket_mode;
    uint32_t idle_seconds; /* 0: it does not end by itself */
};

/* The strings stay those of `argv`. Errors: BAD_DATA. */
HY_MUST_CHECK enum hy_code hy_driverd_options_read(int argc, char **argv,
                                                   struct hy_driverd_options *ret,
                                                   struct hy_error *err);

#endif
