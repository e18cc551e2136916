#ifndef HY_DRIVERD_HOSTING_H
#define HY_DRIVERD_HOSTING_H

#include "plugins/service/server/serve.h"

/* What both forms of this program give to the serving: hosts, the built-in driver, and the sandbox.
 * Called before there are threads; there is one serving in a process. `control` and `note` are the
 * caller's to set. */
struct hy_serve hy_hosting(void);

#endif
