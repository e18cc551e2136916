/*
 * A Halyard driver over XNNPACK, the library of CPU kernels: float32 and 8-bit networks.
 *
 *     xnnpack_driver.c   what the device is, and the tables that the runtime calls
 *     compile, lower*    which operations it takes, and the operators of XNNPACK they become
 *     placement          where every tensor lies, so that operators write in place
 *     instance(s)        operators made and bound to addresses, one set for each run at a time
 *     request, prepared  running
 *     buffer             tensors that stay here between executions
 *
 * It uses <halyard/driver.h>, driver_kit/, libxnnpack, libpthreadpool and libc; all else comes
 * through hy_host.
 * docs/xnnpack-driver.md says what is covered and what it costs.
 */
#include "compile.h"
#include "driver_kit/fenced.h"
#include "driver_kit/message.h"
#include "driver_kit/model_reader.h"
#include "driver_kit/reusable.h"
#include "driver_kit/settings.h"
#include "driver_kit/single_device.h"
#include "xd_buffer.h"
#include "xd_prepared.h"

#include <android/NeuralNetworks.h>
#include <halyard/driver.h>
#include <stdlib.h>
#include <string.h>
#include <xnnpack.h>

/* ---- What the device is ---------------------------------------------------------------------- */

static int32_t describe(void *self, struct hy_device_info *info)
{
    (void)self;
    const struct hy_device_info own = {
        .struct_size = sizeof own,
        .type = HY_DEVICE_CPU,
        .name = "xnnpack-cpu",
        .version = XD_VERSION,
        .build_id = "",
        .feature_level = 8,
        .pool_kinds = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                      1u << HY_POOL_HARDWARE_BUFFER_BLOB,
    };
    hy_fill(info, &own);
    return HY_STATUS_OK;
}

/* Times relative to halyard-cpu, as docs/xnnpack-driver.md has them. Constants of the two types of
 * weights are as cheap as what they are turned into: nothing is left of them at run time. */
#define FLOATS 1.31f
#define BYTES  2.0f
#define COPIES 1.0f

static const struct hy_operand_performance figures[] = {
    {ANEURALNETWORKS_TENSOR_FLOAT32, {FLOATS, FLOATS}},
    {ANEURALNETWORKS_TENSOR_INT32, {COPIES, COPIES}},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {BYTES, BYTES}},
    {ANEURALNETWORKS_TENSOR_FLOAT16, {COPIES, COPIES}},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {FLOATS, FLOATS}},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM, {FLOATS, FLOATS}},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {BYTES, BYTES}},
};

static int32_t capabilities(void *self, struct hy_capabilities *capabilities)
{
    const struct hy_performance none = {1, 1};
    (void)self;
    const struct hy_capabilities own = {
        .struct_size = sizeof own,
        .operand_count = sizeof figures / sizeof *figures,
        .operands = figures,
        .relaxed_scalar = none,
        .relaxed_tensor = {FLOATS, FLOATS},
        .if_overhead = none,
        .while_overhead = none,
        .launch_ns = 75,
        .bytes_per_second = 0, /* it works in the app's own memory */
    };
    hy_fill(capabilities, &own);
    return HY_STATUS_OK;
}

/* ---- What it does ---------------------------------------------------------------------------- */

static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct hy_single_device *device = self;
    if (!hy_model_is_whole(model))
        return HY_STATUS_INVALID_ARGUMENT;
    return xd_supported_operations(device->host, model, supported, refusals);
}

/* Preference, priority and hints change nothing, and there are no cache files: packed weights stay
 * inside operators, which this version of XNNPACK cannot make from them. */
static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    if (!hy_model_is_whole(model) || !HY_REACHES(options, message))
        return HY_STATUS_INVALID_ARGUMENT;
    return xd_prepare(self, model, options, prepared);
}

/* A burst keeps addresses alone: a run whose addresses are those of the run before finds its
 * operators bound (instance.c). Instances are kept by the prepared model. */
static const struct hy_device device_table = {
    .struct_size = sizeof device_table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = xd_prepared_destroy,
    .execute = hy_single_execute,
    .wait = hy_single_device_wait,
    .execute_fenced = hy_single_execute_fenced,
    .fenced_result = hy_fenced_result,
    .fenced_destroy = hy_fenced_destroy,
    .burst_open = hy_single_burst_open,
    .burst_execute = hy_mapped_burst_execute,
    .burst_release = hy_mapped_burst_release,
    .burst_close = hy_mapped_burst_close,
    .reusable_create = hy_single_reusable_create,
    .reusable_execute = hy_reusable_execute,
    .reusable_destroy = hy_reusable_destroy,
    .buffer_create = hy_single_buffer_create,
    .buffer_copy_from = hy_device_buffer_copy_from,
    .buffer_copy_to = hy_device_buffer_copy_to,
    .buffer_destroy = hy_device_buffer_destroy,
};

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    if (!hy_settings_read(arguments, NULL, 0, NULL, message))
        return HY_STATUS_INVALID_ARGUMENT;
    const enum xnn_status status = xnn_initialize(NULL);
    if (status != xnn_status_success) {
        hy_message_write(message, "XNNPACK cannot work on this processor (status %d)", (int)status);
        return status == xnn_status_out_of_memory ? HY_STATUS_GENERAL_FAILURE
                                                  : HY_STATUS_DEVICE_UNAVAILABLE;
    }
    struct hy_single_device *device = calloc(1, sizeof *device);
    if (!device ||
        !hy_device_buffers_init(&device->buffers, host, &xd_buffer_functions, XD_MAX_BUFFERS)) {
        free(device);
        xnn_deinitialize();
        return HY_STATUS_GENERAL_FAILURE;
    }
    device->table = &device_table;
    device->host = host;
    *instance = device;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    struct hy_single_device *device = instance;
    hy_device_buffers_finish(&device->buffers);
    free(device);
    xnn_deinitialize();
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "halyard-xnnpack",
    .create = create,
    .destroy = destroy,
    .device_count = hy_single_device_count,
    .device = hy_single_device_get,
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
