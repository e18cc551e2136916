#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

#include "common/operations/operation.h"
#include "tools/vectors/transform.h"

#define BYTE   ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define SIGNED ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

static const struct hy_vector_passes dynamic = {.dynamic = true};
static const struct hy_vector_passes is_signed = {.is_signed = true};

static const uint32_t first[] = {0}, last[] = {3};

/* One operation on an input and a constant of bytes; in parts, so that a test may change one. */
struct sample {
    uint32_t dims[2];
    uint8_t input[3], constant[3], output[3];
    struct hy_vector_operand operands[4];
    struct hy_vector_operation operations[2];
    struct hy_vector_model models[2];
    struct hy_vector_value values[2];
    struct hy_vector_example example;
    struct hy_vector vector;
};

static struct hy_vector_value value_of(const uint8_t bytes[3])
{
    return (struct hy_vector_value){.count = 3, .length = 3, .bytes = bytes};
}

static void init_operand(struct sample *sample, uint32_t index, enum hy_vector_lifetime lifetime,
                         int32_t zero_point)
{
    sample->operands[index] = (struct hy_vector_operand){.type = BYTE,
                                                         .lifetime = lifetime,
                                                         .rank = 2,
                                                         .dims = sample->dims,
                                                         .declared_dims = sample->dims,
                                                         .scale = 1,
                                                         .zero_point = zero_point};
}

static void init_sample(struct sample *sample)
{
    *sample = (struct sample){
        .dims = {1, 3}, .input = {0, 128, 255}, .constant = {1, 2, 3}, .output = {4, 5, 200}};
    init_operand(sample, 0, HY_VECTOR_INPUT, 0);
    init_operand(sample, 1, HY_VECTOR_CONSTANT_COPY, 128);
    init_operand(sample, 3, HY_VECTOR_OUTPUT, 255);
    sample->operands[1].value = value_of(sample->constant);
    sample->operands[2] =
        (struct hy_vector_operand){.type = ANEURALNETWORKS_INT32, .lifetime = HY_VECTOR_NO_VALUE};
    for (int i = 0; i < 2; i++)
        sample->operations[i].type = HY_OP_ADD;
    sample->models[0] = (struct hy_vector_model){.operand_count = 4,
                                                 .operation_count = 1,
                                                 .operands = sample->operands,
                                                 .operations = sample->operations,
                                                 .inputs = {1, first},
                                                 .outputs = {1, last}};
    sample->values[0] = value_of(sample->input);
    sample->values[1] = value_of(sample->output);
    sample->example = (struct hy_vector_example){&sample->values[0], &sample->values[1]};
    sample->vector = (struct hy_vector){.name = "sample",
                                        .model_count = 1,
                                        .models = sample->models,
                                        .example_count = 1,
                                        .examples = &sample->example};
}

static enum hy_skip_rule rule_of(const struct sample *sample, const struct hy_vector_passes *passes)
{
    return hy_vector_transform_rule(&sample->vector, passes);
}

TEST(transform, dynamic_leaves_out_what_has_to_fail_and_three_operations)
{
    struct sample sample;
    init_sample(&sample);
    EXPECT_INT(rule_of(&sample, &dynamic), HY_SKIP_NONE);
    static const int32_t left_out[] = {HY_OP_IF, HY_OP_WHILE, HY_OP_RANK};
    for (int i = 0; i < 3; i++) {
        sample.operations[0].type = left_out[i];
        EXPECT_INT(rule_of(&sample, &dynamic), HY_SKIP_DYNAMIC_OPERATION);
    }
    sample.vector.expect_failure = true;
    EXPECT_INT(rule_of(&sample, &dynamic), HY_SKIP_DYNAMIC_FAILURE);
}

TEST(transform, dynamic_looks_for_its_operations_in_every_model)
{
    struct sample sample;
    init_sample(&sample);
    sample.models[1] = sample.models[0];
    sample.models[1].operations = &sample.operations[1];
    sample.operations[1].type = HY_OP_RANK;
    EXPECT_INT(rule_of(&sample, &dynamic), HY_SKIP_NONE);
    sample.vector.model_count = 2;
    EXPECT_INT(rule_of(&sample, &dynamic), HY_SKIP_DYNAMIC_OPERATION);
}

