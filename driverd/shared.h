#ifndef HY_DRIVERD_SHARED_H
#define HY_DRIVERD_SHARED_H

#include "driverd/options.h"

/*
 * Runs a shared service. This process is the listener (client_listener.h). A confined child process
 * serves the driver to the clients. Returns the exit status: 0 regular end, 1 failure, 2 wrong
 * usage.
 */
int hy_driverd_run_shared(const struct hy_driverd_options *options);

#endif
