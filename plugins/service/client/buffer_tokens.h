#ifndef HY_SERVICE_CLIENT_BUFFER_TOKENS_H
#define HY_SERVICE_CLIENT_BUFFER_TOKENS_H

#include "common/error.h"
#include "common/list.h"

struct hy_connection;

/* A buffer of a driver's as both sides know it. This side gives a token once in its life. */
struct hy_buffer_token {
    uint32_t ours;
    uint32_t theirs;                   /* of the process */
    LIST_ENTRY(hy_buffer_token) entry; /* of the connection */
};

/* The last one that was given to anybody. */
uint32_t hy_buffer_token_last(void);

/* Gives a token of ours, and has the connection know it; from any thread. */
void hy_buffer_token_add(struct hy_connection *connection, struct hy_buffer_token *token);
void hy_buffer_token_remove(struct hy_connection *connection, struct hy_buffer_token *token);

/* The token that the process has for one of ours. Errors: DEAD (the memory was lost with an earlier
 * process), BAD_DATA (there is none). */
HY_MUST_CHECK enum hy_code hy_buffer_token_find(struct hy_connection *connection, uint32_t ours,
                                                uint32_t *ret, struct hy_error *err);

#endif
