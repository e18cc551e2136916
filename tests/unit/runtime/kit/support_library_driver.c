/*
 * A device with all that only a support library's table tells: acme-npu has two extensions and a
 * part of a third, figures for two operand types, and wants cache files, without which it prepares
 * RELU all the same. It refuses cache files when they are handed to it, and computes nothing.
 */
#include "tests/kit/scripted_driver.h"

static const struct hy_extension_operand_type fft_types[] = {
    {.code = 1, .is_tensor = 1, .byte_size = 8},
    {.code = 2, .is_tensor = 0, .byte_size = 6},
};
static const struct hy_extension extensions[] = {
    {.name = "com.acme.fft", .operand_types = fft_types, .operand_type_count = 2},
    {.name = "com.acme.part", .operand_types = fft_types, .operand_type_count = 1},
    {.name = "com.acme.none"},
};
static const uint8_t parts[] = {0, 1, 0};
static const struct hy_operand_performance figures[] = {
    {.type = 3, .performance = {.25f, .5f}},
    {.type = 5, .performance = {.125f, 2}},
};

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)model;
    if (options->model_cache_count || options->data_cache_count || options->token)
        return HY_STATUS_INVALID_ARGUMENT;
    *prepared = device;
    return HY_STATUS_OK;
}

static bool supports(const void *device, const struct hy_model *model,
                     const struct hy_operation *operation)
{
    enum { RELU = 19 };

    (void)device, (void)model;
    return operation->type == RELU;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct scripted_driver script = {
        .driver.name = "support-library",
        .device.prepare = prepare,
        .info = {.type = HY_DEVICE_ACCELERATOR,
                 .name = "acme-npu",
                 .version = "7",
                 .model_cache_files = 2,
                 .data_cache_files = 1,
                 .extension_count = 3,
                 .extensions = extensions,
                 .partial_extensions = parts},
        .capabilities = {.operand_count = 2,
                         .operands = figures,
                         .relaxed_scalar = {1, 2},
                         .relaxed_tensor = {3, 4},
                         .if_overhead = {5, 6},
                         .while_overhead = {7, 8}},
        .supports = supports,
    };
    return scripted_driver(host_abi, &script);
}
