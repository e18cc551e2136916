#ifndef HY_BENCH_KERNELS_TUNING_PROBE_H
#define HY_BENCH_KERNELS_TUNING_PROBE_H

#include <stdint.h>

#include "halyard/driver.h"

/* The blocking of the probe's devices: as if the second-level cache held everything, by rule, or by
 * measurement. Each way has a device for a single thread, and a device for all threads. */
enum tuning_way { TUNING_TILES, TUNING_RULE, TUNING_MEASURED, TUNING_WAY_COUNT };

#define TUNING_DEVICES (2 * TUNING_WAY_COUNT)

static const char *const tuning_device_names[TUNING_DEVICES] = {
    "tiles-1", "rule-1", "measured-1", "tiles-n", "rule-n", "measured-n",
};

#define TUNING_PROBE_SYMBOL "tuning_probe_state"

/* The tuning state of the last model that a device of TUNING_MEASURED has prepared. */
enum tuning_state { TUNING_NOTHING, TUNING_PENDING, TUNING_DONE };

typedef int32_t tuning_probe_fn(void);
HY_DRIVER_EXPORT tuning_probe_fn tuning_probe_state;

#endif
