#include "plugins/service/client/late_call.h"

void hy_late_call_add(struct hy_connection *connection, struct hy_channel *channel)
{
    channel->abandoned = hy_service_now();
    channel->next = connection->late;
    connection->late = channel;
    connection->late_count++;
}

static bool is_over(struct hy_channel *channel)
{
    struct hy_error ignored;
    return hy_frame_receive(&channel->socket, &channel->answer, 0, &ignored) != HY_MISSED_DEADLINE;
}

bool hy_late_calls_sweep(struct hy_connection *connection, int64_t patience_ns,
                         struct hy_channel **ended)
{
    const int64_t now = connection->late ? hy_service_now() : 0;
    struct hy_channel **at = &connection->late;
    bool is_stuck = false;

    *ended = NULL;
    while (*at) {
        struct hy_channel *channel = *at;
        if (!is_over(channel)) {
            is_stuck |= now - channel->abandoned > patience_ns;
            at = &channel->next;
            continue;
        }
        *at = channel->next;
        connection->late_count--;
        hy_channel_unlist(connection, channel);
        channel->next = *ended;
        *ended = channel;
    }
    return is_stuck;
}

/* ---- What was made --------------------------------------------------------------------------- */

/* The message that undoes one; 0: there is nothing to undo. */
static uint32_t opposite_of(uint32_t kind)
{
    switch (kind & ~HY_WIRE_ANSWER) {
    case HY_WIRE_PREPARE:
    case HY_WIRE_PREPARE_FROM_CACHE:
        return HY_WIRE_PREPARED_DESTROY;
    case HY_WIRE_REUSABLE_CREATE:
        return HY_WIRE_REUSABLE_DESTROY;
    case HY_WIRE_EXECUTE_FENCED:
        return HY_WIRE_FENCED_DESTROY;
    case HY_WIRE_BUFFER_CREATE:
        return HY_WIRE_BUFFER_DESTROY;
    default:
        return 0;
    }
}

/* Nobody knows any more whether it is there: who uses it next finds out. */
static void forget_memory(struct hy_connection *connection, uint64_t id)
{
    pthread_mutex_lock(&connection->lock);
    (void)hy_id_set_add(&connection->memories, id);
    pthread_mutex_unlock(&connection->lock);
    hy_connection_drop_memory(connection, id);
}

/* The answer to that is not waited for: the channel is at its end. */
static void undo(struct hy_channel *channel)
{
    const struct hy_frame_header *answer = &channel->answer.header;
    const uint32_t opposite = opposite_of(answer->kind);
    struct hy_error ignored;

    if (answer->status != HY_STATUS_OK)
        return;
    if (answer->kind == (HY_WIRE_MEMORY_ADD | HY_WIRE_ANSWER))
        forget_memory(channel->connection, channel->aside.header.object);
    if (opposite == 0)
        return;
    hy_outgoing_begin(&channel->call, opposite, answer->object);
    (void)!hy_frame_send(&channel->socket, &channel->call, 0, &ignored);
}

void hy_late_calls_end(struct hy_channel *ended)
{
    while (ended) {
        struct hy_channel *next = ended->next;
        undo(ended);
        hy_channel_destroy(ended);
        ended = next;
    }
}
