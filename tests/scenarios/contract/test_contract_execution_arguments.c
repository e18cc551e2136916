/* setInput and setOutput, with buffers and with memory of files: which check comes first, that a
 * call that failed can be repeated, and what lies inside a memory and behind the data. */
#include "tests/scenarios/contract/kit/argument_calls.h"

static float data[2 * EXTENT];

/* ---- Order ----------------------------------------------------------------------------------- */

enum check { IS_NULL, STATE, INDEX, TYPE, SIZE, SET_ALREADY, LENGTH, CHECKS };

static const struct {
    int code;
    const char *expected[2]; /* for a buffer, for memory */
} checks[CHECKS] = {
    [IS_NULL] = {ANEURALNETWORKS_UNEXPECTED_NULL, {"buffer is NULL", "memory is NULL"}},
    [STATE] = {ANEURALNETWORKS_BAD_STATE, {"was started before", "was started before"}},
    [INDEX] = {ANEURALNETWORKS_BAD_DATA,
               {"7 does not exist, the model has 1", "7 does not exist, the model has 1"}},
    [TYPE] = {ANEURALNETWORKS_BAD_DATA, {"type is TENSOR_INT32", "type is TENSOR_INT32"}},
    [SIZE] = {ANEURALNETWORKS_BAD_DATA, {"at most 4294967295", "do not lie inside"}},
    [SET_ALREADY] = {ANEURALNETWORKS_BAD_STATE, {"was set before", "was set before"}},
    [LENGTH] = {ANEURALNETWORKS_BAD_DATA, {"length is 15, the shape needs 16", "length is 15"}},
};

/* A call that fails `first` and every check after it. */
static void expect_first(enum argument_call argument_call, enum check first,
                         const ANeuralNetworksMemory *memory)
{
    const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType wrong = {ANEURALNETWORKS_TENSOR_INT32, 1, &extent, 0, 0};
    const bool is_memory = argument_call == INPUT_MEMORY || argument_call == OUTPUT_MEMORY;
    struct argument argument = {.buffer = data, .memory = memory, .length = BYTES};
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    if (first <= SET_ALREADY)
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    argument.length = first <= SIZE ? SIZE_MAX : BYTES - 1;
    if (first <= TYPE)
        argument.type = &wrong;
    if (first <= INDEX)
        argument.index = 7;
    if (first <= STATE)
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksExecution_compute(execution));
    if (first <= IS_NULL)
        argument.buffer = NULL, argument.memory = NULL;
    EXPECT_SET(argument_call, execution, &argument, checks[first].code,
               checks[first].expected[is_memory]);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, checks_come_in_their_order)
{
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, 2 * BYTES);

    for (enum argument_call argument_call = 0; argument_call < ARGUMENT_CALLS; argument_call++) {
        for (enum check first = 0; first < CHECKS; first++)
            expect_first(argument_call, first, memory);
    }
    ANeuralNetworksMemory_free(memory);
}

TEST(contract_execution_arguments, null_execution_comes_before_all)
{
    const struct argument argument = {.index = 7, .length = SIZE_MAX};

    for (enum argument_call argument_call = 0; argument_call < ARGUMENT_CALLS; argument_call++)
        EXPECT_SET(argument_call, NULL, &argument, ANEURALNETWORKS_UNEXPECTED_NULL,
                   "execution is NULL");
}

/* ---- A failed call leaves the argument unset ------------------------------------------------- */

static const uint32_t four = EXTENT, five = EXTENT + 1, open = 0, square[] = {2, 2};
static const uint32_t many[HY_MAX_RANK + 1] = {EXTENT, 1, 1, 1, 1, 1, 1, 1, 1,
                                               1,      1, 1, 1, 1, 1, 1, 1};
static const uint32_t huge[] = {65536, 65536, 0};

