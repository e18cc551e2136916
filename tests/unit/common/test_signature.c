#include "common/operations/operation.h"
#include "common/operations/signature.h"
#include "common/random.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#define MOST 16

/* An operation whose operands are numbered as they stand: inputs, then outputs. */
struct fixture {
    struct hy_operand operands[MOST];
    uint32_t indices[MOST];
    struct hy_operation operation;
    struct hy_error err;
    uint32_t level;
};

static const uint32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static void add_operand(struct fixture *fixture, uint32_t index, int32_t type, uint32_t rank)
{
    fixture->operands[index] =
        (struct hy_operand){.type = type, .rank = rank, .dims = rank ? ones : NULL};
    fixture->indices[index] = index;
}

/* `types` ends with -1. */
static void setup(struct fixture *fixture, int32_t operation, uint32_t input_count,
                  uint32_t output_count, uint32_t rank, const int32_t *types)
{
    *fixture = (struct fixture){0};
    for (uint32_t i = 0; i < input_count + output_count; i++) {
        const bool is_scalar =
            types[i] == ANEURALNETWORKS_INT32 || types[i] == ANEURALNETWORKS_BOOL;
        add_operand(fixture, i, types[i], is_scalar ? 0 : rank);
    }
    fixture->operation = (struct hy_operation){.type = operation,
                                               .input_count = input_count,
                                               .output_count = output_count,
                                               .inputs = fixture->indices,
                                               .outputs = fixture->indices + input_count};
}

static enum hy_code check(struct fixture *fixture)
{
    const enum hy_code code = hy_signature_check(fixture->operands, MOST, &fixture->operation,
                                                 &fixture->level, &fixture->err);
    if (code == HY_OK)
        EXPECT_INT(hy_signature_level(fixture->operands, &fixture->operation), fixture->level);
    return code;
}

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define Q8C ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL
#define INT ANEURALNETWORKS_INT32
#define BIT ANEURALNETWORKS_BOOL

static void setup_add(struct fixture *fixture)
{
    setup(fixture, HY_OP_ADD, 3, 1, 2, (const int32_t[]){F32, F32, INT, F32});
}

static void setup_quantised(struct fixture *fixture, int32_t operation)
{
    setup(fixture, operation, 3, 1, 2, (const int32_t[]){Q8, Q8, INT, Q8});
    fixture->operands[0].scale = 0.5f;
    fixture->operands[1].scale = 0.5f;
    fixture->operands[3].scale = 0.5f;
}

TEST(signature, an_operation_that_fits_is_accepted_with_its_level)
{
    struct fixture f;
    setup_add(&f);
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 1);
    f.operands[0].type = f.operands[1].type = f.operands[3].type = I32;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 4);
    EXPECT_INT(hy_signature_check(f.operands, MOST, &f.operation, NULL, NULL), HY_OK);
}

TEST(signature, a_wrong_type_is_named_with_position_operand_and_expectation)
{
    struct fixture f;
    setup_add(&f);
    f.indices[1] = 7;
    add_operand(&f, 7, I32, 2);
    f.indices[1] = 7;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "ADD: input 1 (operand 7) is TENSOR_INT32, expected TENSOR_FLOAT32");
}

TEST(signature, a_wrong_output_lists_all_that_would_do)
{
    struct fixture f;
    setup(&f, HY_OP_CAST, 1, 1, 2, (const int32_t[]){F32, INT});
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "CAST: output 0 (operand 1) is INT32, expected TENSOR_FLOAT32 or "
                           "TENSOR_INT32 or TENSOR_QUANT8_ASYMM or TENSOR_FLOAT16");
}

TEST(signature, wrong_counts_are_told_with_the_possible_ones)
{
    struct fixture f;
    setup_add(&f);
    f.operation.input_count = 2;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "ADD: no form has 2 inputs and 1 outputs (inputs: 3, outputs: 1)");
    f.operation.input_count = 0;
    f.operation.output_count = 0;
    EXPECT_INT(check(&f), HY_BAD_DATA);
}

TEST(signature, operand_indices_outside_the_model_are_refused_for_every_operation)
{
    static const int32_t codes[] = {HY_OP_ADD, HY_OP_WHILE, ANEURALNETWORKS_OEM_OPERATION, 0x10001};
    struct fixture f;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        setup_add(&f);
        f.operation.type = codes[i];
        f.indices[3] = UINT32_MAX;
        EXPECT_INT(check(&f), HY_BAD_DATA);
        EXPECT_CONTAINS(f.err.text, "operand 4294967295, but there are 16 operands");
    }
}

TEST(signature, codes_that_do_not_exist_are_refused)
{
    static const int32_t codes[] = {-1 & 0xffff, 106, 9999, 10001, 20000};
    struct fixture f;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        setup_add(&f);
        f.operation.type = codes[i];
        EXPECT_INT(check(&f), HY_BAD_DATA);
        EXPECT_CONTAINS(f.err.text, "does not exist");
    }
}

