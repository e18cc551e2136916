#include "tools/vectors/pool_memory.h"

#include <android/hardware_buffer.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/api_result.h"

/* An object of either kind; both NULL: the argument is omitted. */
struct hy_vector_pool {
    void *bytes; /* of a file, mapped */
    size_t length;
    AHardwareBuffer *buffer;
    ANeuralNetworksMemory *memory;
};

#define OTHER_BYTES 0xa5 /* where an output will be */

bool hy_pool_kind_parse(const char *name, enum hy_pool_kind *ret)
{
    static const char *const names[] = {"mmap_fd", "hardware_buffer_blob"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum hy_pool_kind)i;
            return true;
        }
    }
    return false;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum hy_code make_file(struct hy_vector_pool *pool, struct hy_error *err)
{
    const int fd = memfd_create("halyard-argument", MFD_CLOEXEC);
    void *bytes = MAP_FAILED;
    enum hy_code code;

    if (fd >= 0 && ftruncate(fd, (off_t)pool->length) == 0)
        bytes = mmap(NULL, pool->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        code = hy_fail(err, HY_FAILED, "a memory of %zu bytes: %s", pool->length, strerror(errno));
    } else {
        pool->bytes = bytes;
        code = hy_api_result(ANeuralNetworksMemory_createFromFd(
                                 pool->length, PROT_READ | PROT_WRITE, fd, 0, &pool->memory),
                             "Memory_createFromFd", err);
    }
    if (fd >= 0)
        close(fd);
    return code;
}

static enum hy_code make_blob(struct hy_vector_pool *pool, struct hy_error *err)
{
    const AHardwareBuffer_Desc desc = {
        .width = (uint32_t)pool->length,
        .height = 1,
        .layers = 1,
        .format = AHARDWAREBUFFER_FORMAT_BLOB,
        .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
    };
    const int status = AHardwareBuffer_allocate(&desc, &pool->buffer);
    if (status != 0) {
        pool->buffer = NULL;
        return hy_fail(err, HY_FAILED, "AHardwareBuffer_allocate of %zu bytes: %s", pool->length,
                       strerror(-status));
    }
    return hy_api_result(
        ANeuralNetworksMemory_createFromAHardwareBuffer(pool->buffer, &pool->memory),
        "Memory_createFromAHardwareBuffer", err);
}

/* Its address, until it is given back. */
static enum hy_code map(const struct hy_vector_pool *pool, uint8_t **ret, struct hy_error *err)
{
    void *address = pool->bytes;
    int status = 0;

    if (pool->buffer)
        status = AHardwareBuffer_lock(pool->buffer,
                                      AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                                          AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
                                      -1, NULL, &address);
    if (status != 0)
        return hy_fail(err, HY_FAILED, "AHardwareBuffer_lock: %s", strerror(-status));
    *ret = address;
    return HY_OK;
}

static enum hy_code give_back(const struct hy_vector_pool *pool, struct hy_error *err)
{
    const int status = pool->buffer ? AHardwareBuffer_unlock(pool->buffer, NULL) : 0;
    return status == 0 ? HY_OK
                       : hy_fail(err, HY_FAILED, "AHardwareBuffer_unlock: %s", strerror(-status));
}

/* `bytes`: initial contents; NULL: for an output. */
static enum hy_code make(struct hy_vector_pool *pool, enum hy_pool_kind kind, size_t length,
                         const void *bytes, struct hy_error *err)
{
    uint8_t *address = NULL;

    pool->length = length;
    enum hy_code code = kind == HY_IN_MMAP_FD ? make_file(pool, err) : make_blob(pool, err);
    if (code == HY_OK)
        code = map(pool, &address, err);
    if (code != HY_OK)
        return code;
    if (bytes)
        memcpy(address, bytes, length);
    else
        memset(address, OTHER_BYTES, length);
    return give_back(pool, err);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static enum hy_code set_input(struct hy_vector_pool *pool, enum hy_pool_kind kind,
                              ANeuralNetworksExecution *execution, uint32_t index,
                              const struct hy_vector_value *value, struct hy_error *err)
{
    const int32_t number = (int32_t)index;
    if (value->length == 0)
        return hy_api_result(ANeuralNetworksExecution_setInput(execution, number, NULL, NULL, 0),
                             "Execution_setInput", err);

    enum hy_code code = make(pool, kind, value->length, value->bytes, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setInputFromMemory(
                                 execution, number, NULL, pool->memory, 0, pool->length),
                             "Execution_setInputFromMemory", err);
    return code;
}

static enum hy_code set_output(struct hy_vector_pool *pool, enum hy_pool_kind kind,
                               ANeuralNetworksExecution *execution, uint32_t index,
                               const struct hy_vector_value *value, struct hy_error *err)
{
    enum hy_code code = make(pool, kind, value->length ? value->length : 1, NULL, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setOutputFromMemory(
                                 execution, (int32_t)index, NULL, pool->memory, 0, pool->length),
                             "Execution_setOutputFromMemory", err);
    return code;
}

enum hy_code hy_vector_pool_memory_set(struct hy_vector_pool_memory *memory, enum hy_pool_kind kind,
                                       const struct hy_vector_model *model,
                                       const struct hy_vector_example *example,
                                       ANeuralNetworksExecution *execution, struct hy_error *err)
{
    const uint32_t inputs = model->inputs.count, outputs = model->outputs.count;

    memory->model = model;
    memory->pools = calloc((size_t)inputs + outputs, sizeof *memory->pools);
    if (!memory->pools)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u arguments", inputs + outputs);
    for (uint32_t i = 0; i < inputs; i++) {
        const enum hy_code code =
            set_input(&memory->pools[i], kind, execution, i, &example->inputs[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "input %u", i);
    }
    for (uint32_t i = 0; i < outputs; i++) {
        const enum hy_code code =
            set_output(&memory->pools[inputs + i], kind, execution, i, &example->outputs[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
    }
    return HY_OK;
}

enum hy_code hy_vector_pool_memory_fetch(const struct hy_vector_pool_memory *memory,
                                         const struct hy_vector_example *example,
                                         void *const *outputs, struct hy_error *err)
{
    const struct hy_vector_pool *pools = memory->pools + memory->model->inputs.count;

    for (uint32_t i = 0; i < memory->model->outputs.count; i++) {
        uint8_t *address = NULL;
        enum hy_code code = map(&pools[i], &address, err);
        if (code == HY_OK) {
            memcpy(outputs[i], address, example->outputs[i].length);
            memset(address, OTHER_BYTES, pools[i].length);
            code = give_back(&pools[i], err);
        }
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
    }
    return HY_OK;
}

/* The memory is freed before its buffer. */
static void finish(struct hy_vector_pool *pool)
{
    ANeuralNetworksMemory_free(pool->memory);
    if (pool->buffer)
        AHardwareBuffer_release(pool->buffer);
    if (pool->bytes)
        munmap(pool->bytes, pool->length);
}

void hy_vector_pool_memory_finish(struct hy_vector_pool_memory *memory)
{
    for (uint32_t i = 0;
         memory->pools && i < memory->model->inputs.count + memory->model->outputs.count; i++)
        finish(&memory->pools[i]);
    free(memory->pools);
    *memory = (struct hy_vector_pool_memory){0};
}
