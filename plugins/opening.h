#ifndef HY_PLUGINS_OPENING_H
#define HY_PLUGINS_OPENING_H

#include "plugins/discovery/candidate.h"
#include "plugins/plugin.h"

/*
 * The drivers of all candidates, on their way to being opened. Those behind sockets are opened side
 * by side, each on a thread: a shared service that says nothing costs its own time, and the others
 * cost none beside it. All other drivers are opened one by one, when their turn has come; so is a
 * driver behind a socket that an earlier manifest names, too: it is opened only if the earlier
 * manifest gave no device.
 */
struct hy_openings;

/* `discovery`, `candidates` and `hosts` outlive the openings. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_openings_begin(const struct hy_discovery *discovery,
                                             const struct hy_candidate_list *candidates,
                                             const struct hy_plugin_hosts *hosts,
                                             struct hy_openings **ret, struct hy_error *err);

/* The driver of one candidate, each once, in their order; waits where it is under way. The caller
 * marks the candidates whose drivers stay open. Errors: why the driver is refused; OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_openings_take(struct hy_openings *openings, uint32_t index,
                                            struct hy_plugin **ret, struct hy_error *err);

/* Closes what nobody has taken. NULL is fine. */
void hy_openings_end(struct hy_openings *openings);

#endif
