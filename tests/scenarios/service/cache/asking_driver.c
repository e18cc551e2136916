/*
 * A driver in a process of its own that asks its host for whatever its input wishes: everything of
 * struct hy_host that has to do with caching. Its only operation is RELU of four floats.
 */
#include "asking.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/kit/scripted_driver.h"

static const struct hy_host *host;
static atomic_uint ran;

struct prepared {
    uint8_t token[HY_TOKEN_SIZE];
    int32_t file; /* a duplicate of its cache file; -1: none */
    int32_t staged_file;
    void *update;
};

/* ---- The wishes ------------------------------------------------------------------------------ */

static int64_t in_milliseconds(float delay)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return delay < 0 ? HY_NO_DEADLINE
                     : now.tv_sec * INT64_C(1000000000) + now.tv_nsec + (int64_t)(delay * 1e6f);
}

static int32_t lock_pipe(float is_for_writing)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    const int32_t status = host->cache_lock(host->context, ends[is_for_writing != 0], 1, 0);
    close(ends[0]);
    close(ends[1]);
    return status;
}

static int32_t begin(struct prepared *prepared, float is_unknown)
{
    static const uint8_t unknown[HY_TOKEN_SIZE] = "a token of nobody";
    int32_t none;
    if (prepared->update)
        return HY_STATUS_INVALID_ARGUMENT;
    return host->cache_begin(host->context, is_unknown != 0 ? unknown : prepared->token,
                             &prepared->staged_file, &none, &prepared->update);
}

static int32_t commit(struct prepared *prepared, float keep, float byte)
{
    const uint8_t content = (uint8_t)byte;
    if (!prepared->update || write(prepared->staged_file, &content, 1) != 1)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status = host->cache_commit(host->context, prepared->update, keep != 0);
    prepared->update = NULL;
    return status;
}

static int32_t read_content(const struct prepared *prepared, float *byte)
{
    uint8_t content = 0;
    if (pread(prepared->file, &content, 1, 0) != 1)
        return HY_STATUS_GENERAL_FAILURE;
    *byte = content;
    return HY_STATUS_OK;
}

static int32_t write_content(const struct prepared *prepared, float byte)
{
    const uint8_t content = (uint8_t)byte;
    int32_t status = host->cache_lock(host->context, prepared->file, 1, HY_NO_DEADLINE);
    if (status != HY_STATUS_OK)
        return status;
    if (pwrite(prepared->file, &content, 1, 0) != 1)
        status = HY_STATUS_GENERAL_FAILURE;
    host->cache_unlock(host->context, prepared->file);
    return status;
}

static int32_t store_digest(const struct prepared *prepared, float byte)
{
    const uint8_t digest[HY_DIGEST_SIZE] = {(uint8_t)byte};
    return host->digest_store(host->context, prepared->token, digest);
}

static int32_t find_digest(const struct prepared *prepared, float *byte)
{
    uint8_t digest[HY_DIGEST_SIZE];
    const int32_t status = host->digest_find(host->context, prepared->token, digest);
    if (status == HY_STATUS_OK)
        *byte = digest[0];
    return status;
}

static int32_t store_blob(float byte)
{
    const uint8_t blob[3] = {(uint8_t)byte};
    return host->blob_store(host->context, "key", 3, blob, sizeof blob);
}

static int32_t load_blob(float *length, float *byte)
{
    uint8_t blob[8] = {0};
    uint64_t bytes = 0;
    const int32_t status = host->blob_load(host->context, "key", 3, blob, sizeof blob, &bytes);
    *length = (float)bytes;
    *byte = blob[0];
    return status;
}

static void note(void *argument)
{
    (void)argument;
    atomic_fetch_add(&ran, 1);
}

