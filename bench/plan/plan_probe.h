#ifndef HY_BENCH_PLAN_PLAN_PROBE_H
#define HY_BENCH_PLAN_PLAN_PROBE_H

/* Names shared by the probe and the measuring program. */

#define PLAN_PROBE_DEVICES 8u
#define PLAN_PROBE_NAME    "plan-probe-" /* followed by a digit */

#endif
