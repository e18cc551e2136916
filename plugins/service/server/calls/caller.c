#include "plugins/service/server/calls/caller.h"

#include <stddef.h>

static _Thread_local struct hy_server *caller;
static struct hy_server *only; /* set before other threads start */

struct hy_server *hy_server_act_for(struct hy_server *server)
{
    struct hy_server *before = caller;
    caller = server;
    return before;
}

struct hy_server *hy_server_caller(void)
{
    return caller ? caller : only;
}

void hy_server_act_for_one(struct hy_server *server)
{
    only = server;
}

struct hy_server *hy_server_only_one(void)
{
    return only;
}
