#include "plugins/service/client/sent_request.h"

#include "plugins/service/client/buffer_tokens.h"

#include <stdbool.h>
#include <stdlib.h>

enum hy_code hy_sent_pools_check(const struct hy_pool *pools, uint32_t count, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pools[i].kind == HY_POOL_HOST)
            return hy_fail(err, HY_FAILED,
                           "pool %u is memory by address, which only this process can read", i);
    }
    return HY_OK;
}

static bool has_buffers(const struct hy_request *request)
{
    for (uint32_t i = 0; i < request->pool_count; i++) {
        if (request->pools[i].kind == HY_POOL_BUFFER)
            return true;
    }
    return false;
}

static enum hy_code grow_pools(struct hy_sent_request *sent, uint32_t count, struct hy_error *err)
{
    if (count <= sent->space)
        return HY_OK;
    struct hy_pool *pools = reallocarray(sent->pools, count, sizeof *pools);
    if (!pools)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u pools", count);
    sent->pools = pools;
    sent->space = count;
    return HY_OK;
}

enum hy_code hy_sent_request_bind(struct hy_sent_request *sent, struct hy_connection *connection,
                                  const struct hy_request *request, struct hy_error *err)
{
    enum hy_code code = hy_sent_pools_check(request->pools, request->pool_count, err);

    sent->request = *request;
    if (code != HY_OK || !has_buffers(request))
        return code;
    code = grow_pools(sent, request->pool_count, err);
    for (uint32_t i = 0; i < request->pool_count && code == HY_OK; i++) {
        sent->pools[i] = request->pools[i];
        if (request->pools[i].kind == HY_POOL_BUFFER)
            code = hy_buffer_token_find(connection, request->pools[i].buffer_token,
                                        &sent->pools[i].buffer_token, err);
    }
    sent->request.pools = sent->pools;
    return code;
}

void hy_sent_request_finish(struct hy_sent_request *sent)
{
    free(sent->pools);
    *sent = (struct hy_sent_request){0};
}
