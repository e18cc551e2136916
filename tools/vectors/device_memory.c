#include "tools/vectors/device_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/api_result.h"

/* ---- Shared memory, to copy from and to ------------------------------------------------------ */

struct shared {
    int fd;
    ANeuralNetworksMemory *memory;
};

static void shared_finish(struct shared *shared)
{
    ANeuralNetworksMemory_free(shared->memory);
    if (shared->fd >= 0)
        close(shared->fd);
}

/* `bytes`: initial contents; NULL: zeros. */
static enum hy_code shared_make(size_t length, const void *bytes, struct shared *shared,
                                struct hy_error *err)
{
    shared->memory = NULL;
    shared->fd = memfd_create("halyard-argument", MFD_CLOEXEC);
    if (shared->fd < 0 || ftruncate(shared->fd, (off_t)length) != 0 ||
        (bytes && pwrite(shared->fd, bytes, length, 0) != (ssize_t)length))
        return hy_fail(err, HY_FAILED, "a memory of %zu bytes: %s", length, strerror(errno));
    return hy_api_result(ANeuralNetworksMemory_createFromFd(length, PROT_READ | PROT_WRITE,
                                                            shared->fd, 0, &shared->memory),
                         "Memory_createFromFd", err);
}

/* ---- Memory for arguments -------------------------------------------------------------------- */

static enum hy_code describe(ANeuralNetworksMemoryDesc *desc,
                             ANeuralNetworksCompilation *compilation, bool is_output,
                             uint32_t index, struct hy_error *err)
{
    enum hy_code code =
        is_output
            ? hy_api_result(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, index, 1.f),
                            "MemoryDesc_addOutputRole", err)
            : hy_api_result(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, index, 1.f),
                            "MemoryDesc_addInputRole", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksMemoryDesc_finish(desc), "MemoryDesc_finish", err);
    return code;
}

static enum hy_code make(ANeuralNetworksCompilation *compilation, bool is_output, uint32_t index,
                         ANeuralNetworksMemory **ret, struct hy_error *err)
{
    ANeuralNetworksMemoryDesc *desc = NULL;

    enum hy_code code =
        hy_api_result(ANeuralNetworksMemoryDesc_create(&desc), "MemoryDesc_create", err);
    if (code == HY_OK)
        code = describe(desc, compilation, is_output, index, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksMemory_createFromDesc(desc, ret),
                             "Memory_createFromDesc", err);
    ANeuralNetworksMemoryDesc_free(desc);
    return code;
}

static enum hy_code fill(ANeuralNetworksMemory *memory, const struct hy_vector_value *value,
                         struct hy_error *err)
{
    struct shared shared;
    enum hy_code code = shared_make(value->length, value->bytes, &shared, err);

    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksMemory_copy(shared.memory, memory), "Memory_copy", err);
    shared_finish(&shared);
    return code;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static enum hy_code set_input(ANeuralNetworksMemory **object,
                              ANeuralNetworksCompilation *compilation,
                              ANeuralNetworksExecution *execution, uint32_t index,
                              const struct hy_vector_value *value, struct hy_error *err)
{
    const int32_t number = (int32_t)index;
    if (value->omitted)
        return hy_api_result(ANeuralNetworksExecution_setInput(execution, number, NULL, NULL, 0),
                             "Execution_setInput", err);

    enum hy_code code = make(compilation, false, index, object, err);
    if (code == HY_OK)
        code = fill(*object, value, err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksExecution_setInputFromMemory(execution, number, NULL, *object, 0, 0),
            "Execution_setInputFromMemory", err);
    return code;
}

static enum hy_code set_output(ANeuralNetworksMemory **object,
                               ANeuralNetworksCompilation *compilation,
                               ANeuralNetworksExecution *execution, uint32_t index,
                               struct hy_error *err)
{
    enum hy_code code = make(compilation, true, index, object, err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setOutputFromMemory(execution, (int32_t)index,
                                                                          NULL, *object, 0, 0),
                             "Execution_setOutputFromMemory", err);
    return code;
}

enum hy_code hy_vector_device_memory_set(struct hy_vector_device_memory *memory,
                                         const struct hy_vector_model *model,
                                         const struct hy_vector_example *example,
                                         ANeuralNetworksCompilation *compilation,
                                         ANeuralNetworksExecution *execution, struct hy_error *err)
{
    const uint32_t inputs = model->inputs.count, outputs = model->outputs.count;
    enum hy_code code = HY_OK;

    memory->model = model;
    memory->objects = calloc((size_t)inputs + outputs, sizeof *memory->objects);
    if (!memory->objects)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u arguments", inputs + outputs);
    for (uint32_t i = 0; code == HY_OK && i < inputs; i++) {
        code = set_input(&memory->objects[i], compilation, execution, i, &example->inputs[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "input %u", i);
    }
    for (uint32_t i = 0; code == HY_OK && i < outputs; i++) {
        code = set_output(&memory->objects[inputs + i], compilation, execution, i, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
    }
    return code;
}

static enum hy_code fetch(ANeuralNetworksMemory *memory, size_t length, void *output,
                          struct hy_error *err)
{
    struct shared shared;
    enum hy_code code = shared_make(length, NULL, &shared, err);

    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksMemory_copy(memory, shared.memory), "Memory_copy", err);
    if (code == HY_OK && pread(shared.fd, output, length, 0) != (ssize_t)length)
        code = hy_fail(err, HY_FAILED, "a memory of %zu bytes: %s", length, strerror(errno));
    shared_finish(&shared);
    return code;
}

enum hy_code hy_vector_device_memory_fetch(const struct hy_vector_device_memory *memory,
                                           const struct hy_vector_example *example,
                                           void *const *outputs, struct hy_error *err)
{
    const uint32_t first = memory->model->inputs.count;

    for (uint32_t i = 0; i < memory->model->outputs.count; i++) {
        enum hy_code code =
            fetch(memory->objects[first + i], example->outputs[i].length, outputs[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
    }
    return HY_OK;
}

void hy_vector_device_memory_finish(struct hy_vector_device_memory *memory)
{
    for (uint32_t i = 0;
         memory->objects && i < memory->model->inputs.count + memory->model->outputs.count; i++)
        ANeuralNetworksMemory_free(memory->objects[i]);
    free(memory->objects);
    *memory = (struct hy_vector_device_memory){0};
}
