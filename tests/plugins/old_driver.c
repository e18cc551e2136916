/*
 * A driver of before the optional members of the tables: its face, over what the sample driver
 * computes with. It is built with the frozen header.
 */
#include "arguments.h"
#include "operations.h"
#include "program.h"
#include "run.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

struct device {
    const struct hy_host *host;
    struct sample_arguments arguments;
};

static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct device *device = self;
    *info = (struct hy_device_info){.struct_size = sizeof *info,
                                    .type = HY_DEVICE_ACCELERATOR,
                                    .name = device->arguments.name,
                                    .version = SAMPLE_VERSION,
                                    .build_id = "",
                                    .feature_level = 8};
    return HY_STATUS_OK;
}

static int32_t capabilities(void *self, struct hy_capabilities *capabilities)
{
    static const struct hy_operand_performance figures[] = {
        {ANEURALNETWORKS_TENSOR_FLOAT32, {0.5f, 0.5f}},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {0.5f, 0.5f}},
    };
    (void)self;
    *capabilities = (struct hy_capabilities){.struct_size = sizeof *capabilities,
                                             .operand_count = 2,
                                             .operands = figures,
                                             .relaxed_scalar = {1, 1},
                                             .relaxed_tensor = {1, 1},
                                             .if_overhead = {1, 1},
                                             .while_overhead = {1, 1}};
    return HY_STATUS_OK;
}

static struct sample_source source_of(const struct device *device, const struct hy_model *model)
{
    return (struct sample_source){.host = device->host,
                                  .model = model,
                                  .operations = device->arguments.operations,
                                  .types = device->arguments.types};
}

static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    struct sample_source source = source_of(self, model);
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        struct sample_step step;
        supported[i] = sample_step_make(&source, &model->main->operations[i], &step);
        if (!supported[i] && refusals)
            refusals->refuse(refusals->context, i, source.reason);
    }
    return HY_STATUS_OK;
}

static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    struct sample_source source = source_of(self, model);
    struct sample_program *program = NULL;
    const int32_t status = sample_program_make(&source, &options->message, &program);
    if (status == HY_STATUS_OK)
        *prepared = program;
    return status;
}

static void prepared_destroy(void *prepared)
{
    sample_program_destroy(prepared);
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    return sample_program_run(prepared, request, options, result);
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = prepared_destroy,
    .execute = execute,
};

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct device *device = calloc(1, sizeof *device);
    if (!device || !sample_arguments_read(arguments, message, &device->arguments)) {
        free(device);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    device->host = host;
    *instance = device;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return 1;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **out,
                          void **device)
{
    if (index != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    *out = &table;
    *device = instance;
    return HY_STATUS_OK;
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "old-driver",
    .create = create,
    .destroy = free,
    .device_count = device_count,
    .device = get_device,
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return host_abi == HY_DRIVER_ABI ? &driver : NULL;
}
