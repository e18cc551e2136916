#ifndef HY_SERVICE_CLIENT_HANDSHAKE_H
#define HY_SERVICE_CLIENT_HANDSHAKE_H

#include "plugins/service/client/connection/connection.h"

/* The first words with a process that has just been started: who both are, which driver it opens,
 * and what that says of itself. Nobody else uses the connection yet. Errors as those of
 * hy_service_open. */
HY_MUST_CHECK enum hy_code hy_handshake(struct hy_connection *connection,
                                        const struct hy_service_launch *launch, int64_t deadline,
                                        struct hy_error *err);

#endif
