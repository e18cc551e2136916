/*
 * A Halyard driver, to be read and cloned.
 *
 * It serves a device that computes four operations in float32 and signed 8-bit quantised form, LSTM
 * in float32, and one operation of an extension of its own. What a device serves of this, and
 * whether it has buffers, is said by the manifest. The device is a teaching one: its arithmetic
 * runs on the CPU. All else is what a driver for real hardware has to do, and this file has the
 * part that talks to the runtime:
 *
 *     hy_driver_query          the one exported symbol
 *       struct hy_driver       makes instances: create, destroy, device_count, device
 *       struct hy_device       describes itself, says what it supports, compiles, executes
 *
 * operations.c and lstm.c decide what is supported, program.c lays out what sample_prepared.c
 * prepares, search.c compiles it with care and sample_run.c runs it; kernels.c, fully_connected.c
 * and lstm.c compute. driver_kit/ has what drivers have in common. sample_prepared.c keeps the
 * result in cache files or in a blob, and artefact.c knows what is in them. sample_buffer.c says
 * what tensors buffers of the device hold. arguments.c lists the settings of the manifest.
 *
 * The library uses <halyard/driver.h>, the constants of <android/NeuralNetworks.h> and libc, and
 * links to nothing of Halyard's: clone driver_kit/ with this folder. The rules it follows (R1 to
 * R9) stand at the head of <halyard/driver.h>; docs/driver-guide.md is the tour.
 */
#include "arguments.h"
#include "driver_kit/fenced.h"
#include "driver_kit/model_reader.h"
#include "driver_kit/reusable.h"
#include "operations.h"
#include "sample_buffer.h"
#include "sample_prepared.h"

#include <android/NeuralNetworks.h>
#include <halyard/driver.h>

#include <stdio.h>
#include <stdlib.h>

/* The name of this build. A build system may define a better name, for example a commit. The layout
 * of cache files depends on the compiler. */
#ifndef SAMPLE_BUILD
#define SAMPLE_BUILD __VERSION__
#endif

/* ---- What the device is ---------------------------------------------------------------------- */

static const struct hy_extension extension = {.name = SAMPLE_EXTENSION};

/* The strings are constant and owned by the driver. The caller sets struct_size to its own size of
 * the struct, which may be smaller than ours (R1). An extension is only listed if all of it is
 * supported. */
static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct sample_device *device = self;
    const bool has_extension = device->arguments.operations >> SAMPLE_LEAKY_RELU & 1;
    const struct hy_device_info own = {
        .struct_size = sizeof own,
        .type = HY_DEVICE_ACCELERATOR,
        .name = device->arguments.name,
        .version = SAMPLE_VERSION,
        .build_id = SAMPLE_BUILD, /* only the same build can read the cache files */
        .feature_level = 8,
        .model_cache_files = device->arguments.cache_files > 0 ? SAMPLE_MODEL_FILES : 0,
        .data_cache_files = device->arguments.cache_files,
        .extension_count = has_extension ? 1 : 0,
        .extensions = has_extension ? &extension : NULL,
        .pool_kinds = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                      1u << HY_POOL_HARDWARE_BUFFER_BLOB, /* no images */
    };
    hy_fill(info, &own);
    return HY_STATUS_OK;
}

/* Performance relative to the CPU device of Halyard (1.0). Unlisted types count as slowest, so the
 * planner does not offer operations that the driver refuses. */
static int32_t capabilities(void *self, struct hy_capabilities *capabilities)
{
    const struct sample_device *device = self;
    const struct hy_performance same_as_cpu = {1, 1};
    const struct hy_capabilities own = {
        .struct_size = sizeof own,
        .operand_count = device->figure_count,
        .operands = device->figures,
        .relaxed_scalar = same_as_cpu,
        .relaxed_tensor = {device->arguments.speed, device->arguments.power},
        .if_overhead = same_as_cpu,
        .while_overhead = same_as_cpu,
        .launch_ns = device->arguments.launch_ns,
        .bytes_per_second = device->arguments.bytes_per_second,
    };
    hy_fill(capabilities, &own);
    return HY_STATUS_OK;
}

/* ---- What it can do -------------------------------------------------------------------------- */

