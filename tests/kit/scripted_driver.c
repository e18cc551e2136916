#include "tests/kit/scripted_driver.h"

static struct scripted_driver *the_script;

/* ---- The device ------------------------------------------------------------------------------ */

static int32_t describe(void *device, struct hy_device_info *info)
{
    (void)device;
    hy_fill(info, &the_script->info);
    return HY_STATUS_OK;
}

static int32_t capabilities(void *device, struct hy_capabilities *capabilities)
{
    (void)device;
    hy_fill(capabilities, &the_script->capabilities);
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    (void)refusals;
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        supported[i] = the_script->supports &&
                       the_script->supports(device, model, &model->main->operations[i]);
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)model, (void)options;
    *prepared = device;
    return HY_STATUS_OK;
}

static void destroy_nothing(void *object)
{
    (void)object;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    (void)prepared, (void)request, (void)options, (void)result;
    return HY_STATUS_GENERAL_FAILURE;
}

static void fill_device(struct hy_device *device)
{
    device->struct_size = sizeof *device;
    device->abi = HY_DRIVER_ABI;
    device->describe = device->describe ? device->describe : describe;
    device->capabilities = device->capabilities ? device->capabilities : capabilities;
    device->supported_operations =
        device->supported_operations ? device->supported_operations : supported_operations;
    device->prepare = device->prepare ? device->prepare : prepare;
    device->prepared_destroy =
        device->prepared_destroy ? device->prepared_destroy : destroy_nothing;
    device->execute = device->execute ? device->execute : execute;
}

static void fill_info(struct hy_device_info *info)
{
    info->struct_size = sizeof *info;
    info->version = info->version ? info->version : "1";
    info->build_id = info->build_id ? info->build_id : "";
    info->feature_level = info->feature_level ? info->feature_level : 8;
}

static void fill_performance(struct hy_performance *performance)
{
    if (performance->exec_time == 0)
        *performance = (struct hy_performance){1, 1};
}

static void fill_capabilities(struct hy_capabilities *capabilities)
{
    capabilities->struct_size = sizeof *capabilities;
    fill_performance(&capabilities->relaxed_scalar);
    fill_performance(&capabilities->relaxed_tensor);
    fill_performance(&capabilities->if_overhead);
    fill_performance(&capabilities->while_overhead);
}

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)arguments, (void)message;
    *instance = (void *)(uintptr_t)host;
    return HY_STATUS_OK;
}

static uint32_t device_count(void *instance)
{
    (void)instance;
    return the_script->device_count;
}

static int32_t get_device(void *instance, uint32_t index, const struct hy_device **table,
                          void **device)
{
    if (index >= the_script->driver.device_count(instance))
        return HY_STATUS_INVALID_ARGUMENT;
    *table = &the_script->device;
    *device = (char *)instance + index * the_script->device_size;
    return HY_STATUS_OK;
}

static void fill_driver(struct hy_driver *driver)
{
    driver->struct_size = sizeof *driver;
    driver->abi = HY_DRIVER_ABI;
    driver->create = driver->create ? driver->create : create;
    driver->destroy = driver->destroy ? driver->destroy : destroy_nothing;
    driver->device_count = driver->device_count ? driver->device_count : device_count;
    driver->device = driver->device ? driver->device : get_device;
}

const struct hy_driver *scripted_driver(uint32_t host_abi, struct scripted_driver *script)
{
    if (HY_ABI_MAJOR(host_abi) != HY_ABI_MAJOR(HY_DRIVER_ABI))
        return NULL;
    if (the_script)
        return &the_script->driver;
    fill_driver(&script->driver);
    fill_device(&script->device);
    script->device_count = script->device_count ? script->device_count : 1;
    fill_info(&script->info);
    fill_capabilities(&script->capabilities);
    the_script = script;
    return &script->driver;
}
