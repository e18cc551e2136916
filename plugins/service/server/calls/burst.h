#ifndef HY_SERVICE_SERVER_BURST_H
#define HY_SERVICE_SERVER_BURST_H

#include "plugins/service/server/channel.h"

/* BURST_OPEN: the channel becomes that of a burst, whose requests a thread of its own takes from
 * the queues. */
int32_t hy_server_burst_open(struct hy_server_channel *channel, struct hy_unpack *in,
                             struct hy_error *err);

/* Reads notices from the channel of a burst until that is closed, here or with the client. */
void hy_server_burst_serve(struct hy_server_channel *channel);

#endif
