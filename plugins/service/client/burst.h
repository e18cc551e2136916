#ifndef HY_SERVICE_CLIENT_BURST_H
#define HY_SERVICE_CLIENT_BURST_H

#include "halyard/driver.h"

#include <stdbool.h>
#include <stdint.h>

struct hy_connection;

/* The burst group of struct hy_device, over queues in shared memory. Every service has it: where
 * the driver has no bursts of its own, its executions come through the queues all the same. */
void hy_service_fill_bursts(struct hy_device *table);

/* The process is gone: nobody waits for it any more. With the connection's lock held. */
void hy_service_bursts_note_death(struct hy_connection *connection);

/*
 * Executions of bursts that were given up, with the connection's lock held: notes which are over;
 * true: one was given up before `earliest` and is not. And whether the request meets one that
 * is not, see late_uses.h.
 */
bool hy_service_bursts_catch_up(struct hy_connection *connection, int64_t earliest);
bool hy_service_bursts_meet(const struct hy_connection *connection,
                            const struct hy_request *request);

/* In a child of fork(), with the connection's lock held: what was opened before is the parent's. */
void hy_service_bursts_disown(struct hy_connection *connection);

#endif
