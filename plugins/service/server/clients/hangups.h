#ifndef HY_SERVICE_SERVER_HANGUPS_H
#define HY_SERVICE_SERVER_HANGUPS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Sockets whose far ends may go while the thread that serves them is inside of the driver: one
 * thread of the process waits for that, and sets the cancelled word (driver.h) of the call.
 */

/* Starts the thread. Errors: FAILED (no thread, no descriptor). */
HY_MUST_CHECK enum hy_code hy_server_hangups_start(struct hy_error *err);

/*
 * Sets `*cancelled` when `socket` hangs up, until hy_server_hangups_forget with the number that
 * this function gives, which comes before the socket is closed. 0: nobody watches; the call ends
 * without.
 */
uint64_t hy_server_hangups_watch(int socket, uint32_t *cancelled);
void hy_server_hangups_forget(uint64_t number, int socket);

#endif
