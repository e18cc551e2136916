/* What makes tokens equal, and what makes them different. */
#include "cache_store/token.h"

#include "test.h"

#include <android/NeuralNetworks.h>
#include <stdbool.h>

/* y = ADD(x, constant, activation), small enough to change each part of it. */
struct sample {
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
    struct hy_token_facts facts;
};

static void init_sample(struct sample *s)
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
    s->facts = (struct hy_token_facts){.device_name = "acme-npu",
                                       .device_version = "1",
                                       .build_id = "b",
                                       .abi = HY_DRIVER_ABI,
                                       .preference = 1,
                                       .priority = 1,
                                       .model = &s->model};
}

/* Whether the changed sample has the token of an unchanged one. */
static bool is_same(const struct sample *changed)
{
    static struct sample plain;
    uint8_t want[HY_TOKEN_SIZE], got[HY_TOKEN_SIZE];

    init_sample(&plain);
    EXPECT_INT(hy_token_make(&plain.facts, want, NULL), HY_OK);
    EXPECT_INT(hy_token_make(&changed->facts, got, NULL), HY_OK);
    return memcmp(want, got, sizeof want) == 0;
}

TEST(token, every_fact_counts)
{
    static struct sample s;

#define CHANGED(statement) \
    do { \
        init_sample(&s); \
        statement; \
        EXPECT(!is_same(&s)); \
    } while (0)

    init_sample(&s);
    EXPECT(is_same(&s));
    CHANGED(s.facts.device_name = "acme-dsp");
    CHANGED(s.facts.device_version = "2");
    CHANGED(s.facts.build_id = "");
    CHANGED(
        (s.facts.device_version = "1b", s.facts.build_id = "")); /* fields do not run together */
    CHANGED(s.facts.abi++);
    CHANGED(s.facts.preference++);
    CHANGED(s.facts.priority++);
    CHANGED(s.model.relaxed_float = 1);
    CHANGED(s.dims[0] = 3);
    CHANGED(s.operands[0].type = ANEURALNETWORKS_TENSOR_INT32);
    CHANGED(s.operands[0].scale = 1);
    CHANGED(s.operands[0].zero_point = 1);
    CHANGED((s.operands[0].channel_scales = s.scales, s.operands[0].channel_count = 2));
    CHANGED(s.operands[3].lifetime = HY_LIFETIME_NO_VALUE);
    CHANGED(s.operation.type = ANEURALNETWORKS_MUL);
    CHANGED((s.inputs[0] = 1, s.inputs[1] = 0));
    CHANGED(s.values[0]++);
    CHANGED(s.values[8]++);
#undef CHANGED
}

TEST(token, place_of_a_constant_does_not_count)
{
    static struct sample s;

    init_sample(&s);
    s.operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    s.operands[1].location = (struct hy_location){.offset = 4, .length = 8};
    memset(s.values, 0, 8);
    EXPECT(is_same(&s));
}

TEST(token, constants_outside_their_memory_are_refused)
{
    static struct sample s;
    struct hy_error err = {0};
    uint8_t token[HY_TOKEN_SIZE];

    init_sample(&s);
    s.operands[1].location.offset = UINT64_MAX - 3;
    EXPECT_INT(hy_token_make(&s.facts, token, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "operand 1");
    s.operands[1].lifetime = HY_LIFETIME_CONSTANT_POOL;
    s.operands[1].location = (struct hy_location){.pool = 1, .length = 8};
    EXPECT_INT(hy_token_make(&s.facts, token, &err), HY_BAD_DATA);
    s.operands[1].location.pool = 0;
    s.pool.address = NULL;
    EXPECT_INT(hy_token_make(&s.facts, token, &err), HY_FAILED);
}
