#ifndef HY_TESTS_UNIT_RUNTIME_KIT_MODEL_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_MODEL_FIXTURE_H

/* Helpers for building models. Every step returns its code; `err` holds the text of the last
 * failure. */
#include "runtime/memory/memory_object.h"
#include "runtime/model/model.h"

#include <android/NeuralNetworks.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fixture {
    struct hy_app_model *model;
    uint32_t operands; /* number of operands */
    struct hy_error err;
};

static inline struct fixture fixture_create(void)
{
    struct fixture f = {0};
    if (hy_app_model_create(&f.model, &f.err) != HY_OK)
        f.model = NULL;
    return f;
}

static inline void fixture_free(struct fixture *f)
{
    hy_app_model_release(f->model);
    f->model = NULL;
}

static inline enum hy_code add(struct fixture *f, struct hy_operand_spec spec)
{
    enum hy_code code = hy_app_model_add_operand(f->model, &spec, &f->err);
    f->operands += code == HY_OK;
    return code;
}

/* Adds a valid operand and returns its index. */
static inline uint32_t tensor(struct fixture *f, int32_t type, uint32_t rank, const uint32_t *dims,
                              float scale)
{
    enum hy_code code = add(f, (struct hy_operand_spec){type, rank, dims, scale, 0});
    return code == HY_OK ? f->operands - 1 : UINT32_MAX;
}

static inline uint32_t floats(struct fixture *f, uint32_t count)
{
    return tensor(f, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &count, 0);
}

static inline uint32_t scalar(struct fixture *f, int32_t type)
{
    return tensor(f, type, 0, NULL, 0);
}

static inline enum hy_code set(struct fixture *f, uint32_t operand, const void *buffer,
                               size_t length)
{
    return hy_app_model_set_value(f->model, operand, buffer, length, &f->err);
}

static inline enum hy_code set_memory(struct fixture *f, uint32_t operand, struct hy_memory *memory,
                                      size_t offset, size_t length)
{
    return hy_app_model_set_value_from_memory(f->model, operand, memory, offset, length, &f->err);
}

/* An INT32 constant: an activation, an axis. */
static inline uint32_t constant(struct fixture *f, int32_t value)
{
    uint32_t operand = scalar(f, ANEURALNETWORKS_INT32);
    return set(f, operand, &value, sizeof value) == HY_OK ? operand : UINT32_MAX;
}

static inline enum hy_code op(struct fixture *f, int32_t type, uint32_t input_count,
                              const uint32_t *inputs, uint32_t output)
{
    return hy_app_model_add_operation(f->model, type, input_count, inputs, 1, &output, &f->err);
}

static inline enum hy_code relu(struct fixture *f, uint32_t input, uint32_t output)
{
    return op(f, ANEURALNETWORKS_RELU, 1, &input, output);
}

static inline enum hy_code add_op(struct fixture *f, uint32_t a, uint32_t b, uint32_t activation,
                                  uint32_t output)
{
    return op(f, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){a, b, activation}, output);
}

/* One input, one output. */
static inline enum hy_code identify(struct fixture *f, uint32_t input, uint32_t output)
{
    return hy_app_model_identify(f->model, 1, &input, 1, &output, &f->err);
}

static inline enum hy_code finish(struct fixture *f)
{
    return hy_app_model_finish(f->model, &f->err);
}

/* output = RELU(input), identified but not finished: operands 0 and 1. */
static inline struct fixture fixture_relu(void)
{
    struct fixture f = fixture_create();
    uint32_t input = floats(&f, 4), output = floats(&f, 4);
    if (relu(&f, input, output) != HY_OK || identify(&f, input, output) != HY_OK)
        fixture_free(&f);
    return f;
}

/* A memfd of `size` zero bytes, or -1. */
static inline int shared_file(size_t size)
{
    int fd = memfd_create("halyard-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Readable memory of `size` bytes; NULL when there is none. */
static inline struct hy_memory *shared_memory(size_t size)
{
    struct hy_memory *memory = NULL;
    int fd = shared_file(size);
    if (hy_memory_from_fd(size, PROT_READ, fd, 0, &memory, NULL) != HY_OK)
        memory = NULL;
    if (fd >= 0)
        close(fd);
    return memory;
}

#endif
