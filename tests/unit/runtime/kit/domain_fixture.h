#ifndef HY_TESTS_UNIT_RUNTIME_KIT_DOMAIN_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_DOMAIN_FIXTURE_H

/* Helpers for memory from descriptors. */
#include "buffer_device.h"
#include "plan_fixture.h"
#include "runtime/memory/copy.h"
#include "runtime/memory_domain/desc.h"

struct role {
    struct hy_compilation *compilation;
    bool is_output;
    uint32_t index;
};

/* Creates memory with the given roles. On failure returns NULL and fills `err`. `extent` is the
 * dimension set in the descriptor; 0 for none. */
static inline struct hy_memory *domain_memory(const struct role *roles, uint32_t count,
                                              uint32_t extent, struct hy_error *err)
{
    struct hy_memory_desc *desc = NULL;
    struct hy_memory *memory = NULL;

    enum hy_code code = hy_memory_desc_create(&desc, err);
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = hy_memory_desc_add_role(desc, roles[i].compilation, roles[i].is_output,
                                       roles[i].index, 1, err);
    if (code == HY_OK && extent)
        code = hy_memory_desc_set_dims(desc, 1, &extent, err);
    if (code == HY_OK)
        code = hy_memory_desc_finish(desc, err);
    if (code == HY_OK)
        code = hy_memory_from_desc(desc, &memory, err);
    hy_memory_desc_destroy(desc);
    return code == HY_OK ? memory : NULL;
}

static inline struct hy_memory *one_role(struct hy_compilation *compilation, bool is_output,
                                         uint32_t index)
{
    const struct role role = {compilation, is_output, index};
    return domain_memory(&role, 1, 0, NULL);
}

/* Memory for input 0 and output 0. */
static inline struct hy_memory *both_roles(struct hy_compilation *compilation)
{
    const struct role roles[] = {{compilation, false, 0}, {compilation, true, 0}};
    return domain_memory(roles, 2, 0, NULL);
}

/* Shared memory of `count` floats, for reading and writing. */
static inline struct hy_memory *file_memory(uint32_t count, const float *values)
{
    const size_t size = count * sizeof *values;
    struct hy_memory *memory = NULL;
    int fd = shared_file(size);

    if (hy_memory_from_fd(size, PROT_READ | PROT_WRITE, fd, 0, &memory, NULL) != HY_OK)
        memory = NULL;
    if (fd >= 0)
        close(fd);
    if (memory && values)
        memcpy(hy_memory_pool(memory)->address, values, size);
    return memory;
}

static inline enum hy_code fill(struct hy_memory *memory, uint32_t count, const float *values)
{
    struct hy_memory *file = file_memory(count, values);
    enum hy_code code = file ? hy_memory_copy(file, memory, NULL) : HY_OUT_OF_MEMORY;
    hy_memory_release(file);
    return code;
}

/* Whether the memory holds exactly the given floats. */
static inline bool holds(struct hy_memory *memory, uint32_t count, const float *values)
{
    struct hy_memory *file = file_memory(count, NULL);
    bool is_equal = file && hy_memory_copy(memory, file, NULL) == HY_OK &&
                    memcmp(hy_memory_pool(file)->address, values, count * sizeof *values) == 0;
    hy_memory_release(file);
    return is_equal;
}

static inline enum hy_code set_whole(struct hy_execution *execution, bool is_output, uint32_t index,
                                     uint32_t extent, struct hy_memory *memory,
                                     struct hy_error *err)
{
    const struct hy_operand_spec type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent, 0, 0};
    const struct hy_argument_source source = {.memory = memory};
    return hy_execution_set(execution, is_output, index, extent ? &type : NULL, &source, err);
}

/* Runs once with input 0 and output 0. An extent of 0 leaves the extent to the memory. */
static inline enum hy_code run_on(struct hy_compilation *compilation, struct hy_memory *in,
                                  uint32_t in_extent, struct hy_memory *out, uint32_t out_extent,
                                  struct hy_error *err)
{
    struct hy_execution *execution = NULL;

    enum hy_code code = hy_execution_create(compilation, &execution, err);
    if (code == HY_OK)
        code = set_whole(execution, false, 0, in_extent, in, err);
    if (code == HY_OK)
        code = set_whole(execution, true, 0, out_extent, out, err);
    if (code == HY_OK)
        code = compute(execution, err);
    hy_execution_release(execution);
    return code;
}

#endif
