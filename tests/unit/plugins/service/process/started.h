#ifndef HY_TESTS_STARTED_H
#define HY_TESTS_STARTED_H

#include "plugins/service/process/host_process.h"

#include <stdbool.h>

enum { TIMEOUT_MS = 120000 }; /* for events certain to occur; the duration does not matter */

/* The running program of fake_driverd.c. On failure records a test failure and returns NULL. */
struct hy_host_process *started(void);

/* The first message of the process, NUL-terminated. Returns false without a message. */
bool started_read_info(const struct hy_host_process *process, char *text, size_t space);

/* Whether the process of a pidfd ends within TIMEOUT_MS. */
bool started_has_ended(int pidfd);

/* True if this process has no children, zombies included. */
bool started_left_no_child(void);

#endif
