#include "plugins/service/server/serve.h"

#include "common/sigbus_guard.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/host.h"
#include "plugins/service/server/server_channel.h"
#include "plugins/service/server/watcher.h"

#include <unistd.h>

int hy_serve(const struct hy_serve *serve)
{
    /* Static, because hung threads may use the objects after this function has returned. */
    static struct hy_server_driver driver;
    static struct hy_server server;
    struct hy_error err;

    driver.serve = serve;
    hy_server_quota_limit_memory(serve->memory_limit, true);
    hy_server_init(&server, &driver, serve->control);
    hy_server_act_for_one(&server); /* from now on log lines reach the client */
    if (hy_sigbus_guard_install(&err) != HY_OK) {
        hy_serve_log(HY_LOG_ERROR, err.text);
        return 1;
    }
    const bool is_open = hy_server_talk(&server);
    if (!hy_server_channels_end(&server, HY_SERVER_GRACE_MS))
        _exit(1);
    hy_server_finish(&server);
    hy_server_driver_close(&driver);
    return is_open ? 0 : 1;
}