TEST(transform, signed_takes_one_operation_that_has_unsigned_bytes)
{
    struct sample sample;
    init_sample(&sample);
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_NONE);
    sample.operations[0].type = HY_OP_PAD_V2;
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_SIGNED_OPERATION);
    sample.models[0].operation_count = 2;
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_SIGNED_OPERATIONS);
    sample.vector.model_count = 2;
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_SIGNED_SUBGRAPHS);
    sample.vector.expect_failure = true;
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_SIGNED_FAILURE);

    init_sample(&sample);
    for (int i = 0; i < 4; i++)
        sample.operands[i].type = ANEURALNETWORKS_TENSOR_FLOAT32;
    EXPECT_INT(rule_of(&sample, &is_signed), HY_SKIP_SIGNED_NO_OPERAND);
}

TEST(transform, without_a_pass_a_test_stays_as_it_is)
{
    struct sample sample;
    init_sample(&sample);
    sample.vector.expect_failure = true;
    const struct hy_vector_passes none = {0};
    struct hy_arena arena = {0};
    struct hy_vector out;
    EXPECT_INT(rule_of(&sample, &none), HY_SKIP_NONE);
    REQUIRE(hy_vector_transform(&sample.vector, &none, &arena, &out, NULL) == HY_OK);
    EXPECT(out.models == sample.vector.models && out.examples == sample.vector.examples);
    hy_arena_finish(&arena);
}

TEST(transform, dynamic_hides_the_dimensions_of_outputs_and_still_expects_them)
{
    struct sample sample;
    init_sample(&sample);
    struct hy_arena arena = {0};
    struct hy_vector out;
    REQUIRE(hy_vector_transform(&sample.vector, &dynamic, &arena, &out, NULL) == HY_OK);

    const struct hy_vector_operand *operands = out.models[0].operands;
    EXPECT_INT(operands[3].rank, 2);
    EXPECT(operands[3].declared_dims[0] == 0 && operands[3].declared_dims[1] == 0);
    EXPECT(operands[3].dims[0] == 1 && operands[3].dims[1] == 3);
    EXPECT(operands[0].declared_dims == sample.dims);
    EXPECT(sample.operands[3].declared_dims == sample.dims);
    EXPECT(out.examples == sample.vector.examples);
    hy_arena_finish(&arena);
}

static void expect_bytes(const struct hy_vector_value *value, int8_t a, int8_t b, int8_t c)
{
    const int8_t *bytes = value->bytes;
    EXPECT_INT(value->count, 3);
    EXPECT_INT(bytes[0], a);
    EXPECT_INT(bytes[1], b);
    EXPECT_INT(bytes[2], c);
}

TEST(transform, signed_moves_types_zero_points_and_all_values_by_128)
{
    struct sample sample;
    init_sample(&sample);
    struct hy_arena arena = {0};
    struct hy_vector out;
    REQUIRE(hy_vector_transform(&sample.vector, &is_signed, &arena, &out, NULL) == HY_OK);

    const struct hy_vector_operand *operands = out.models[0].operands;
    EXPECT_INT(operands[0].type, SIGNED);
    EXPECT_INT(operands[0].zero_point, -128);
    EXPECT_INT(operands[1].zero_point, 0);
    EXPECT_INT(operands[2].type, ANEURALNETWORKS_INT32);
    EXPECT_INT(operands[3].zero_point, 127);
    expect_bytes(&operands[1].value, -127, -126, -125);
    expect_bytes(&out.examples[0].inputs[0], -128, 0, 127);
    expect_bytes(&out.examples[0].outputs[0], -124, -123, 72);
    EXPECT_INT(sample.input[0], 0);
    EXPECT_INT(sample.operands[0].type, BYTE);
    hy_arena_finish(&arena);
}

TEST(transform, signed_leaves_values_that_are_omitted_or_of_other_types)
{
    struct sample sample;
    init_sample(&sample);
    sample.operands[3].type = ANEURALNETWORKS_TENSOR_BOOL8;
    sample.values[0] = (struct hy_vector_value){.omitted = true, .bytes = ""};
    struct hy_arena arena = {0};
    struct hy_vector out;
    REQUIRE(hy_vector_transform(&sample.vector, &is_signed, &arena, &out, NULL) == HY_OK);
    EXPECT(out.examples[0].inputs[0].omitted);
    EXPECT_INT(out.examples[0].inputs[0].length, 0);
    expect_bytes(&out.examples[0].outputs[0], 4, 5, -56);
    hy_arena_finish(&arena);
}
