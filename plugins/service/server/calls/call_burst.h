#ifndef HY_SERVICE_SERVER_CALL_BURST_H
#define HY_SERVICE_SERVER_CALL_BURST_H

#include "plugins/service/server/server_channel.h"

/* Handles BURST_OPEN: the channel now belongs to a burst, and a dedicated thread pops the burst's
 * requests from the queues. */
int32_t hy_server_burst_open(struct hy_server_channel *channel, struct hy_unpack *in,
                             struct hy_error *err);

/* Reads notices from the channel of a burst until the channel is closed, by either side. */
void hy_server_burst_serve(struct hy_server_channel *channel);

#endif
