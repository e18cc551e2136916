/* The tables of the driver, and what it asks of its host when it is made. */
#include "frozen.h"

#include <stdio.h>
#include <stdlib.h>

#define VERSION "1.0 of the frozen driver"

static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct hy_device_info facts = {
        .struct_size = sizeof facts,
        .type = HY_DEVICE_OTHER,
        .name = "frozen-1-0",
        .version = VERSION,
        .build_id = "",
        .feature_level = 8,
        .model_cache_files = 1,
        .data_cache_files = 1,
        .pool_kinds = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                      1u << HY_POOL_HARDWARE_BUFFER_BLOB,
        .burst_depth = 1,
    };
    (void)self;
    hy_fill(info, &facts);
    return HY_STATUS_OK;
}

static int32_t capabilities(void *self, struct hy_capabilities *capabilities)
{
    static const struct hy_operand_performance figures[] = {{3 /* TENSOR_FLOAT32 */, {0.5f, 0.5f}}};
    const struct hy_capabilities facts = {.struct_size = sizeof facts,
                                          .operand_count = 1,
                                          .operands = figures,
                                          .relaxed_scalar = {1, 1},
                                          .relaxed_tensor = {1, 1},
                                          .if_overhead = {1, 1},
                                          .while_overhead = {1, 1}};
    (void)self;
    hy_fill(capabilities, &facts);
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    struct device *device = self;
    if (!HY_REACHES(model, feature_level) || !HY_REACHES(model->main, outputs))
        return HY_STATUS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        const char *reason = frozen_refusal(device->host, model, i);
        supported[i] = reason == NULL;
        if (reason && refusals)
            refusals->refuse(refusals->context, i, reason);
    }
    return HY_STATUS_OK;
}

static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **out)
{
    struct device *device = self;
    const char *why = NULL;
    if (!HY_REACHES(model, feature_level) || !HY_REACHES(model->main, outputs) ||
        !HY_REACHES(options, message))
        return HY_STATUS_INVALID_ARGUMENT;
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    prepared->device = device;
    const int32_t status = frozen_compile(prepared, model, &why);
    if (status != HY_STATUS_OK) {
        if (options->message.text && options->message.size > 0)
            snprintf(options->message.text, options->message.size, "%s", why);
        frozen_prepared_destroy(prepared);
        return status;
    }
    frozen_cache_save(prepared, options);
    frozen_cache_renew_later(prepared, options);
    *out = prepared;
    return HY_STATUS_OK;
}

/* There is always room here. */
static int32_t wait_until_available(void *self, int64_t deadline)
{
    (void)self, (void)deadline;
    return HY_STATUS_OK;
}

static void memory_gone(void *self, uint64_t pool_id)
{
    struct device *device = self;
    (void)pool_id;
    atomic_fetch_add(&device->gone, 1);
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .describe = describe,
    .capabilities = capabilities,
    .supported_operations = supported_operations,
    .prepare = prepare,
    .prepared_destroy = frozen_prepared_destroy,
    .execute = frozen_execute,
    .prepare_from_cache = frozen_prepare_from_cache,
    .wait = wait_until_available,
    .execute_fenced = frozen_execute_fenced,
    .fenced_result = frozen_fenced_result,
    .fenced_destroy = frozen_fenced_destroy,
    .burst_open = frozen_burst_open,
    .burst_execute = frozen_burst_execute,
    .burst_release = frozen_burst_release,
    .burst_close = frozen_burst_close,
    .burst_serve = frozen_burst_serve,
    .reusable_create = frozen_reusable_create,
    .reusable_execute = frozen_reusable_execute,
    .reusable_execute_fenced = frozen_reusable_execute_fenced,
    .reusable_destroy = frozen_reusable_destroy,
    .buffer_create = frozen_buffer_create,
    .buffer_copy_from = frozen_buffer_copy_from,
    .buffer_copy_to = frozen_buffer_copy_to,
    .buffer_destroy = frozen_buffer_destroy,
    .scratch_needed = frozen_scratch_needed,
    .memory_gone = memory_gone,
};

/* ---- The library ----------------------------------------------------------------------------- */

/* A task of later uses the device: by the time of destroy none is left. */
static void count(void *argument)
{
    struct device *device = argument;
    atomic_fetch_add(&device->tasks, 1);
}

/* How often the driver has been made, by the cache engine: what a start finds of the one before. */
static uint32_t count_starts(const struct hy_host *host)
{
    static const char key[] = "starts";
    uint32_t starts = 0;
    uint64_t length = 0;
    if (!HY_HAS(host, blob_store) || !HY_HAS(host, blob_load) || !HY_HAS(host, blob_remove))
        return 0;
    if (host->blob_load(host->context, key, sizeof key, &starts, sizeof starts, &length) !=
            HY_STATUS_OK ||
        length != sizeof starts)
        starts = 0;
    starts++;
    if (host->blob_store(host->context, key, sizeof key, &starts, sizeof starts) != HY_STATUS_OK)
        (void)host->blob_remove(host->context, key, sizeof key);
    return starts;
}

/* Before the host knows the devices it keeps nothing, so that this is asked when they are. */
static void greet(struct device *device)
{
    const struct hy_host *host = device->host;
    static const uint8_t token[HY_TOKEN_SIZE] = "the token of nothing";
    uint8_t digest[HY_DIGEST_SIZE] = "a digest", found[HY_DIGEST_SIZE] = {0};
    char line[128];
    const bool has_digests = HY_HAS(host, digest_store) && HY_HAS(host, digest_find) &&
                             host->digest_store(host->context, token, digest) == HY_STATUS_OK &&
                             host->digest_find(host->context, token, found) == HY_STATUS_OK &&
                             memcmp(digest, found, sizeof digest) == 0;
    snprintf(line, sizeof line, "frozen driver: ABI %u.%u, start %u, digests %s",
             HY_ABI_MAJOR(host->abi), HY_ABI_MINOR(host->abi), count_starts(host),
             has_digests ? "kept" : "not kept");
    host->log(host->context, HY_LOG_INFO, line);
}

static void greet_later(void *argument)
{
    greet(argument);
    count(argument);
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct device *device = calloc(1, sizeof *device);
    (void)arguments;
    if (!device) {
        if (message->text && message->size > 0)
            snprintf(message->text, message->size, "out of memory");
        return HY_STATUS_GENERAL_FAILURE;
    }
    device->host = host;
    pthread_mutex_init(&device->lock, NULL);
    if (HY_HAS(host, later))
        (void)host->later(host->context, greet_later, device);
    *instance = device;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    struct device *device = instance;
    pthread_mutex_destroy(&device->lock);
    free(device);
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
    .name = "frozen",
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device = get_device,
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    return HY_ABI_MAJOR(host_abi) == HY_ABI_MAJOR(HY_DRIVER_ABI) ? &driver : NULL;
}
