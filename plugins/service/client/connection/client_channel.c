#include "plugins/service/client/connection/client_channel.h"

#include <stdlib.h>

void hy_channel_destroy(struct hy_channel *channel)
{
    if (!channel)
        return;
    hy_sent_request_finish(&channel->sent);
    hy_timed_out_uses_finish(&channel->timed_out_uses);
    hy_socket_finish(&channel->socket);
    hy_outgoing_finish(&channel->call);
    hy_outgoing_finish(&channel->side_frame);
    hy_incoming_finish(&channel->reply);
    hy_arena_finish(&channel->arena);
    free(channel);
}

void hy_channels_close_inherited(struct hy_connection *connection)
{
    struct hy_channel *channel;

    LIST_FOREACH (channel, &connection->all, entry)
        hy_socket_finish(&channel->socket);
}
