#ifndef HY_TESTS_STARTED_H
#define HY_TESTS_STARTED_H

#include "plugins/service/process/host_process.h"

#include <stdbool.h>

enum { PATIENCE_MS = 120000 }; /* for what must happen; how long it takes is nobody's concern */

/* The program of stand_in.c, running; NULL and a failed test if it cannot be started. */
struct hy_host_process *started(void);

/* What it says first, NUL-terminated; false when it says nothing. */
bool started_facts(const struct hy_host_process *process, char *text, size_t room);

/* Whether the process of a pidfd has ended, or does so within PATIENCE_MS. */
bool started_has_ended(int pidfd);

/* True if this process has no child of any kind, not even a dead one. */
bool started_left_no_child(void);

#endif
