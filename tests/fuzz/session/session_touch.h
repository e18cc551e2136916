#ifndef HY_TESTS_SESSION_TOUCH_H
#define HY_TESTS_SESSION_TOUCH_H

#include "halyard/driver.h"

#include <stdint.h>

/*
 * Uses memory as a driver that believes what a pool says of it, and no more: it reads, and where
 * the protection says so writes back, a byte in each page of all that the pool says there is. What
 * a pool says and what is mapped for it differ by a fault then: behind each mapping of a
 * descriptor lies a page that nobody may touch (session_guard.c).
 */
void session_touch(const struct hy_host *host, const struct hy_pool *pools, uint32_t count);

#endif
