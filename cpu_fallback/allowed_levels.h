#ifndef HY_CPU_FALLBACK_ALLOWED_LEVELS_H
#define HY_CPU_FALLBACK_ALLOWED_LEVELS_H

#include <stdint.h>

#include "halyard/driver.h"

/*
 * The kernel levels of a list of names, separated by commas or blanks: "avx2,dotprod" allows these
 * and the levels that they build on, "none" no level but the reference. NULL, "" and "{}" (a driver
 * without arguments) allow all. A name that nobody knows is logged, and counts for nothing. What
 * the machine does not have is no mistake: one list can serve machines of several kinds.
 */
uint32_t hy_cpu_allowed_levels(const char *names, const struct hy_host *host);

#endif
