/* Descriptors of memory: states, roles and dimensions. The memory made from them is in
 * test_contract_desc_memory.c. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <math.h>
#include <sys/mman.h>

/* ---- States ---------------------------------------------------------------------------------- */

TEST(contract_memory_desc, finish_comes_once_and_after_a_role)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();
    ANeuralNetworksMemory *memory = OLD_VALUE(ANeuralNetworksMemory);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_CONTAINS(halyard_last_error(), "no role");
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksMemory_createFromDesc(desc, &memory));
    EXPECT(memory == NULL);
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&compiled);
}

/* The arguments are wrong, too: the state is looked at first. */
TEST(contract_memory_desc, finished_descriptor_cannot_be_changed)
{
    static const uint32_t nine = 9;
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    struct compiled failed = compiled_in(COMPILATION_FAILED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksMemoryDesc_addInputRole(desc, failed.compilation, 9, 7));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksMemoryDesc_addOutputRole(desc, failed.compilation, 9, 7));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &nine));
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&failed);
    compiled_free(&compiled);
}

TEST(contract_memory_desc, descriptor_makes_any_number_of_memories_and_may_go_first)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();
    ANeuralNetworksMemory *one = NULL, *other = NULL;

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &one));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &other));
    EXPECT(one != other);
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&compiled);
    ANeuralNetworksMemory_free(one);
    ANeuralNetworksMemory_free(other);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

TEST(contract_memory_desc, role_is_added_once)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    struct compiled other = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_STR(halyard_last_error(), "MemoryDesc_addInputRole: input 0: the role was added before");
    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, 1));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, .5f));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, other.compilation, 0, 1));
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&other);
    compiled_free(&compiled);
}

TEST(contract_memory_desc, role_is_of_a_finished_compilation)
{
    static const enum compilation_state states[] = {COMPILATION_BUILDING, COMPILATION_FAILED};
    ANeuralNetworksMemoryDesc *desc = open_desc();

    for (size_t i = 0; i < COUNT_OF(states); i++) {
        struct compiled compiled = compiled_in(states[i], ALL_DEVICES);
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
        EXPECT_FAIL(BAD_DATA,
                    ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, 1));
        compiled_free(&compiled);
    }
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_finish(desc)); /* none was added */
    ANeuralNetworksMemoryDesc_free(desc);
}

TEST(contract_memory_desc, role_is_in_range)
{
    static const uint32_t indices[] = {1, 2, INT32_MAX, UINT32_MAX};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    for (size_t i = 0; i < COUNT_OF(indices); i++) {
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation,
                                                                     indices[i], 1));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation,
                                                                      indices[i], 1));
    }
    EXPECT_STR(halyard_last_error(),
               "MemoryDesc_addOutputRole: output 4294967295: the model has 1");
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&compiled);
}

TEST(contract_memory_desc, frequency_is_above_0_and_at_most_1)
{
    static const struct {
        float frequency;
        bool allowed;
    } cases[] = {{1, true},      {.5f, true},       {0x1p-126f, true}, {0, false},
                 {-0.0f, false}, {-1, false},       {1.0001f, false},  {2, false},
                 {NAN, false},   {INFINITY, false}, {-INFINITY, false}};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksMemoryDesc *desc = open_desc();
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0,
                                                           cases[i].frequency));
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0,
                                                            cases[i].frequency));
        ANeuralNetworksMemoryDesc_free(desc);
    }
    compiled_free(&compiled);
}

TEST(contract_memory_desc, roles_have_one_type_and_quantisation)
{
    static const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType tensors[] = {
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f, 0},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .25f, 0},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &extent, .5f, 1},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 1, &extent, .5f, 0},
        float_tensor,
    };
    struct compiled first = compiled_of(&tensors[0]);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, first.compilation, 0, 1));
    for (size_t i = 0; i < COUNT_OF(tensors); i++) {
        struct compiled compiled = compiled_of(&tensors[i]);
        EXPECT_CODE(code_if(i == 0),
                    ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, 1));
        compiled_free(&compiled);
    }
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&first);
}

/* ---- Dimensions ------------------------------------------------------------------------------ */

/* In order, on one descriptor with a role of open_tensor: what does not go together is refused, and
 * leaves what was there. */
TEST(contract_memory_desc, dimensions_and_roles_are_combined)
{
    static const struct {
        uint32_t rank, dims[2];
        bool allowed;
    } cases[] =
        {
            {2, {4, 1}, false}, {0, {0}, true}, {1, {0}, true}, {1, {5}, true},
            {1, {4}, false},    {1, {5}, true}, {1, {0}, true}, {2, {5, 0}, false},
            {0, {7, 7}, true}, /* of rank 0, so there is nothing to read */
        };
    struct compiled open = compiled_of(&open_tensor), fixed = compiled_of(&float_tensor);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, open.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 0, NULL));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        EXPECT_CODE(code_if(cases[i].allowed),
                    ANeuralNetworksMemoryDesc_setDimensions(desc, cases[i].rank, cases[i].dims));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, fixed.compilation, 0, 1));
    EXPECT_CONTAINS(halyard_last_error(), "shape [4] does not fit [5]");

    ANeuralNetworksMemory *memory = made_from(desc),
                          *five = memory_of(5 * sizeof(float), PROT_READ);
    EXPECT_OK(ANeuralNetworksMemory_copy(five, memory)); /* so it has room for five */
    ANeuralNetworksMemory_free(five);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&fixed);
    compiled_free(&open);
}

TEST(contract_memory_desc, dimensions_may_come_before_the_roles)
{
    static const uint32_t four[] = {4}, five[] = {5};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    ANeuralNetworksMemoryDesc_free(desc);
    desc = open_desc();
    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, five));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&compiled);
}

TEST(contract_memory_desc, rank_has_a_limit)
{
    static const uint32_t dims[17];
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 17, dims));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, UINT32_MAX, dims));
    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 16, dims));
    ANeuralNetworksMemoryDesc_free(desc);
}

/* ADD(x, x, activation) with a scalar for input 1. */
static struct compiled compiled_with_scalar(void)
{
    static const uint32_t inputs[] = {0, 1}, arguments[] = {0, 0, 1}, two = 2;
    ANeuralNetworksModel *model =
        model_of(3, (const ANeuralNetworksOperandType[]){float_tensor, int32_scalar, float_tensor});

    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, arguments, 1, &two));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &two));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    struct compiled compiled = compiled_start(model, ALL_DEVICES);
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

TEST(contract_memory_desc, scalar_takes_no_dimensions)
{
    static const uint32_t one = 1, unknown = 0;
    struct compiled compiled = compiled_with_scalar();
    ANeuralNetworksMemoryDesc *desc = open_desc();

    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &one));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 1, 1));
    ANeuralNetworksMemoryDesc_free(desc);

    desc = open_desc();
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 1, 1));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &one));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, &unknown));
    EXPECT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 0, NULL));
    ANeuralNetworksMemory *memory = made_from(desc), *four = memory_of(4, PROT_READ);
    EXPECT_OK(ANeuralNetworksMemory_copy(four, memory));
    ANeuralNetworksMemory_free(four);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&compiled);
}