static int32_t grant(struct prepared *prepared, const float *in, float *out)
{
    switch ((enum asking_request)in[0]) {
    case ASK_LOCK:
        return host->cache_lock(host->context, prepared->file, in[1] != 0, in_milliseconds(in[2]));
    case ASK_UNLOCK:
        host->cache_unlock(host->context, prepared->file);
        return HY_STATUS_OK;
    case ASK_LOCK_PIPE:
        return lock_pipe(in[1]);
    case ASK_BEGIN:
        return begin(prepared, in[1]);
    case ASK_COMMIT:
        return commit(prepared, in[1], in[2]);
    case ASK_CONTENT:
        return read_content(prepared, &out[1]);
    case ASK_WRITE:
        return write_content(prepared, in[1]);
    case ASK_STORE_DIGEST:
        return store_digest(prepared, in[1]);
    case ASK_FIND_DIGEST:
        return find_digest(prepared, &out[1]);
    case ASK_STORE_BLOB:
        return store_blob(in[1]);
    case ASK_LOAD_BLOB:
        return load_blob(&out[1], &out[2]);
    case ASK_REMOVE_BLOB:
        return host->blob_remove(host->context, "key", 3);
    case ASK_POST_TASK:
        return host->later(host->context, note, NULL);
    case ASK_TASK_RUNS:
        out[1] = (float)atomic_load(&ran);
        return HY_STATUS_OK;
    case ASK_LOG:
        host->log(host->context, HY_LOG_DEBUG, "as it was wished");
        return HY_STATUS_OK;
    case ASK_REQUESTS:
        break;
    }
    return HY_STATUS_INVALID_ARGUMENT;
}

/* ---- The device ------------------------------------------------------------------------------ */

static struct prepared *make(const struct hy_prepare_options *options)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared)
        return NULL;
    prepared->file = prepared->staged_file = -1;
    if (options->model_cache_count == 1) {
        prepared->file = fcntl(options->model_cache[0], F_DUPFD_CLOEXEC, 0);
        memcpy(prepared->token, options->token, sizeof prepared->token);
    }
    return prepared;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **out)
{
    const uint8_t content = 1;
    struct prepared *prepared = make(options);
    (void)device, (void)model;
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (prepared->file >= 0 &&
        (pwrite(prepared->file, &content, 1, 0) != 1 ||
         host->cache_keep_open(host->context, prepared->token) != HY_STATUS_OK)) {
        close(prepared->file);
        free(prepared);
        return HY_STATUS_GENERAL_FAILURE;
    }
    *out = prepared;
    return HY_STATUS_OK;
}

static int32_t prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **out)
{
    struct prepared *prepared = make(options);
    (void)device;
    if (!prepared)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *out = prepared;
    return HY_STATUS_OK;
}

static void prepared_destroy(void *self)
{
    struct prepared *prepared = self;
    if (prepared->update)
        (void)host->cache_commit(host->context, prepared->update, 0);
    if (prepared->file >= 0)
        close(prepared->file);
    free(prepared);
}

static int32_t find(const struct hy_request *request, const struct hy_argument *argument,
                    uint32_t protection, char **address)
{
    void *base = NULL;
    const int32_t status =
        host->map(host->context, &request->pools[argument->location.pool], protection, &base);
    if (status == HY_STATUS_OK)
        *address = (char *)base + argument->location.offset;
    return status;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    float in[ASKING_NUMBERS], out[ASKING_NUMBERS] = {0};
    char *from = NULL, *to = NULL;
    (void)options;
    int32_t status = find(request, &request->inputs[0], HY_PROTECT_READ, &from);
    if (status == HY_STATUS_OK)
        status = find(request, &request->outputs[0], HY_PROTECT_WRITE, &to);
    if (status != HY_STATUS_OK)
        return status;
    memcpy(in, from, sizeof in);
    out[0] = (float)grant(prepared, in, out);
    memcpy(to, out, sizeof out);
    result->outputs[0] =
        (struct hy_output_shape){.rank = 1, .sufficient = 1, .dims = {ASKING_NUMBERS}};
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    return HY_STATUS_OK;
}

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *its, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    (void)arguments, (void)message;
    host = its;
    *instance = &ran;
    return HY_STATUS_OK;
}

static bool supports(const void *device, const struct hy_model *model,
                     const struct hy_operation *operation)
{
    (void)device, (void)model;
    return operation->type == ANEURALNETWORKS_RELU;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static const struct hy_operand_performance figures[] = {
        {ANEURALNETWORKS_TENSOR_FLOAT32, {1, 1}}};
    static struct scripted_driver script = {
        .driver = {.name = "asking", .create = create},
        .device = {.prepare = prepare,
                   .prepared_destroy = prepared_destroy,
                   .execute = execute,
                   .prepare_from_cache = prepare_from_cache},
        .info = {.type = HY_DEVICE_OTHER, .name = "asker", .model_cache_files = 1},
        .capabilities = {.operand_count = 1, .operands = figures},
        .supports = supports,
    };
    return scripted_driver(host_abi, &script);
}
