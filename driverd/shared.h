#ifndef HY_DRIVERD_SHARED_H
#define HY_DRIVERD_SHARED_H

#include "driverd/options.h"

/*
 * A shared service: this process lets clients in (doorman.h), its child, confined, serves the
 * driver to them. Gives the exit status: 0 ended as it should, 1 it failed, 2 it was asked for
 * wrongly.
 */
int hy_driverd_share(const struct hy_driverd_options *options);

#endif
