#include "caching_device.h"

#include "halyard/halyard.h"
#include "runtime/drivers/host.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLOATS = 4, BYTES = FLOATS * sizeof(float) };

struct prepared {
    struct caching_device *device;
    int32_t operation;
    float own[FLOATS];
    const float *constant; /* `own`, or restored */
    struct hy_restored restored;
    uint8_t token[HY_TOKEN_SIZE];
    int32_t duplicates[2]; /* descriptors, or -1 */
};

static struct prepared *create(struct caching_device *device)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return NULL;
    prepared->device = device;
    prepared->constant = prepared->own;
    prepared->duplicates[0] = prepared->duplicates[1] = -1;
    prepared->restored.struct_size = sizeof prepared->restored;
    device->alive++;
    device->last_prepared = prepared;
    return prepared;
}

static void prepared_destroy(void *self)
{
    struct prepared *prepared = self;

    prepared->device->host->cache_release(prepared->device->host->context, &prepared->restored);
    for (int i = 0; i < 2; i++) {
        if (prepared->duplicates[i] >= 0)
            close(prepared->duplicates[i]);
    }
    prepared->device->alive--;
    free(prepared);
}

static uint64_t bytes_in(const int32_t *files, uint32_t count)
{
    uint64_t sum = 0;
    struct stat file_info;

    for (uint32_t i = 0; i < count; i++)
        sum += fstat(files[i], &file_info) == 0 ? (uint64_t)file_info.st_size : 0;
    return sum;
}

static void note(struct caching_device *device, const struct hy_prepare_options *options)
{
    device->last_model_files = options->model_cache_count;
    device->last_data_files = options->data_cache_count;
    device->has_token = options->token != NULL;
    device->last_bytes = bytes_in(options->model_cache, options->model_cache_count) +
                         bytes_in(options->data_cache, options->data_cache_count);
    if (options->token)
        memcpy(device->last_token, options->token, HY_TOKEN_SIZE);
}

static int32_t save(const struct prepared *prepared, const int32_t *model, const int32_t *data)
{
    const struct hy_host *host = prepared->device->host;
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = 1,
                                         .data_count = 1,
                                         .token = prepared->token,
                                         .model = model,
                                         .data = data};
    const struct hy_bytes steer = {&prepared->operation, sizeof prepared->operation};
    const struct hy_bytes numbers = {prepared->constant, BYTES};

    return host->cache_save(host->context, &files, &steer, &numbers);
}

static void keep_open(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->device->host;

    prepared->device->save_status = host->cache_keep_open(host->context, options->token);
    prepared->duplicates[0] = fcntl(options->model_cache[0], F_DUPFD_CLOEXEC, 0);
    prepared->duplicates[1] = fcntl(options->data_cache[0], F_DUPFD_CLOEXEC, 0);
}

static void use_files(struct prepared *prepared, const struct hy_prepare_options *options)
{
    struct caching_device *device = prepared->device;

    if (options->model_cache_count != 1 || options->data_cache_count != 1 || !options->token)
        return;
    memcpy(prepared->token, options->token, HY_TOKEN_SIZE);
    switch (device->fault) {
    case CACHING_WRITES_NOTHING:
    case CACHING_WRITES_DEFERRED:
        break;
    case CACHING_HOLDS_OPEN:
        keep_open(prepared, options);
        break;
    default:
        device->save_status = save(prepared, options->model_cache, options->data_cache);
    }
    if (device->fault == CACHING_WRITES_OTHER && pwrite(options->data_cache[0], "", 1, BYTES) != 1)
        device->save_status = HY_STATUS_GENERAL_FAILURE;
}

static const void *constant_of(const struct hy_model *model)
{
    const struct hy_operand *operand = &model->main->operands[model->main->operations[0].inputs[1]];

    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL)
        return (uint8_t *)model->pools[operand->location.pool].address + operand->location.offset;
    return model->values + operand->location.offset;
}

static int32_t prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **ret)
{
    struct caching_device *device = self;

    device->prepare_count++;
    note(device, options);
    if (device->fault == CACHING_PREPARE_DIES_OF_FILES && device->last_bytes > 0)
        return HY_STATUS_DEAD_OBJECT;
    if (device->fault == CACHING_PREPARE_FAILS_OF_FILES && device->last_bytes > 0)
        return HY_STATUS_GENERAL_FAILURE;
    struct prepared *prepared = create(device);
    if (!prepared)
        return HY_STATUS_GENERAL_FAILURE;
    prepared->operation = model->main->operations[0].type;
    memcpy(prepared->own, constant_of(model), BYTES);
    use_files(prepared, options);
    if (device->fault == CACHING_PREPARE_FAILS) {
        prepared_destroy(prepared);
        return HY_STATUS_GENERAL_FAILURE;
    }
    *ret = prepared;
    return HY_STATUS_OK;
}

static int32_t restore(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_host *host = prepared->device->host;
    const struct hy_cache_files files = {.struct_size = sizeof files,
                                         .model_count = options->model_cache_count,
                                         .data_count = options->data_cache_count,
                                         .token = options->token,
                                         .model = options->model_cache,
                                         .data = options->data_cache};
    const struct hy_restored *restored = &prepared->restored;

    int32_t status = host->cache_restore(host->context, &files, &prepared->restored);
    prepared->device->restore_status = status;
    if (status != HY_STATUS_OK)
        return status;
    if (restored->model[0].length != sizeof prepared->operation ||
        restored->data[0].length != BYTES)
        return HY_STATUS_GENERAL_FAILURE;
    memcpy(&prepared->operation, restored->model[0].data, sizeof prepared->operation);
    prepared->constant = restored->data[0].data;
    memcpy(prepared->token, options->token, HY_TOKEN_SIZE);
    return HY_STATUS_OK;
}

