#ifndef HY_TOOLS_PEER_PROCESS_H
#define HY_TOOLS_PEER_PROCESS_H

#include "tools/options.h"
#include "tools/session.h"

/*
 * The same measurement in a second process without isolation: a process can run each driver only
 * inside or only outside. The two processes run in turns: the load of the machine affects both
 * alike.
 */
struct hy_peer_process;

struct hy_peer_process_plan {
    const char *model;
    const struct hy_option_list *device_names;
    const struct hy_option_list *inputs;
    /* settings of the command, used with other devices */
    const struct hy_session_settings *settings;
    uint32_t warmup;
};

/* Forks: must be called before the first call of the API, and with a single thread. Errors:
 * FAILED. */
HY_MUST_CHECK enum hy_code hy_peer_process_start(const struct hy_peer_process_plan *plan,
                                                 struct hy_peer_process **ret,
                                                 struct hy_error *err);
/* NULL is ignored. */
void hy_peer_process_end(struct hy_peer_process *peer);

/* Makes the other process compile and warm up. Error: FAILED, with the reason on stderr. */
HY_MUST_CHECK enum hy_code hy_peer_process_prepare(struct hy_peer_process *peer,
                                                   struct hy_error *err);

/* Makes the other process run `count` times; `samples` gets the duration of each run in ns. Error:
 * FAILED. */
HY_MUST_CHECK enum hy_code hy_peer_process_run(struct hy_peer_process *peer, uint32_t count,
                                               uint64_t *samples, struct hy_error *err);

#endif
