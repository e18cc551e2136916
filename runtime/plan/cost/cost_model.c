#include "runtime/plan/cost/cost_model.h"

#include "runtime/device/device_kind.h"
#include "runtime/plan/alloc.h"
#include "runtime/profile/profile.h"

#include <math.h>

#define NS_PER_SECOND 1e9

double hy_launch_cost(const struct hy_runtime_device *device)
{
    const struct hy_profile *profile = device->profile;
    const double declared = (double)device->capabilities.launch_ns;

    if (!profile || profile->launch_ns <= 0)
        return declared;
    /* the launch may have been measured with the driver inside the app */
    return device->service ? fmax(profile->launch_ns, declared) : profile->launch_ns;
}

double hy_byte_cost(const struct hy_runtime_device *device)
{
    const uint64_t bytes_per_second = device->capabilities.bytes_per_second;
    return bytes_per_second ? NS_PER_SECOND / (double)bytes_per_second : 0;
}

/* halyard-cpu first, then the order of the request. */
static void rank(const struct hy_support_matrix *support_matrix, uint32_t *ranking)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (hy_device_is_cpu(support_matrix->devices[i]))
            ranking[count++] = i;
    }
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (!hy_device_is_cpu(support_matrix->devices[i]))
            ranking[count++] = i;
    }
}

/* The last resort is a candidate only without another device. */
static bool is_candidate(const struct hy_support_matrix *support_matrix, uint32_t device,
                         uint32_t operation)
{
    if (!hy_support_matrix_can(support_matrix, device, operation))
        return false;
    if (!hy_device_is_reference(support_matrix->devices[device]))
        return true;
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (i != device && hy_support_matrix_can(support_matrix, i, operation))
            return false;
    }
    return true;
}

/* Fills the row of one operation and returns its lowest cost. */
static double fill_operation(const struct hy_support_matrix *support_matrix, uint32_t operation,
                             double *extra)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        extra[i] = is_candidate(support_matrix, i, operation)
                       ? hy_support_matrix_cost(support_matrix, i, operation)
                       : INFINITY;
        if (extra[i] < least)
            least = extra[i];
    }
    for (uint32_t i = 0; i < support_matrix->device_count; i++)
        extra[i] -= least;
    return least;
}

enum hy_code hy_cost_model_make(const struct hy_support_matrix *support_matrix,
                                struct hy_arena *arena, struct hy_cost_model *ret,
                                struct hy_error *err)
{
    const uint32_t devices = support_matrix->device_count;
    struct hy_cost_model cost_model = {
        .device_count = devices,
        .operation_count = support_matrix->operation_count,
        .extra =
            hy_plan_alloc(arena, (size_t)devices * support_matrix->operation_count, sizeof(double)),
        .launch = hy_plan_alloc(arena, devices, sizeof(double)),
        .byte = hy_plan_alloc(arena, devices, sizeof(double)),
        .ranking = hy_plan_alloc(arena, devices, sizeof(uint32_t)),
    };
    if (!cost_model.extra || !cost_model.launch || !cost_model.byte || !cost_model.ranking)
        return hy_fail(err, HY_OUT_OF_MEMORY, "cost model of %u devices and %u operations", devices,
                       support_matrix->operation_count);

    rank(support_matrix, cost_model.ranking);
    for (uint32_t i = 0; i < devices; i++) {
        cost_model.launch[i] = hy_launch_cost(support_matrix->devices[i]);
        cost_model.byte[i] = hy_byte_cost(support_matrix->devices[i]);
    }
    for (uint32_t i = 0; i < support_matrix->operation_count; i++)
        cost_model.least +=
            fill_operation(support_matrix, i, cost_model.extra + (size_t)i * devices);
    *ret = cost_model;
    return HY_OK;
}