static int32_t empty_files(const struct hy_prepare_options *options)
{
    return ftruncate(options->model_cache[0], 0) == 0 && ftruncate(options->data_cache[0], 0) == 0
               ? HY_STATUS_OK
               : HY_STATUS_GENERAL_FAILURE;
}

static int32_t prepare_from_cache(void *self, const struct hy_prepare_options *options, void **ret)
{
    struct caching_device *device = self;

    device->restore_count++;
    note(device, options);
    if (device->fault == CACHING_RESTORE_FAILS)
        return HY_STATUS_GENERAL_FAILURE;
    if (device->fault == CACHING_RESTORE_IS_BUSY)
        return HY_STATUS_DEVICE_UNAVAILABLE;
    if (device->fault == CACHING_RESTORE_DIES)
        return HY_STATUS_DEAD_OBJECT;
    if (device->fault == CACHING_RESTORE_GIVES_NOTHING)
        return HY_STATUS_OK;
    struct prepared *prepared = create(device);
    const int32_t status = prepared ? restore(prepared, options) : HY_STATUS_GENERAL_FAILURE;
    if (status == HY_STATUS_OK && device->fault == CACHING_SAVES_AGAIN)
        device->save_status = save(prepared, options->model_cache, options->data_cache);
    if (status == HY_STATUS_OK && device->fault == CACHING_EMPTIES)
        device->save_status = empty_files(options);
    if (status != HY_STATUS_OK && prepared)
        prepared_destroy(prepared);
    if (status == HY_STATUS_OK)
        *ret = prepared;
    return status;
}

bool caching_device_write(struct caching_device *device, void *self, bool keep)
{
    const struct hy_host *host = device->host;
    struct prepared *prepared = self;
    int32_t model[1], data[1];
    void *update = NULL;

    if (device->fault == CACHING_HOLDS_OPEN) {
        if (host->cache_lock(host->context, prepared->duplicates[0], 1, HY_NO_DEADLINE) !=
            HY_STATUS_OK)
            return false;
        const int32_t status = save(prepared, &prepared->duplicates[0], &prepared->duplicates[1]);
        host->cache_unlock(host->context, prepared->duplicates[0]);
        return status == HY_STATUS_OK;
    }
    if (host->cache_begin(host->context, prepared->token, model, data, &update) != HY_STATUS_OK)
        return false;
    const int32_t status = save(prepared, model, data);
    return host->cache_commit(host->context, update, keep) == HY_STATUS_OK &&
           status == HY_STATUS_OK;
}

static float *address_of(const struct hy_request *request, const struct hy_argument *argument)
{
    const struct hy_pool *pool = &request->pools[argument->location.pool];
    return (float *)((char *)pool->address + argument->location.offset);
}

static const float zeros[FLOATS];

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    const float *in = address_of(request, &request->inputs[0]);
    float *out = address_of(request, &request->outputs[0]);

    (void)options;
    const bool is_truncated = prepared->device->tears && prepared->constant != prepared->own;
    const float *constant = is_truncated ? zeros : prepared->constant;
    if (is_truncated)
        atomic_store(prepared->device->tears, true);
    for (int i = 0; i < FLOATS; i++)
        out[i] =
            prepared->operation == ANEURALNETWORKS_ADD ? in[i] + constant[i] : in[i] * constant[i];
    result->outputs[0] = (struct hy_output_shape){.rank = 1, .sufficient = 1, .dims = {FLOATS}};
    return HY_STATUS_OK;
}

static int32_t supported_operations(void *self, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    const struct caching_device *device = self;

    (void)refusals;
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        supported[i] = model->main->operations[i].type == device->operation;
    return HY_STATUS_OK;
}

void caching_device_init(struct caching_device *device, const char *name, int32_t operation)
{
    const struct hy_plugin_hosts *hosts = hy_runtime_hosts();

    memset(device, 0, sizeof *device);
    device->operation = operation;
    device->table = (struct hy_device){
        .struct_size = sizeof device->table,
        .abi = HY_DRIVER_ABI,
        .supported_operations = supported_operations,
        .prepare = prepare,
        .prepare_from_cache = prepare_from_cache,
        .prepared_destroy = prepared_destroy,
        .execute = execute,
    };
    device->performance = (struct hy_operand_performance){
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .performance = {.exec_time = 1, .power_usage = 1}};
    device->device = (struct hy_runtime_device){
        .kind = HALYARD_DEVICE_IN_PROCESS,
        .abi = HY_DRIVER_ABI,
        .table = &device->table,
        .self = device,
        .info = {.struct_size = sizeof device->device.info,
                 .type = HY_DEVICE_ACCELERATOR,
                 .name = name,
                 .version = "1",
                 .build_id = "b",
                 .feature_level = 8,
                 .model_cache_files = 1,
                 .data_cache_files = 1},
        .capabilities = {.struct_size = sizeof device->device.capabilities,
                         .operand_count = 1,
                         .operands = &device->performance},
        .manifest = "",
        .library = "",
        .work = &device->work,
    };
    device->host = hosts->create();
    if (!device->host || !hosts->note_device(device->host, "caching", &device->device.info))
        abort();
    hosts->complete(device->host);
}

void caching_device_finish(struct caching_device *device)
{
    hy_runtime_hosts()->destroy(device->host);
}
