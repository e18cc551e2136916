/* Eight devices with different operations and costs, without any work in prepare: a compilation for
 * these devices consists almost only of planning. */
#include "bench/plan/plan_probe.h"

#include <halyard/driver.h>
#include <stdio.h>
#include <stdlib.h>

#include <android/NeuralNetworks.h>

struct probe {
    uint32_t index;
    char name[sizeof PLAN_PROBE_NAME + 1];
    struct hy_operand_performance figures;
};

struct instance {
    struct probe devices[PLAN_PROBE_DEVICES];
};

static int32_t describe(void *device, struct hy_device_info *info)
{
    const struct probe *probe = device;
    *info = (struct hy_device_info){
        .struct_size = sizeof *info,
        .type = HY_DEVICE_ACCELERATOR,
        .name = probe->name,
        .version = "1",
        .build_id = "",
        .feature_level = 8,
    };
    return HY_STATUS_OK;
}

/* Launches that a few operations pay for; every other device works in the app's own memory. */
static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    const struct probe *probe = device;
    const struct hy_performance performance = probe->figures.performance;
    *capabilities = (struct hy_capabilities){
        .struct_size = sizeof *capabilities,
        .operand_count = 1,
        .operands = &probe->figures,
        .relaxed_scalar = performance,
        .relaxed_tensor = performance,
        .if_overhead = performance,
        .while_overhead = performance,
        .launch_ns = UINT64_C(100) * (probe->index + 1),
        .bytes_per_second = probe->index % 2 ? UINT64_C(20000000000) * probe->index : 0,
    };
    return HY_STATUS_OK;
}

/* Bit of an operation; the devices' numbers enumerate all sets of the three operations. The first
 * device supports all of them, and is slow. */
static uint32_t bit_of(int32_t operation)
{
    switch (operation) {
    case ANEURALNETWORKS_ADD:
        return 1;
    case ANEURALNETWORKS_MUL:
        return 2;
    case ANEURALNETWORKS_LOGISTIC:
        return 4;
    default:
        return 0;
    }
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct probe *probe = device;
    (void)refusals;
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        const uint32_t bit = bit_of(model->main->operations[i].type);
        supported[i] = (probe->index & bit) != 0 || probe->index == 0;
    }
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)model;
    (void)options;
    *prepared = device;
    return HY_STATUS_OK;
}

static void prepared_destroy(void *prepared)
{
    (void)prepared;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    (void)prepared;
    (void)request;
    (void)options;
    (void)result;
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **ret)
{
    struct instance *instance = calloc(1, sizeof *instance);
    (void)host;
    (void)arguments;
    (void)message;
    if (!instance)
        return HY_STATUS_GENERAL_FAILURE;
    for (uint32_t i = 0; i < PLAN_PROBE_DEVICES; i++) {
        struct probe *probe = &instance->devices[i];
        const float slowness = i == 0 ? 1 : .1f * (float)i;
        probe->index = i;
        probe->figures.type = ANEURALNETWORKS_TENSOR_FLOAT32;
        probe->figures.performance = (struct hy_performance){slowness, slowness};
        snprintf(probe->name, sizeof probe->name, "%s%u", PLAN_PROBE_NAME, i % 10);
    }
    *ret = instance;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return PLAN_PROBE_DEVICES;
}

static int32_t get_device(void *self, uint32_t index, const struct hy_device **table, void **out)
{
    static const struct hy_device own = {
        .struct_size = sizeof own,
        .abi = HY_DRIVER_ABI,
        .describe = describe,
        .capabilities = capabilities,
        .supported_operations = supported_operations,
        .prepare = prepare,
        .prepared_destroy = prepared_destroy,
        .execute = execute,
    };
    struct instance *instance = self;
    if (index >= PLAN_PROBE_DEVICES)
        return HY_STATUS_INVALID_ARGUMENT;
    *table = &own;
    *out = &instance->devices[index];
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_driver driver = {
        .struct_size = sizeof driver,
        .abi = HY_DRIVER_ABI,
        .name = "plan-probe",
        .create = create,
        .destroy = free,
        .device_count = device_count,
        .device = get_device,
    };
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