/* Each against a tensor of four floats. */
static const struct {
    int32_t index;
    const ANeuralNetworksOperandType *type;
    size_t length;
    const char *expected;
} mistakes[] = {
    {-1, NULL, BYTES, "-1 does not exist, the model has 1"},
    {1, NULL, BYTES, "1 does not exist, the model has 1"},
    {INT32_MAX, NULL, BYTES, "2147483647 does not exist, the model has 1"},
    {0, FLOATS(1, NULL), BYTES, "dimensionCount is 1, but dimensions is NULL"},
    {0, FLOATS(0, &four), BYTES, "dimensionCount is 0, but dimensions is not NULL"},
    {0, FLOATS(0, NULL), BYTES, "rank 0, the model has 1"},
    {0, FLOATS(2, square), BYTES, "rank 2, the model has 1"},
    {0, FLOATS(HY_MAX_RANK + 1, many), BYTES, "rank 17"},
    {0, FLOATS(UINT32_MAX, many), BYTES, "rank 4294967295"},
    {0, FLOATS(1, &five), 5 * sizeof(float), "dimension 0 is 5, the model has 4"},
    {0, FLOATS(1, &open), BYTES, "dimension 0 is 0, the model has 4"},
    {0, FLOATS(3, huge), BYTES, "above 4294967295 bytes"},
    {0, QUANTISED(1, 0), BYTES, "type is TENSOR_QUANT8_ASYMM, the model has TENSOR_FLOAT32"},
    {0, NULL, BYTES - 1, "length is 15, the shape needs 16"},
    {0, NULL, BYTES + 1, "length is 17, the shape needs 16"},
    {0, NULL, 1, "length is 1, the shape needs 16"},
};

TEST(contract_execution_arguments, failed_call_can_be_repeated)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, 2 * BYTES);
    ANeuralNetworksExecution *executions[] = {fake_setup_execution(&fake_setup),
                                              fake_setup_execution(&fake_setup)};

    for (enum argument_call argument_call = 0; argument_call < ARGUMENT_CALLS; argument_call++) {
        ANeuralNetworksExecution *execution = executions[argument_call / INPUT_MEMORY];
        struct argument argument = {.buffer = data, .memory = memory};
        for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
            argument.index = mistakes[i].index;
            argument.type = mistakes[i].type;
            argument.length = mistakes[i].length;
            EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_BAD_DATA,
                       mistakes[i].expected);
        }
        argument = (struct argument){.buffer = data, .memory = memory, .length = BYTES};
        argument.offset = argument_call == OUTPUT_MEMORY ? BYTES : 0;
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    }
    for (size_t i = 0; i < COUNT_OF(executions); i++) {
        EXPECT_OK(ANeuralNetworksExecution_compute(executions[i]));
        ANeuralNetworksExecution_free(executions[i]);
    }
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, no_length_at_all_is_bad_data)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    const struct argument argument = {.buffer = data};

    EXPECT_SET(INPUT, execution, &argument, ANEURALNETWORKS_BAD_DATA, "input 0: length is 0");
    EXPECT_SET(OUTPUT, execution, &argument, ANEURALNETWORKS_BAD_DATA, "output 0: length is 0");
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Left out -------------------------------------------------------------------------------- */

