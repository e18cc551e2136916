#ifndef HY_SERVICE_SERVER_HANGUPS_H
#define HY_SERVICE_SERVER_HANGUPS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Detects clients that disconnect while the serving thread is inside the driver. A single thread of
 * the process polls the watched sockets, and sets the cancelled word (driver.h) of the call.
 */

/* Starts the thread; later calls do nothing. Errors: FAILED (no thread, no descriptor). */
HY_MUST_CHECK enum hy_code hy_server_hangups_start(struct hy_error *err);

/*
 * Sets `*cancelled` when `socket` is disconnected. Returns a number for hy_server_hangups_remove,
 * which must be called before the socket is closed. 0: not watched; calls are not cancelled by a
 * disconnect.
 */
uint64_t hy_server_hangups_watch(int socket, uint32_t *cancelled);
void hy_server_hangups_remove(uint64_t number, int socket);

#endif
