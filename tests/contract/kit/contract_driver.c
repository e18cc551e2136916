/*
 * Devices of a vendor, for what an app can see of them; none computes anything.
 *   acme-npu    supports RELU and says so of an extension, com.acme.fft
 *   acme-old    supports FLOOR, and is of feature level 4
 *   acme-full   supports RELU, but has no room left for a model
 *   acme-down   cannot be reached, and is of feature level 2
 */
#include <halyard/driver.h>

enum { NPU, OLD, FULL, DOWN, DEVICES };

/* The codes that the tests know, too. */
static const struct hy_extension_operand_type fft_types[] = {
    {.code = 1, .is_tensor = 1, .byte_size = 8},
    {.code = 2, .is_tensor = 0, .byte_size = 6},
};
static const struct hy_extension fft = {
    .name = "com.acme.fft", .operand_types = fft_types, .operand_type_count = 2};

static const struct hy_device_info infos[DEVICES] = {
    [NPU] = {.type = HY_DEVICE_ACCELERATOR,
             .name = "acme-npu",
             .version = "7.1-b3",
             .build_id = "",
             .feature_level = 8,
             .extension_count = 1,
             .extensions = &fft},
    [OLD] = {.type = HY_DEVICE_GPU,
             .name = "acme-old",
             .version = "1.0",
             .build_id = "",
             .feature_level = 4},
    [FULL] = {.type = HY_DEVICE_ACCELERATOR,
              .name = "acme-full",
              .version = "7.1-b3",
              .build_id = "",
              .feature_level = 8},
    [DOWN] = {.type = HY_DEVICE_OTHER,
              .name = "acme-down",
              .version = "0",
              .build_id = "",
              .feature_level = 2},
};

static int is(const void *device, int number)
{
    return device == &infos[number];
}

static int32_t describe(void *device, struct hy_device_info *info)
{
    *info = *(const struct hy_device_info *)device;
    info->struct_size = sizeof *info;
    return HY_STATUS_OK;
}

/* Slower than the CPU backend, so that only who asks for these devices gets them. */
static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    (void)device;
    *capabilities = (struct hy_capabilities){
        .struct_size = sizeof *capabilities,
        .relaxed_scalar = {9, 9},
        .relaxed_tensor = {9, 9},
        .if_overhead = {9, 9},
        .while_overhead = {9, 9},
    };
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    enum { FLOOR = 8, RELU = 19 };
    const int32_t supported_type = is(device, OLD) ? FLOOR : RELU;

    (void)refusals;
    if (is(device, DOWN))
        return HY_STATUS_DEVICE_UNAVAILABLE;
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        supported[i] = model->main->operations[i].type == supported_type;
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)model, (void)options;
    if (is(device, DOWN))
        return HY_STATUS_DEVICE_UNAVAILABLE;
    if (is(device, FULL))
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
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

static int32_t wait_until_up(void *device, int64_t deadline)
{
    (void)deadline;
    return is(device, DOWN) ? HY_STATUS_DEVICE_UNAVAILABLE : HY_STATUS_OK;
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
    .wait = wait_until_up,
};

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)host, (void)arguments, (void)message;
    *instance = (void *)(uintptr_t)infos;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    (void)instance;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return DEVICES;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **out_table,
                          void **device)
{
    (void)instance;
    *out_table = &table;
    *device = (void *)(uintptr_t)&infos[index];
    return HY_STATUS_OK;
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "contract",
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
