#ifndef HY_CPU_FALLBACK_ALLOWED_ISA_LEVELS_H
#define HY_CPU_FALLBACK_ALLOWED_ISA_LEVELS_H

#include <stdint.h>

#include "halyard/driver.h"

/*
 * Parses a list of kernel level names, separated by commas or blanks, into a set of levels (1 <<
 * level each). "avx2,dotprod" allows both levels and the levels below them; "none" allows only the
 * reference. NULL, "" and "{}" (a driver without arguments) allow all levels. An unknown name is
 * logged as a warning and ignored. A level that the machine lacks is not an error: one list can
 * serve machines of several kinds.
 */
uint32_t hy_cpu_allowed_isa_levels(const char *names, const struct hy_host *host);

#endif