TEST(contract_execution_arguments, argument_that_is_left_out_needs_no_extents_and_is_set)
{
    const struct argument none = {0};
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, dynamic_model(0, 0, 0), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    for (enum argument_call argument_call = INPUT; argument_call <= OUTPUT; argument_call++) {
        EXPECT_SET(argument_call, execution, &none, ANEURALNETWORKS_NO_ERROR, "");
        EXPECT_SET(argument_call, execution, &none, ANEURALNETWORKS_BAD_STATE,
                   "0: the argument was set before");
    }
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Memory of a file ------------------------------------------------------------------------ */

static const struct {
    size_t offset, length;
    const char *expected;
} outside[] = {
    {0, 0, "is empty"}, /* the whole is only for memory from descriptors */
    {BYTES, 0, "is empty"},
    {BYTES + 1, BYTES, "16 bytes at offset 17 do not lie inside the memory of 32 bytes"},
    {SIZE_MAX, BYTES, "do not lie inside"},
    {SIZE_MAX - BYTES + 1, BYTES, "do not lie inside"}, /* the sum wraps round to 0 */
    {0, SIZE_MAX, "do not lie inside"},
    {UINT32_MAX, 1, "do not lie inside"},
};

TEST(contract_execution_arguments, part_of_a_memory_lies_inside_it)
{
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, 2 * BYTES);
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);

    for (enum argument_call argument_call = INPUT_MEMORY; argument_call <= OUTPUT_MEMORY;
         argument_call++) {
        struct argument argument = {.memory = memory};
        for (size_t i = 0; i < COUNT_OF(outside); i++) {
            argument.offset = outside[i].offset;
            argument.length = outside[i].length;
            EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_BAD_DATA,
                       outside[i].expected);
        }
        argument.offset = argument_call == INPUT_MEMORY ? BYTES : 0;
        argument.length = BYTES;
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    }
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, memory_has_to_permit_what_the_argument_does)
{
    ANeuralNetworksMemory *readable = file_memory(PROT_READ, BYTES);
    ANeuralNetworksMemory *writable = file_memory(PROT_WRITE, BYTES);
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
    struct argument argument = {.memory = writable, .length = BYTES};

    EXPECT_SET(INPUT_MEMORY, execution, &argument, ANEURALNETWORKS_BAD_DATA, "without PROT_READ");
    EXPECT_SET(OUTPUT_MEMORY, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    argument.memory = readable;
    EXPECT_SET(INPUT_MEMORY, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    ANeuralNetworksExecution_free(execution);

    execution = fake_setup_execution(&fake_setup);
    EXPECT_SET(OUTPUT_MEMORY, execution, &argument, ANEURALNETWORKS_BAD_DATA, "without PROT_WRITE");
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(readable);
    ANeuralNetworksMemory_free(writable);
    fake_setup_close(&fake_setup);
}

/* ---- Padding --------------------------------------------------------------------------------- */

TEST(contract_execution_arguments, padding_is_off_at_first_and_set_before_any_argument)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, BYTES);
    const struct argument argument = {.buffer = data, .memory = memory, .length = BYTES};

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_enableInputAndOutputPadding(NULL, true));
    for (enum argument_call argument_call = 0; argument_call < ARGUMENT_CALLS; argument_call++) {
        ANeuralNetworksExecution *execution = fake_setup_execution(&fake_setup);
        EXPECT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
        EXPECT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, false));
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
        EXPECT_FAIL(BAD_STATE,
                    ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
        EXPECT_CONTAINS(halyard_last_error(), "an input or output was set before");
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}

TEST(contract_execution_arguments, padding_is_room_beyond_the_data)
{
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksMemory *memory = file_memory(PROT_READ | PROT_WRITE, 2 * BYTES);
    ANeuralNetworksExecution *executions[] = {fake_setup_execution(&fake_setup),
                                              fake_setup_execution(&fake_setup)};

    for (enum argument_call argument_call = 0; argument_call < ARGUMENT_CALLS; argument_call++) {
        ANeuralNetworksExecution *execution = executions[argument_call / INPUT_MEMORY];
        struct argument argument = {.buffer = data, .memory = memory, .length = BYTES - 1};
        if (argument_call % INPUT_MEMORY == 0)
            EXPECT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_BAD_DATA,
                   "length is 15, the shape needs 16 or more");
        argument.length = argument_call == INPUT ? 2 * BYTES : BYTES;
        argument.offset = argument_call == OUTPUT_MEMORY ? BYTES : 0;
        EXPECT_SET(argument_call, execution, &argument, ANEURALNETWORKS_NO_ERROR, "");
    }
    for (size_t i = 0; i < COUNT_OF(executions); i++) {
        EXPECT_OK(ANeuralNetworksExecution_compute(executions[i]));
        ANeuralNetworksExecution_free(executions[i]);
    }
    ANeuralNetworksMemory_free(memory);
    fake_setup_close(&fake_setup);
}
