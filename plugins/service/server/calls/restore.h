#ifndef HY_SERVICE_SERVER_RESTORE_H
#define HY_SERVICE_SERVER_RESTORE_H

#include "halyard/driver.h"

/* Sets the members of the driver's host for copying cache files of the current client. The copies
 * are charged to the client (quota.h). */
void hy_server_restore_fill(struct hy_host *face, const struct hy_host *inner);

#endif
