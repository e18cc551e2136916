#ifndef HY_BENCH_ARENA_PROBE_H
#define HY_BENCH_ARENA_PROBE_H

#include "cpu_fallback/prepared.h"

#define ARENA_PROBE_DEVICE "arena-probe"
#define ARENA_PROBE_SYMBOL "arena_probe_stats"

/* What the CPU backend made of the model that the probe has prepared last. */
typedef struct hy_cpu_stats arena_probe_stats_fn(void);
HY_DRIVER_EXPORT arena_probe_stats_fn arena_probe_stats;

#endif
