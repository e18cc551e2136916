/* Memory made from descriptors, and copies from and to it. What executions make of it is in
 * test_contract_execution_memory.c. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Where the device does not keep it; test_contract_device_memory.c has those that do. */
TEST(contract_desc_memory, memory_of_unknown_size_cannot_be_shared)
{
    const ANeuralNetworksDevice *device = device_named("nnapi-reference");
    struct compiled compiled = {.model = relu_of(&open_tensor)};
    ANeuralNetworksMemoryDesc *desc = open_desc();
    ANeuralNetworksMemory *memory = OLD_VALUE(ANeuralNetworksMemory);

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled.model, &device, 1,
                                                          &compiled.compilation));
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksMemory_createFromDesc(desc, &memory));
    EXPECT_CONTAINS(halyard_last_error(), "the size of the memory is unknown");
    EXPECT(memory == NULL);
    ANeuralNetworksMemoryDesc_free(desc);
    compiled_free(&compiled);
}

TEST(contract_desc_memory, memory_holds_no_constants)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemory *memory = input_memory(&compiled);
    ANeuralNetworksModel *model = model_of(1, &float_tensor);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksModel_setOperandValueFromMemory(model, 0, memory, 0, 0));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksModel_setOperandValueFromMemory(model, 0, memory, 0, TENSOR_SIZE));
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&compiled);
}

/* ---- Contents -------------------------------------------------------------------------------- */

/* A file of TENSOR_SIZE bytes, and memory to read and write it. */
struct shared {
    int fd;
    ANeuralNetworksMemory *memory;
};

static struct shared shared_of(const float *values)
{
    struct shared shared = {.fd = file_of(TENSOR_SIZE)};

    EXPECT(pwrite(shared.fd, values, TENSOR_SIZE, 0) == TENSOR_SIZE);
    EXPECT_OK(ANeuralNetworksMemory_createFromFd(TENSOR_SIZE, PROT_READ | PROT_WRITE, shared.fd, 0,
                                                 &shared.memory));
    return shared;
}

static void expect_values(struct shared *shared, const float *values)
{
    float seen[EXTENT] = {0};

    EXPECT(pread(shared->fd, seen, TENSOR_SIZE, 0) == TENSOR_SIZE);
    EXPECT(memcmp(seen, values, TENSOR_SIZE) == 0);
    ANeuralNetworksMemory_free(shared->memory);
    close(shared->fd);
}

TEST(contract_desc_memory, copies_go_from_file_to_memory_to_file)
{
    static const float values[EXTENT] = {1, -2, 3.5f, 0}, nothing[EXTENT];
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemory *one = input_memory(&compiled), *other = input_memory(&compiled);
    struct shared from = shared_of(values), to = shared_of(nothing);

    EXPECT_OK(ANeuralNetworksMemory_copy(from.memory, one));
    EXPECT_OK(ANeuralNetworksMemory_copy(one, other));
    EXPECT_OK(ANeuralNetworksMemory_copy(other, to.memory));
    expect_values(&from, values);
    expect_values(&to, values);
    ANeuralNetworksMemory_free(one);
    ANeuralNetworksMemory_free(other);
    compiled_free(&compiled);
}

TEST(contract_desc_memory, device_reads_and_writes_the_memory)
{
    static const float values[EXTENT] = {1, -2, 3.5f, 0}, results[EXTENT] = {1, 0, 3.5f, 0};
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ONE_DEVICE);
    ANeuralNetworksMemoryDesc *desc = open_desc();
    ANeuralNetworksExecution *execution = NULL;
    struct shared shared = shared_of(values);

    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, 1));
    ANeuralNetworksMemory *in = input_memory(&compiled), *out = made_from(desc);
    EXPECT_OK(ANeuralNetworksMemory_copy(shared.memory, in));
    EXPECT_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    EXPECT_OK(ANeuralNetworksMemory_copy(out, shared.memory));
    expect_values(&shared, results);
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    compiled_free(&compiled);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

TEST(contract_desc_memory, copy_of_what_holds_nothing_is_bad_data)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemory *empty = input_memory(&compiled), *full = input_memory(&compiled);
    ANeuralNetworksMemory *file = memory_of(TENSOR_SIZE, PROT_READ | PROT_WRITE);
    ANeuralNetworksMemory *none = memory_of(8, PROT_NONE);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(empty, file));
    EXPECT_CONTAINS(halyard_last_error(), "the source has no contents");
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(empty, none)); /* before all else */
    EXPECT_CONTAINS(halyard_last_error(), "the source has no contents");
    EXPECT_OK(ANeuralNetworksMemory_copy(empty, empty)); /* but nothing happens here */
    EXPECT_OK(ANeuralNetworksMemory_copy(file, full));
    EXPECT_OK(ANeuralNetworksMemory_copy(full, file));
    EXPECT_OK(ANeuralNetworksMemory_copy(full, empty));
    EXPECT_OK(ANeuralNetworksMemory_copy(empty, file));
    ANeuralNetworksMemory_free(none);
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(full);
    ANeuralNetworksMemory_free(empty);
    compiled_free(&compiled);
}

TEST(contract_desc_memory, failed_copy_leaves_the_destination_holding_nothing)
{
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemory *memory = input_memory(&compiled), *empty = input_memory(&compiled);
    ANeuralNetworksMemory *file = memory_of(TENSOR_SIZE, PROT_READ | PROT_WRITE);
    ANeuralNetworksMemory *short_file = memory_of(1, PROT_READ);
    ANeuralNetworksMemory *unreadable = memory_of(TENSOR_SIZE, PROT_WRITE);
    const struct {
        ANeuralNetworksMemory *from;
        int code;
    } cases[] = {
        {short_file, ANEURALNETWORKS_BAD_DATA},
        {empty, ANEURALNETWORKS_BAD_DATA},
        {unreadable, ANEURALNETWORKS_UNMAPPABLE},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_OK(ANeuralNetworksMemory_copy(file, memory));
        EXPECT_OK(ANeuralNetworksMemory_copy(memory, file));
        EXPECT_CODE(cases[i].code, ANeuralNetworksMemory_copy(cases[i].from, memory));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(memory, file));
    }
    ANeuralNetworksMemory_free(unreadable);
    ANeuralNetworksMemory_free(short_file);
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(empty);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&compiled);
}

TEST(contract_desc_memory, copy_needs_equal_sizes_types_and_shapes)
{
    static const uint32_t bytes = TENSOR_SIZE, pair[] = {2, 2};
    const ANeuralNetworksOperandType others[] = {
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &bytes, .5f, 0}, /* of as many bytes */
        {ANEURALNETWORKS_TENSOR_FLOAT32, 2, pair, 0, 0},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &bytes, 0, 0},
    };
    struct compiled compiled = compiled_in(COMPILATION_FINISHED, ALL_DEVICES);
    ANeuralNetworksMemory *memory = input_memory(&compiled);
    ANeuralNetworksMemory *file = memory_of(TENSOR_SIZE, PROT_READ);

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct compiled compiled_other = compiled_of(&others[i]);
        ANeuralNetworksMemory *other = input_memory(&compiled_other);
        EXPECT_OK(ANeuralNetworksMemory_copy(file, memory));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(memory, other));
        ANeuralNetworksMemory_free(other);
        compiled_free(&compiled_other);
    }
    ANeuralNetworksMemory_free(file);
    ANeuralNetworksMemory_free(memory);
    compiled_free(&compiled);
}
