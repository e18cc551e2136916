/*
 * Devices of a vendor, for what an app can see of them; none computes anything.
 *   acme-npu    supports RELU and says so of an extension, com.acme.fft, and of a part of another
 *   acme-old    supports FLOOR, and is of feature level 4
 *   acme-full   supports RELU, but has no room left for a model
 *   acme-down   cannot be reached, and is of feature level 2
 */
#include "tests/kit/scripted_driver.h"

enum { NPU, OLD, FULL, DOWN, DEVICES };

/* The codes that the tests know, too. */
static const struct hy_extension_operand_type fft_types[] = {
    {.code = 1, .is_tensor = 1, .byte_size = 8},
    {.code = 2, .is_tensor = 0, .byte_size = 6},
};
static const struct hy_extension extensions[] = {
    {.name = "com.acme.fft", .operand_types = fft_types, .operand_type_count = 2},
    {.name = "com.acme.part"}};
static const uint8_t parts[] = {0, 1};

static const struct hy_device_info infos[DEVICES] = {
    [NPU] = {.type = HY_DEVICE_ACCELERATOR,
             .name = "acme-npu",
             .version = "7.1-b3",
             .build_id = "",
             .feature_level = 8,
             .extension_count = 2,
             .extensions = extensions,
             .partial_extensions = parts},
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

static int32_t wait_until_up(void *device, int64_t deadline)
{
    (void)deadline;
    return is(device, DOWN) ? HY_STATUS_DEVICE_UNAVAILABLE : HY_STATUS_OK;
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)host, (void)arguments, (void)message;
    *instance = (void *)(uintptr_t)infos;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    /* Slower than the CPU backend, so that only who asks for these devices gets them. */
    static struct scripted_driver script = {
        .driver = {.name = "contract", .create = create},
        .device = {.describe = describe,
                   .supported_operations = supported_operations,
                   .prepare = prepare,
                   .wait = wait_until_up},
        .device_count = DEVICES,
        .device_size = sizeof *infos,
        .capabilities = {.relaxed_scalar = {9, 9},
                         .relaxed_tensor = {9, 9},
                         .if_overhead = {9, 9},
                         .while_overhead = {9, 9}},
    };
    return scripted_driver(host_abi, &script);
}
