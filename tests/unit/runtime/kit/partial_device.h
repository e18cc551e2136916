#ifndef HY_TESTS_UNIT_RUNTIME_KIT_PARTIAL_DEVICE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_PARTIAL_DEVICE_H

#include "runtime/device/health.h"
#include "runtime/device/runtime_device.h"

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Devices with the results of halyard-cpu, bit for bit, but with few operations and without IF and
 * WHILE. Fail on demand. The planner sees the devices as drivers.
 */

#define PARTIAL_OPERATIONS 8u

struct partial_device {
    struct hy_runtime_device device;
    struct hy_device_work work;
    struct hy_health health;
    struct hy_operand_performance performances[32];
    int32_t operations[PARTIAL_OPERATIONS]; /* supported */
    uint32_t operation_count;
    _Atomic int32_t execute_status; /* runs fail with this */
    _Atomic int32_t prepare_status;
    atomic_uint runs;
    atomic_uint prepared; /* models alive */
};

/* halyard-cpu as seen by apps. */
const struct hy_runtime_device *real_cpu(void);

/* `cost` is relative to halyard-cpu, for all types. */
void partial_device_init(struct partial_device *partial, const char *name, float cost,
                         uint32_t count, const int32_t *operations);

#endif
