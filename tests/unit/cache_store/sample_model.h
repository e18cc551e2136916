#ifndef HY_TESTS_UNIT_CACHE_STORE_SAMPLE_MODEL_H
#define HY_TESTS_UNIT_CACHE_STORE_SAMPLE_MODEL_H

/* A small model for tests with changes of single parts. */
#include "halyard/driver.h"

#include <android/NeuralNetworks.h>
#include <string.h>

/* y = ADD(x, constant, activation). */
struct sample_model {
    uint32_t dims[1];
    uint8_t values[16];
    uint8_t pool_bytes[16];
    float scales[2];
    struct hy_pool pool;
    struct hy_operand operands[4];
    uint32_t inputs[3], outputs[1];
    struct hy_operation operation;
    struct hy_subgraph graph;
    struct hy_model model;
};

static inline void sample_model_init(struct sample_model *s)
{
    memset(s, 0, sizeof *s);
    s->dims[0] = 2;
    memcpy(s->values, "constant", 8);
    memcpy(s->pool_bytes + 4, "constant", 8);
    s->pool = (struct hy_pool){.kind = HY_POOL_HOST, .size = 16, .address = s->pool_bytes};
    for (unsigned i = 0; i < 3; i++)
        s->operands[i] =
            (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = s->dims};
    s->operands[0].lifetime = HY_LIFETIME_INPUT;
    s->operands[1].lifetime = HY_LIFETIME_CONSTANT_COPY;
    s->operands[1].location.length = 8;
    s->operands[2].lifetime = HY_LIFETIME_OUTPUT;
    s->operands[3] = (struct hy_operand){.type = ANEURALNETWORKS_INT32,
                                         .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                         .location = {.offset = 8, .length = 4}};
    memcpy(s->inputs, (uint32_t[]){0, 1, 3}, sizeof s->inputs);
    s->outputs[0] = 2;
    s->operation = (struct hy_operation){.type = ANEURALNETWORKS_ADD,
                                         .input_count = 3,
                                         .output_count = 1,
                                         .inputs = s->inputs,
                                         .outputs = s->outputs};
    s->graph = (struct hy_subgraph){.struct_size = sizeof s->graph,
                                    .operand_count = 4,
                                    .operation_count = 1,
                                    .input_count = 1,
                                    .output_count = 1,
                                    .operands = s->operands,
                                    .operations = &s->operation,
                                    .inputs = s->inputs,
                                    .outputs = s->outputs};
    s->model = (struct hy_model){.struct_size = sizeof s->model,
                                 .main = &s->graph,
                                 .values = s->values,
                                 .values_size = sizeof s->values,
                                 .pools = &s->pool,
                                 .pool_count = 1};
}

#endif