static struct sample_source source_of(const struct sample_device *device,
                                      const struct hy_model *model)
{
    return (struct sample_source){
        .reader = {.host = device->base.host,
                   .model = model,
                   .values = model->values,
                   .limits = {SAMPLE_MAX_RANK, SAMPLE_MAX_ELEMENTS}},
        .operations = device->arguments.operations,
        .types = device->arguments.types,
    };
}

/* Checks each operation on its own, with a reason for each refusal. Compiling and discarding the
 * result guarantees that an accepted operation also prepares. */
static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    if (!hy_model_is_whole(model))
        return HY_STATUS_INVALID_ARGUMENT;

    struct sample_source source = source_of(self, model);
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        struct sample_step step;
        supported[i] = sample_step_make(&source, &model->main->operations[i], &step);
        if (!supported[i] && refusals && refusals->refuse)
            refusals->refuse(refusals->context, i, source.reader.reason);
    }
    return HY_STATUS_OK;
}

/* Preference, priority and hints have no effect. The deadline is checked in the search for the best
 * packing and between the steps of an execution. */
static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    if (!hy_model_is_whole(model) || !HY_REACHES(options, message))
        return HY_STATUS_INVALID_ARGUMENT;
    struct sample_device *device = self;
    struct sample_source source = source_of(device, model);
    return sample_prepare(device, &source, options, prepared);
}

/* ---- How else it runs ------------------------------------------------------------------------ */

/*
 * A burst keeps addresses alone. Working memory is kept by the program (sample_run.c), and there is
 * no clock to raise: a driver for hardware would do so when a burst executes, and let it fall again
 * when 1 ms has passed without an execution. Hardware that can be unavailable is waited for in
 * `wait`. Members that are not named are NULL, as burst_serve is. The runtime does without, or
 * stands in with plain executions.
 */
static const struct hy_device plain_table = {
    .struct_size = sizeof plain_table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = sample_prepared_destroy,
    .execute = hy_single_execute,
    .prepare_from_cache = sample_prepare_from_cache,
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
};

/* A group is whole or absent. */
static void add_buffers(struct hy_device *table)
{
    table->buffer_create = hy_single_buffer_create;
    table->buffer_copy_from = hy_device_buffer_copy_from;
    table->buffer_copy_to = hy_device_buffer_copy_to;
    table->buffer_destroy = hy_device_buffer_destroy;
}

/* ---- The library ----------------------------------------------------------------------------- */

/* In ascending order of types, the order of the bits. */
static void fill_figures(struct sample_device *device)
{
    static const int32_t types[] = {ANEURALNETWORKS_TENSOR_FLOAT32,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED};
    const struct hy_performance figure = {device->arguments.speed, device->arguments.power};
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        if (device->arguments.types >> i & 1)
            device->figures[device->figure_count++] =
                (struct hy_operand_performance){types[i], figure};
}

/* Called once per manifest with this library, with the "arguments" of the manifest. Two manifests
 * give two independent instances. A driver for hardware probes the hardware here, and returns
 * HY_STATUS_DEVICE_UNAVAILABLE if the hardware is absent. */
static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct sample_device *device = calloc(1, sizeof *device);
    if (!device)
        return HY_STATUS_GENERAL_FAILURE;
    if (!sample_arguments_read(arguments, message, &device->arguments)) {
        free(device);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    if (!hy_device_buffers_init(&device->base.buffers, host, &sample_buffer_functions,
                                device->arguments.buffers)) {
        free(device);
        return HY_STATUS_GENERAL_FAILURE;
    }
    device->base.host = host;
    device->base.table = &device->table;
    device->table = plain_table;
    if (device->arguments.buffers > 0)
        add_buffers(&device->table);
    fill_figures(device);

    char line[128];
    snprintf(line, sizeof line, "sample driver %s: device %s", SAMPLE_VERSION,
             device->arguments.name);
    host->log(host->context, HY_LOG_DEBUG, line);
    *instance = device;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    struct sample_device *device = instance;
    hy_device_buffers_finish(&device->base.buffers);
    free(device);
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "halyard-sample",
    .create = create,
    .destroy = destroy,
    .device_count = hy_single_device_count,
    .device = hy_single_device_get,
};

/* ABI 0.x requires equal versions. Since 1.0 a driver works with any host of the same major version
 * and a sufficient minor version. */
const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
