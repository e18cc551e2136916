/*
 * A device with all that only a support library's table tells: acme-npu has two extensions, figures
 * for two operand types, and wants cache files, without which it prepares RELU all the same. It
 * refuses cache files when they are handed to it, and computes nothing.
 */
#include <halyard/driver.h>

static const struct hy_extension_operand_type fft_types[] = {
    {.code = 1, .is_tensor = 1, .byte_size = 8},
    {.code = 2, .is_tensor = 0, .byte_size = 6},
};
static const struct hy_extension extensions[] = {
    {.name = "com.acme.fft", .operand_types = fft_types, .operand_type_count = 2},
    {.name = "com.acme.none"},
};
static const struct hy_operand_performance figures[] = {
    {.type = 3, .performance = {.25f, .5f}},
    {.type = 5, .performance = {.125f, 2}},
};

static int32_t describe(void *device, struct hy_device_info *info)
{
    (void)device;
    *info = (struct hy_device_info){
        .struct_size = sizeof *info,
        .type = HY_DEVICE_ACCELERATOR,
        .name = "acme-npu",
        .version = "7",
        .build_id = "",
        .feature_level = 8,
        .model_cache_files = 2,
        .data_cache_files = 1,
        .extension_count = 2,
        .extensions = extensions,
    };
    return HY_STATUS_OK;
}

static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    (void)device;
    *capabilities = (struct hy_capabilities){
        .struct_size = sizeof *capabilities,
        .operand_count = 2,
        .operands = figures,
        .relaxed_scalar = {1, 2},
        .relaxed_tensor = {3, 4},
        .if_overhead = {5, 6},
        .while_overhead = {7, 8},
    };
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    enum { RELU = 19 };

    (void)device, (void)refusals;
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        supported[i] = model->main->operations[i].type == RELU;
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)model;
    if (options->model_cache_count || options->data_cache_count || options->token)
        return HY_STATUS_INVALID_ARGUMENT;
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
    (void)prepared, (void)request, (void)options, (void)result;
    return HY_STATUS_GENERAL_FAILURE;
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

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    static char the_one;

    (void)host, (void)arguments, (void)message;
    *instance = &the_one;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    (void)instance;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return 1;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **out_table,
                          void **device)
{
    (void)index;
    *out_table = &table;
    *device = instance;
    return HY_STATUS_OK;
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "support-library",
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device = get_device,
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    (void)host_abi;
    return &driver;
}
