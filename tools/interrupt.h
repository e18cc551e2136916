#ifndef HY_TOOLS_INTERRUPT_H
#define HY_TOOLS_INTERRUPT_H

#include <stdbool.h>

/*
 * SIGINT and SIGTERM stop a long command; the command prints its results so far and removes its
 * temporary files. A second signal ends the process immediately. hy_interrupt_end ends the process
 * by the received signal, for the benefit of shells and services; without a signal the function
 * does nothing.
 */
void hy_interrupt_watch(void);
bool hy_interrupt_came(void);
void hy_interrupt_end(void);

/* Called in a child process: the signals end the child immediately. */
void hy_interrupt_leave(void);

#endif
