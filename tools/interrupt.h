#ifndef HY_TOOLS_INTERRUPT_H
#define HY_TOOLS_INTERRUPT_H

#include <stdbool.h>

/*
 * SIGINT and SIGTERM ask a long command to stop, to tell what it has done so far, and to leave
 * nothing behind. A second one ends the process as ever. hy_interrupt_end ends it by the signal
 * that asked, so that shells and services see why; without one it does nothing.
 */
void hy_interrupt_watch(void);
bool hy_interrupt_came(void);
void hy_interrupt_end(void);

/* In a child: the signals end it at once. */
void hy_interrupt_leave(void);

#endif
