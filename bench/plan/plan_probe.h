#ifndef HY_BENCH_PLAN_PLAN_PROBE_H
#define HY_BENCH_PLAN_PLAN_PROBE_H

/* What the probe and the program that measures with it agree on. */

#define PLAN_PROBE_DEVICES 8u
#define PLAN_PROBE_NAME    "plan-probe-" /* and a digit */

#endif
