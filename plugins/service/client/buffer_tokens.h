#ifndef HY_SERVICE_CLIENT_BUFFER_TOKENS_H
#define HY_SERVICE_CLIENT_BUFFER_TOKENS_H

#include "common/error.h"
#include "common/list.h"

struct hy_connection;

/* The client token (`ours`) and the driver token (`theirs`) of a driver buffer. A client token is
 * unique for the life of the client process. */
struct hy_buffer_token {
    uint32_t ours;
    uint32_t theirs;                   /* of the driver's process */
    LIST_ENTRY(hy_buffer_token) entry; /* in hy_connection.buffers */
};

/* Returns the most recent client token; 0: no token yet. */
uint32_t hy_buffer_token_last(void);

/* Allocates a client token, stores the number in token->ours and adds `token` to the connection.
 * The caller owns `token` and keeps the memory until hy_buffer_token_remove. Any thread may call
 * both functions. */
void hy_buffer_token_add(struct hy_connection *connection, struct hy_buffer_token *token);
void hy_buffer_token_remove(struct hy_connection *connection, struct hy_buffer_token *token);

/* Looks up the driver's token for `ours`. Errors: DEAD (the buffer was lost with an earlier
 * process), BAD_DATA (no such token). */
HY_MUST_CHECK enum hy_code hy_buffer_token_find(struct hy_connection *connection, uint32_t ours,
                                                uint32_t *ret, struct hy_error *err);

#endif