TEST(signature, extension_operations_are_only_checked_for_indices)
{
    struct fixture f;
    setup_add(&f);
    f.operation.type = 0x10001;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 3);
}

TEST(signature, ten_inputs_of_conv_2d_are_told_apart_by_type)
{
    struct fixture f;
    setup(&f, HY_OP_CONV_2D, 10, 1, 4,
          (const int32_t[]){F32, F32, F32, INT, INT, INT, INT, BIT, INT, INT, F32});
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 3);
    add_operand(&f, 7, INT, 0);
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 1);
    add_operand(&f, 7, ANEURALNETWORKS_FLOAT32, 0);
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "CONV_2D: input 7 (operand 7) is FLOAT32, expected INT32 or BOOL");
}

TEST(signature, known_ranks_are_checked_and_unknown_ones_need_level_3)
{
    struct fixture f;
    setup(&f, HY_OP_CONV_2D, 7, 1, 4, (const int32_t[]){F32, F32, F32, INT, INT, INT, INT, F32});
    f.operands[0].rank = 3;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "CONV_2D: input 0 (operand 0) has rank 3, needs 4");
    f.operands[0].rank = 0;
    f.operands[0].dims = NULL;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 3);
}

TEST(signature, ranks_of_inputs_and_output_have_to_agree)
{
    static const struct {
        int32_t operation;
        int32_t types[4];
        uint32_t ranks[4];
        const char *expected; /* NULL: they fit */
    } cases[] = {
        {HY_OP_PACK, {INT, F32, F32, F32}, {0, 2, 2, 3}, NULL},
        {HY_OP_PACK, {INT, F32, F32, F32}, {0, 0, 2, 3}, NULL},
        {HY_OP_PACK, {INT, F32, F32, F32}, {0, 2, 2, 0}, NULL},
        {HY_OP_PACK,
         {INT, F32, F32, F32},
         {0, 2, 2, 2},
         "PACK: output 0 (operand 3) has rank 2, needs 3: input 1 (operand 1) has rank 2"},
        {HY_OP_PACK,
         {INT, F32, F32, F32},
         {0, 2, 1, 0},
         "PACK: input 2 (operand 2) has rank 1, needs the rank of input 1 (operand 1): 2"},
        {HY_OP_PACK,
         {INT, F32, F32, F32},
         {0, 0, 1, 4},
         "PACK: output 0 (operand 3) has rank 4, needs 2: input 2 (operand 2) has rank 1"},
        {HY_OP_REVERSE, {F32, I32, F32}, {3, 1, 3}, NULL},
        {HY_OP_REVERSE, {F32, I32, F32}, {3, 0, 0}, NULL},
        {HY_OP_REVERSE,
         {F32, I32, F32},
         {3, 1, 2},
         "REVERSE: output 0 (operand 2) has rank 2, needs 3: input 0 (operand 0) has rank 3"},
        {HY_OP_REVERSE,
         {F32, I32, F32},
         {3, 2, 3},
         "REVERSE: input 1 (operand 1) has rank 2, needs 1"},
        {HY_OP_MIRROR_PAD, {F32, I32, INT, F32}, {3, 2, 0, 3}, NULL},
        {HY_OP_MIRROR_PAD,
         {F32, I32, INT, F32},
         {3, 2, 0, 4},
         "MIRROR_PAD: output 0 (operand 3) has rank 4, needs 3: input 0 (operand 0) has rank 3"},
        {HY_OP_MIRROR_PAD,
         {F32, I32, INT, F32},
         {3, 1, 0, 3},
         "MIRROR_PAD: input 1 (operand 1) has rank 1, needs 2"},
    };
    struct fixture f;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup(&f, cases[i].operation, cases[i].operation == HY_OP_REVERSE ? 2 : 3, 1, 1,
              cases[i].types);
        for (uint32_t j = 0; j < 4; j++)
            f.operands[j].rank = cases[i].ranks[j];
        EXPECT_INT(check(&f), cases[i].expected ? HY_BAD_DATA : HY_OK);
        if (cases[i].expected)
            EXPECT_STR(f.err.text, cases[i].expected);
    }
}

TEST(signature, only_optional_operands_may_be_omitted)
{
    struct fixture f;
    setup(&f, HY_OP_SQUEEZE, 2, 1, 1, (const int32_t[]){F32, I32, F32});
    f.operands[1].lifetime = HY_LIFETIME_NO_VALUE;
    EXPECT_INT(check(&f), HY_OK);
    f.operands[0].lifetime = HY_LIFETIME_NO_VALUE;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "SQUEEZE: input 0 (operand 0) must not be omitted");
}

