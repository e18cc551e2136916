#ifndef HY_DRIVERD_CLIENT_LISTENER_H
#define HY_DRIVERD_CLIENT_LISTENER_H

#include "driverd/listening.h"
#include "plugins/service/process/end_page.h"
#include "plugins/service/server/serve.h"

/*
 * Runs the listener of a shared service, outside of the sandbox. The listener accepts clients and
 * handles signals, and never reads data from a client. `host` is the child process that serves the
 * clients. `accept_channel` is the accept channel to `host`
 * (plugins/service/server/clients/accept_channel.h). The function takes ownership of `listening`,
 * `accept_channel` and `host`. After `host` has ended, its wait status goes to `end_page`, which
 * clients read. Call hy_client_listener_block_signals before fork. The last log line gives the
 * reason of the end and the counts of `tally`. Returns the exit status: 0 after SIGTERM, SIGINT or
 * SIGHUP or when the host ended for lack of clients, else the status of the host.
 */
int hy_client_listener_run(struct hy_listening *listening, int accept_channel, pid_t host,
                           const struct hy_end_page *end_page, const struct hy_serve_tally *tally);

/* Blocks SIGTERM, SIGINT and SIGHUP in this process and in a child that is forked later. */
void hy_client_listener_block_signals(void);

#endif
