#ifndef HY_TESTS_SESSION_TOUCH_H
#define HY_TESTS_SESSION_TOUCH_H

#include "halyard/driver.h"

#include <stdint.h>

/*
 * Accesses memory like a trusting driver: reads a byte in each page of each pool, up to the pool's
 * size, and writes the byte back if the protection allows writing. A pool size beyond the mapping
 * causes a fault, since session_guard.c puts an inaccessible page behind each mapping of a
 * descriptor.
 */
void session_touch(const struct hy_host *host, const struct hy_pool *pools, uint32_t count);

#endif
