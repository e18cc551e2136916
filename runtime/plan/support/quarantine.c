#include "runtime/plan/support/quarantine.h"

#include "runtime/device/device_kind.h"
#include "runtime/device/health.h"
#include "runtime/plan/alloc.h"

#include <stdio.h>

#define NS_PER_MS UINT64_C(1000000)

static uint64_t quarantine_left(const struct hy_runtime_device *device, uint64_t now)
{
    if (!device->health || hy_health_is_clear(device->health))
        return 0;
    return hy_health_left(device->health, now);
}

/* True if a healthy device supports the operation. */
static bool has_other(const struct hy_support_matrix *support_matrix, uint32_t operation,
                      uint64_t now)
{
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (hy_support_matrix_can(support_matrix, i, operation) &&
            !hy_device_is_reference(support_matrix->devices[i]) &&
            quarantine_left(support_matrix->devices[i], now) == 0)
            return true;
    }
    return false;
}

static enum hy_code apply_to_device(struct hy_support_matrix *support_matrix,
                                    struct hy_arena *arena, uint32_t device, uint64_t now,
                                    struct hy_error *err)
{
    const struct hy_health *health = support_matrix->devices[device]->health;
    const size_t row = (size_t)device * support_matrix->operation_count;
    char text[128];

    snprintf(text, sizeof text,
             "the device has failed %u times in a row and is in quarantine for %llu ms",
             hy_health_failures(health),
             (unsigned long long)hy_health_left(health, now) / NS_PER_MS + 1);
    const char *reason = hy_plan_strdup(arena, text);
    if (!reason)
        return hy_fail(err, HY_OUT_OF_MEMORY, "reason of device %u", device);
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        if (!support_matrix->supported[row + i] || !has_other(support_matrix, i, now))
            continue;
        support_matrix->supported[row + i] = 0;
        support_matrix->reasons[row + i] = reason;
    }
    return HY_OK;
}

enum hy_code hy_plan_apply_quarantine(struct hy_support_matrix *support_matrix,
                                      struct hy_arena *arena, uint64_t now, struct hy_error *err)
{
    const uint32_t count = hy_support_matrix_listed(support_matrix);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        if (quarantine_left(support_matrix->devices[i], now) > 0)
            code = apply_to_device(support_matrix, arena, i, now, err);
    }
    return code;
}
