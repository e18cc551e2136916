#ifndef HY_TESTS_UNIT_COMMON_INFER_FIXTURE_H
#define HY_TESTS_UNIT_COMMON_INFER_FIXTURE_H

#include <android/NeuralNetworksTypes.h>
#include <string.h>

#include "common/inference/infer.h"
#include "common/operations/operation.h"

/* A small call: the values 0..n-1 are the inputs, the next values the outputs. */

#define MOST 20

struct fixture {
    struct hy_value values[MOST];
    uint32_t indices[MOST];
    int32_t ints[MOST];
    struct hy_call call;
    struct hy_error err;
    struct hy_shape out[4];
};

static inline void start(struct fixture *f, int32_t operation)
{
    *f = (struct fixture){
        .call = {
            .operation = operation, .output_count = 1, .inputs = f->indices, .values = f->values}};
    for (uint32_t i = 0; i < MOST; i++)
        f->indices[i] = i;
}

static inline void tensor(struct fixture *f, int32_t type, struct hy_shape shape)
{
    f->values[f->call.input_count++] =
        (struct hy_value){.type = type, .known = true, .shape = shape, .scale = 1, .data = f->ints};
}

static inline void f32(struct fixture *f, struct hy_shape shape)
{
    tensor(f, ANEURALNETWORKS_TENSOR_FLOAT32, shape);
}

static inline void scalar(struct fixture *f, int32_t type, const void *value, size_t size)
{
    uint32_t at = f->call.input_count++;

    memcpy(&f->ints[at], value, size);
    f->values[at] = (struct hy_value){.type = type, .known = true, .data = &f->ints[at]};
}

static inline void integer(struct fixture *f, int32_t value)
{
    scalar(f, ANEURALNETWORKS_INT32, &value, sizeof value);
}

static inline void real(struct fixture *f, float value)
{
    scalar(f, ANEURALNETWORKS_FLOAT32, &value, sizeof value);
}

static inline void boolean(struct fixture *f, bool value)
{
    scalar(f, ANEURALNETWORKS_BOOL, &value, sizeof value);
}

static inline enum hy_code infer(struct fixture *f)
{
    f->call.outputs = &f->indices[f->call.input_count];
    f->values[f->call.input_count].scale = f->values[0].scale;
    f->err.text[0] = '\0';
    return hy_infer_shapes(&f->call, f->out, &f->err);
}

#endif
