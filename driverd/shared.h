#ifndef HY_DRIVERD_SHARED_H
#define HY_DRIVERD_SHARED_H

#include "driverd/options.h"

/*
 * Runs a shared service. This process is the listener (doorman.h). A confined child process serves
 * the driver to the clients. Returns the exit status: 0 regular end, 1 failure, 2 wrong usage.
 */
int hy_driverd_share(const struct hy_driverd_options *options);

#endif
