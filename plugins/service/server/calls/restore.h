#ifndef HY_SERVICE_SERVER_RESTORE_H
#define HY_SERVICE_SERVER_RESTORE_H

#include "halyard/driver.h"

/* The members of the driver's host that copy cache files of the client for whom they are called:
 * the copies are charged to the client (quota.h). */
void hy_server_restore_fill(struct hy_host *face, const struct hy_host *inner);

#endif
