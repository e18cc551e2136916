#ifndef HY_TESTS_SESSION_DRIVER_H
#define HY_TESTS_SESSION_DRIVER_H

#include "halyard/driver.h"

/* The sample driver with buffers and delayed cache writes. Adds the function groups missing in the
 * sample driver: fenced executions, reusables, bursts, waiting. */
const struct hy_driver *session_driver(void);

#endif
