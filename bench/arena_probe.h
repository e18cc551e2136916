#ifndef HY_BENCH_ARENA_PROBE_H
#define HY_BENCH_ARENA_PROBE_H

#include "cpu_fallback/cpu_prepared.h"

#define ARENA_PROBE_DEVICE "arena-probe"
#define ARENA_PROBE_SYMBOL "arena_probe_stats"

/* Returns the statistics of the CPU backend for the last prepared model. */
typedef struct hy_cpu_stats arena_probe_stats_fn(void);
HY_DRIVER_EXPORT arena_probe_stats_fn arena_probe_stats;

#endif
