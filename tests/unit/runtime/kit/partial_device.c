#include "partial_device.h"

#include "halyard/halyard.h"
#include "runtime/drivers/device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct partial_prepared {
    struct partial_device *partial;
    void *inner;
};

const struct hy_runtime_device *real_cpu(void)
{
    const struct hy_device_list *devices = hy_devices();
    return devices ? devices->cpu : NULL;
}

static bool supports(const struct partial_device *partial, int32_t operation)
{
    for (uint32_t i = 0; i < partial->operation_count; i++) {
        if (partial->operations[i] == operation)
            return true;
    }
    return false;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct partial_device *partial = device;

    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        supported[i] = supports(partial, model->main->operations[i].type);
        if (!supported[i])
            refusals->refuse(refusals->context, i, "not on this device");
    }
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    struct partial_device *partial = device;
    const struct hy_runtime_device *cpu = real_cpu();
    struct partial_prepared *prepared;

    if (partial->prepare_status != HY_STATUS_OK)
        return partial->prepare_status;
    prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    prepared->partial = partial;
    int32_t status = cpu->table->prepare(cpu->self, model, options, &prepared->inner);
    if (status != HY_STATUS_OK) {
        free(prepared);
        return status;
    }
    partial->prepared++;
    *ret = prepared;
    return HY_STATUS_OK;
}

static void prepared_destroy(void *self)
{
    struct partial_prepared *prepared = self;

    real_cpu()->table->prepared_destroy(prepared->inner);
    prepared->partial->prepared--;
    free(prepared);
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct partial_prepared *prepared = self;
    const int32_t status = prepared->partial->execute_status;

    prepared->partial->runs++;
    if (status != HY_STATUS_OK) {
        snprintf(options->message.text, options->message.size, "out of order");
        return status;
    }
    return real_cpu()->table->execute(prepared->inner, request, options, result);
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = prepared_destroy,
    .execute = execute,
};

void partial_device_init(struct partial_device *partial, const char *name, float cost,
                         uint32_t count, const int32_t *operations)
{
    const struct hy_capabilities *known = &real_cpu()->capabilities;

    memset(partial, 0, sizeof *partial);
    partial->operation_count = count;
    memcpy(partial->operations, operations, count * sizeof *operations);
    for (uint32_t i = 0; i < known->operand_count && i < 32; i++) {
        partial->performances[i] = known->operands[i];
        partial->performances[i].performance = (struct hy_performance){cost, cost};
    }
    partial->device = (struct hy_runtime_device){
        .kind = HALYARD_DEVICE_IN_PROCESS,
        .abi = HY_DRIVER_ABI,
        .table = &table,
        .self = partial,
        .info = {.struct_size = sizeof partial->device.info,
                 .type = HY_DEVICE_ACCELERATOR,
                 .name = name,
                 .version = "1",
                 .build_id = "test",
                 .feature_level = 8},
        .capabilities = {.struct_size = sizeof partial->device.capabilities,
                         .operand_count = known->operand_count < 32 ? known->operand_count : 32,
                         .operands = partial->performances,
                         .relaxed_scalar = {cost, cost},
                         .relaxed_tensor = {cost, cost},
                         .if_overhead = {cost, cost},
                         .while_overhead = {cost, cost}},
        .manifest = "",
        .library = "",
        .work = &partial->work,
        .health = &partial->health,
    };
}
