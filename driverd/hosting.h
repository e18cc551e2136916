#ifndef HY_DRIVERD_HOSTING_H
#define HY_DRIVERD_HOSTING_H

#include "plugins/service/server/serve.h"

/* The common settings of private and shared services: hosts, built-in driver
 * and sandbox. Call once per process, before any thread is started. The caller sets `control` and
 * `note`. */
struct hy_serve hy_hosting(void);

#endif
