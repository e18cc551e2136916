#include "plugins/service/client/buffer_tokens.h"

#include "plugins/service/client/connection/connection.h"

static atomic_uint last;

uint32_t hy_buffer_token_last(void)
{
    return atomic_load_explicit(&last, memory_order_relaxed);
}

void hy_buffer_token_add(struct hy_connection *connection, struct hy_buffer_token *token)
{
    /* Tokens cannot wrap: 2^32 buffers are never created. */
    token->ours = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    pthread_mutex_lock(&connection->lock);
    LIST_INSERT_HEAD(&connection->buffers, token, entry);
    pthread_mutex_unlock(&connection->lock);
}

void hy_buffer_token_remove(struct hy_connection *connection, struct hy_buffer_token *token)
{
    pthread_mutex_lock(&connection->lock);
    HY_LIST_REMOVE(token, entry);
    pthread_mutex_unlock(&connection->lock);
}

enum hy_code hy_buffer_token_find(struct hy_connection *connection, uint32_t ours, uint32_t *ret,
                                  struct hy_error *err)
{
    pthread_mutex_lock(&connection->lock);
    const struct hy_buffer_token *token;
    LIST_FOREACH (token, &connection->buffers, entry) {
        if (token->ours == ours)
            break;
    }
    if (token)
        *ret = token->theirs;
    pthread_mutex_unlock(&connection->lock);
    if (token)
        return HY_OK;
    if (ours != 0 && ours <= connection->oldest_token)
        return hy_fail(err, HY_DEAD,
                       "memory %u of the device was lost when the driver process ended", ours);
    return hy_fail(err, HY_BAD_DATA, "memory %u of the device does not exist", ours);
}
