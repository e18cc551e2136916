#ifndef HY_TESTS_SESSION_DRIVER_H
#define HY_TESTS_SESSION_DRIVER_H

#include "halyard/driver.h"

/* The sample driver with buffers and caches that are written late, and with the groups that it
 * lacks: fenced executions, reusables, bursts, waiting. */
const struct hy_driver *session_driver(void);

#endif
