/*
 * A driver library that says of itself what LYING_DRIVER says: "abi of hy_driver, its size, abi of
 * hy_device, its size", numbers of C; "query" in front: hy_driver_query refuses the host. Its
 * device computes nothing.
 */
#include <halyard/driver.h>

#include <stdio.h>
#include <stdlib.h>

struct later_info {
    struct hy_device_info known;
    uint64_t more[2];
};

static int32_t describe(void *device, struct hy_device_info *info)
{
    const char *claims = getenv("LYING_DRIVER_LEVEL");
    const struct later_info details = {
        .known = {.struct_size = sizeof details,
                  .type = claims ? 9 : HY_DEVICE_OTHER,
                  .name = "liar",
                  .version = "1",
                  .build_id = "",
                  .feature_level = claims ? 9 : 8,
                  .pool_kinds = claims ? 1u << 9 | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                                             1u << HY_POOL_HARDWARE_BUFFER_BLOB
                                       : 0},
    };
    (void)device;
    hy_fill(info, &details);
    return HY_STATUS_OK;
}

static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    const struct hy_capabilities details = {.struct_size = sizeof details,
                                            .relaxed_scalar = {1, 1},
                                            .relaxed_tensor = {1, 1},
                                            .if_overhead = {1, 1},
                                            .while_overhead = {1, 1}};
    (void)device;
    hy_fill(capabilities, &details);
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    (void)device, (void)refusals;
    memset(supported, 0, model->main->operation_count);
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)device, (void)model, (void)options, (void)prepared;
    return HY_STATUS_GENERAL_FAILURE;
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

/* More than a later header could have. */
static struct {
    struct hy_device table;
    uint64_t more[2];
} device = {.table = {.describe = describe,
                      .capabilities = capabilities,
                      .supported_operations = supported_operations,
                      .prepare = prepare,
                      .prepared_destroy = prepared_destroy,
                      .execute = execute},
            .more = {~UINT64_C(0), ~UINT64_C(0)}};

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)host, (void)arguments, (void)message;
    *instance = &device;
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

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **table,
                          void **out)
{
    (void)index;
    *table = &device.table;
    *out = instance;
    return HY_STATUS_OK;
}

static struct {
    struct hy_driver table;
    uint64_t more[2];
} driver = {.table = {.name = "liar",
                      .create = create,
                      .destroy = destroy,
                      .device_count = device_count,
                      .device = get_device}};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    const char *claims = getenv("LYING_DRIVER");
    (void)host_abi;
    if (!claims ||
        sscanf(claims, "%i %u %i %u", (int *)&driver.table.abi, &driver.table.struct_size,
               (int *)&device.table.abi, &device.table.struct_size) != 4)
        return NULL;
    return &driver.table;
}
