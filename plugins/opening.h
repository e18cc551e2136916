#ifndef HY_PLUGINS_OPENING_H
#define HY_PLUGINS_OPENING_H

#include "plugins/discovery/candidate.h"
#include "plugins/plugin.h"

/*
 * Opens the drivers of all candidates. Drivers behind sockets open in parallel, one thread each, so
 * an unresponsive shared service delays only its own driver. All other drivers open one by one,
 * inside hy_openings_claim. A driver behind a socket that an earlier manifest also names opens
 * inside hy_openings_claim as well, and only if the driver of the earlier manifest is not open.
 */
struct hy_openings;

/* Starts the parallel openings. `discovery`, `candidates` and `hosts` must outlive the openings.
 * Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_openings_begin(const struct hy_discovery *discovery,
                                             const struct hy_candidate_list *candidates,
                                             const struct hy_plugin_hosts *hosts,
                                             struct hy_openings **ret, struct hy_error *err);

/* Returns the opened driver of candidate `index`, and waits while the opening is in progress. Call
 * once per candidate, in order. The caller owns the driver, and marks each candidate whose driver
 * stays open. Errors: the reason why the driver is refused; OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_openings_claim(struct hy_openings *openings, uint32_t index,
                                             struct hy_plugin **ret, struct hy_error *err);

/* Waits for openings in progress, closes all drivers that were not returned and frees the openings.
 * Accepts NULL. */
void hy_openings_end(struct hy_openings *openings);

#endif