TEST(signature, mul_takes_an_output_scale_of_the_product_and_below)
{
    struct fixture f;
    setup_quantised(&f, HY_OP_MUL);
    EXPECT_INT(check(&f), HY_OK);
    f.operands[3].scale = 0.25f;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT(hy_signature_has_fine_product(f.operands, &f.operation));
    f.operands[3].scale = 0.26f;
    EXPECT(!hy_signature_has_fine_product(f.operands, &f.operation));
    setup_add(&f);
    f.operation.type = HY_OP_MUL;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT(!hy_signature_has_fine_product(f.operands, &f.operation));
}

TEST(signature, operations_that_move_values_keep_the_scale)
{
    struct fixture f;
    setup(&f, HY_OP_RESHAPE, 2, 1, 2, (const int32_t[]){Q8, I32, Q8});
    f.operands[0].scale = f.operands[2].scale = 0.1f;
    EXPECT_INT(check(&f), HY_OK);
    f.operands[2].scale = 0.100001f; /* the same, computed elsewhere */
    EXPECT_INT(check(&f), HY_OK);
    f.operands[2].scale = 0.2f;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "RESHAPE: output 0 (operand 2) has scale 0.2");
    f.operands[2].scale = 0.1f;
    f.operands[2].zero_point = 1;
    EXPECT_INT(check(&f), HY_BAD_DATA);
}

TEST(signature, fixed_scales_are_demanded)
{
    struct fixture f;
    setup(&f, HY_OP_LOGISTIC, 1, 1, 2, (const int32_t[]){Q8, Q8});
    f.operands[0].scale = 0.1f;
    f.operands[1].scale = 1.0f / 256;
    EXPECT_INT(check(&f), HY_OK);
    f.operands[1].zero_point = 128;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_STR(f.err.text, "LOGISTIC: output 0 (operand 1) has scale 0.00390625 and zero point "
                           "128, needs 0.00390625 and 0");
}

TEST(signature, scales_per_channel_lie_along_the_operations_dimension)
{
    static const float scales[] = {1};
    struct fixture f;
    setup(&f, HY_OP_DEPTHWISE_CONV_2D, 8, 1, 4,
          (const int32_t[]){Q8, Q8C, I32, INT, INT, INT, INT, INT, Q8});
    f.operands[0].scale = f.operands[8].scale = 1;
    EXPECT_INT(check(&f), HY_OK); /* the scales may still come */
    f.operands[1].channel_scales = scales;
    f.operands[1].channel_dim = 3;
    EXPECT_INT(check(&f), HY_OK);
    f.operands[1].channel_dim = 0;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "along dimension 0, needs 3");
}

TEST(signature, what_early_levels_could_not_do_raises_the_level)
{
    struct fixture f;
    setup(&f, HY_OP_CONCATENATION, 3, 1, 2, (const int32_t[]){Q8, Q8, INT, Q8});
    f.operands[0].scale = f.operands[1].scale = f.operands[3].scale = 1;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 1);
    f.operands[1].zero_point = 3;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 3);
    setup(&f, HY_OP_L2_NORMALIZATION, 1, 1, 4, (const int32_t[]){F32, F32});
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 1);
    f.operands[0].rank = 2;
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 3);
}

TEST(signature, the_condition_of_if_is_one_value)
{
    static const uint32_t two[] = {2};
    struct fixture f;
    setup(&f, HY_OP_IF, 3, 1, 1,
          (const int32_t[]){ANEURALNETWORKS_TENSOR_BOOL8, ANEURALNETWORKS_MODEL,
                            ANEURALNETWORKS_MODEL, F32});
    EXPECT_INT(check(&f), HY_OK);
    EXPECT_INT(f.level, 4);
    f.operands[0].dims = two;
    EXPECT_INT(check(&f), HY_BAD_DATA);
    f.operands[0].rank = 0;
    f.operands[0].dims = NULL;
    EXPECT_INT(check(&f), HY_BAD_DATA);
}

TEST(signature, any_mixture_of_operands_is_answered)
{
    static struct hy_operand operands[ANEURALNETWORKS_MODEL + 3];
    uint32_t indices[80];
    struct hy_random random = {12345};
    struct hy_error err;

    for (int32_t i = 0; i <= ANEURALNETWORKS_MODEL + 2; i++)
        operands[i] = (struct hy_operand){
            .type = i <= ANEURALNETWORKS_MODEL ? i : 10000 + i, .rank = 1, .dims = ones};
    for (uint32_t round = 0; round < 200000; round++) {
        for (uint32_t i = 0; i < 80; i++)
            indices[i] = hy_random_below(&random, ANEURALNETWORKS_MODEL + 3);
        struct hy_operation operation = {.type = (int32_t)(round % 110),
                                         .input_count = hy_random_below(&random, 64),
                                         .output_count = hy_random_below(&random, 8),
                                         .inputs = indices,
                                         .outputs = indices + 64};
        enum hy_code code =
            hy_signature_check(operands, ANEURALNETWORKS_MODEL + 3, &operation, NULL, &err);
        if (code != HY_OK && code != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "round %u: code %d", round, code);
    }
}
