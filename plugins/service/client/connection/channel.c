#include "plugins/service/client/connection/channel.h"

#include <stdlib.h>

void hy_channel_destroy(struct hy_channel *channel)
{
    if (!channel)
        return;
    hy_sent_request_finish(&channel->sent);
    hy_late_uses_finish(&channel->late_uses);
    hy_socket_finish(&channel->socket);
    hy_outgoing_finish(&channel->call);
    hy_outgoing_finish(&channel->aside);
    hy_incoming_finish(&channel->answer);
    hy_arena_finish(&channel->arena);
    free(channel);
}

void hy_channels_forget(struct hy_connection *connection)
{
    struct hy_channel *channel;

    LIST_FOREACH (channel, &connection->all, entry)
        hy_socket_finish(&channel->socket);
}
