#ifndef HY_DRIVERD_DOORMAN_H
#define HY_DRIVERD_DOORMAN_H

#include "driverd/listening.h"
#include "plugins/service/process/end_page.h"
#include "plugins/service/server/serve.h"

/*
 * The half of a shared service that is outside of the sandbox: it lets clients in and hears
 * signals, and reads nothing of what they say. `host` is the process that serves them, a child of
 * this one, and `door` leads there (plugins/service/server/clients/door.h); both become the
 * doorman's, and so does the socket. Clients of the host read of its end on the page. Signals that
 * end the service have to be blocked before the child is made. The last line of the log tells why
 * it ended, and what the host has counted. Gives the exit status: 0 when it was told to end, or the
 * host has ended for want of clients.
 */
int hy_doorman_work(struct hy_listening *listening, int door, pid_t host,
                    const struct hy_end_page *end_page, const struct hy_serve_tally *tally);

/* Blocks those signals, in this process and its child, whose concern they are not. */
void hy_doorman_block_signals(void);

#endif
