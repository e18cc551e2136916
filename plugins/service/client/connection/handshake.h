#ifndef HY_SERVICE_CLIENT_HANDSHAKE_H
#define HY_SERVICE_CLIENT_HANDSHAKE_H

#include "plugins/service/client/connection/connection.h"

/* The first exchange with a new process: both sides identify themselves, the process opens the
 * driver, and the client reads the properties of the driver and its devices. No other thread uses
 * the connection yet. Errors: as of hy_service_open. */
HY_MUST_CHECK enum hy_code hy_handshake(struct hy_connection *connection,
                                        const struct hy_service_launch *launch, int64_t deadline,
                                        struct hy_error *err);

#endif
