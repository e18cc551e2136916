/*
 * Memory of odd sizes and places, through the API alone: more than four gigabytes, overlapping
 * arguments, one file in many memories, files that become shorter. Whatever an app does with its
 * own files, what Halyard itself reads of them never ends the process.
 */
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#define GIB UINT64_C(1073741824)

enum { EXTENT = 64, BYTES = EXTENT * sizeof(float), INPUTS = 20 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A file without pages so far. */
static int sparse_file(uint64_t size)
{
    const int fd = memfd_create("halyard-test", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static ANeuralNetworksMemory *memory_of(int fd, uint64_t size, uint64_t offset)
{
    ANeuralNetworksMemory *memory = NULL;
    const int code =
        ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, offset, &memory);

    return code == ANEURALNETWORKS_NO_ERROR ? memory : NULL;
}

static bool write_floats(int fd, uint64_t offset, float value)
{
    float floats[EXTENT];
    for (unsigned i = 0; i < EXTENT; i++)
        floats[i] = value + (float)i;
    return pwrite(fd, floats, BYTES, (off_t)offset) == BYTES;
}

static bool has_floats(int fd, uint64_t offset, float value)
{
    float floats[EXTENT];
    bool is_right = pread(fd, floats, BYTES, (off_t)offset) == BYTES;
    for (unsigned i = 0; is_right && i < EXTENT; i++)
        is_right = floats[i] > value + (float)i - .25f && floats[i] < value + (float)i + .25f;
    return is_right;
}

/* ---- A model --------------------------------------------------------------------------------- */

/* y = x + k, with k in the memory; without one it is 0. Not finished. */
static ANeuralNetworksModel *open_model(const ANeuralNetworksMemory *memory, size_t offset)
{
    static const uint32_t dims[] = {EXTENT}, inputs[] = {0, 1, 2}, outputs[] = {3};
    static const int32_t no_activation = 0;
    static const float zeros[EXTENT];
    const ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0, 0};
    const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    for (unsigned i = 0; i < 4; i++)
        code |= ANeuralNetworksModel_addOperand(model, i == 2 ? &number : &floats);
    code |= memory ? ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, offset, BYTES)
                   : ANeuralNetworksModel_setOperandValue(model, 1, zeros, BYTES);
    code |= ANeuralNetworksModel_setOperandValue(model, 2, &no_activation, sizeof no_activation);
    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

static ANeuralNetworksModel *finished_model(const ANeuralNetworksMemory *memory, size_t offset)
{
    ANeuralNetworksModel *model = open_model(memory, offset);

    if (model && ANeuralNetworksModel_finish(model) == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model)
{
    ANeuralNetworksCompilation *compilation = NULL;

    if (ANeuralNetworksCompilation_create(model, &compilation) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksCompilation_finish(compilation) == ANEURALNETWORKS_NO_ERROR)
        return compilation;
    ANeuralNetworksCompilation_free(compilation);
    return NULL;
}

static int compute(ANeuralNetworksCompilation *compilation, const ANeuralNetworksMemory *in,
                   size_t in_offset, const ANeuralNetworksMemory *out, size_t out_offset)
{
    ANeuralNetworksExecution *execution = NULL;
    int code = ANeuralNetworksExecution_create(compilation, &execution);

    if (code == ANEURALNETWORKS_NO_ERROR)
        code =
            ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, in_offset, BYTES);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, out_offset,
                                                            BYTES);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* ---- More than four gigabytes ---------------------------------------------------------------- */

TEST(memory_sizes, arguments_and_constants_lie_beyond_four_gigabytes)
{
    const uint64_t size = 5 * GIB;
    const int fd = sparse_file(size);
    ANeuralNetworksMemory *memory = memory_of(fd, size, 0);
    REQUIRE(memory);
    REQUIRE(write_floats(fd, 4 * GIB + 4, 1) && write_floats(fd, size - 2 * BYTES, 10));
    ANeuralNetworksModel *model = finished_model(memory, 4 * GIB + 4);
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    REQUIRE(compilation);

    EXPECT_INT(compute(compilation, memory, size - 2 * BYTES, memory, size - BYTES),
               ANEURALNETWORKS_NO_ERROR);
    float result[2];
    EXPECT_INT(pread(fd, result, sizeof result, (off_t)(size - BYTES)), sizeof result);
    EXPECT(result[0] > 10.5f && result[0] < 11.5f && result[1] > 12.5f && result[1] < 13.5f);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

TEST(memory_sizes, ranges_that_end_past_the_memory_are_bad_data)
{
    const uint64_t size = 5 * GIB;
    const int fd = sparse_file(size);
    ANeuralNetworksMemory *memory = memory_of(fd, size, 0);
    ANeuralNetworksModel *model = finished_model(NULL, 0);
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    REQUIRE(memory && compilation);
    const uint64_t wrong[] = {size - BYTES + 1, size, size + 4 * GIB, SIZE_MAX - BYTES + 1,
                              SIZE_MAX};

    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_INT(compute(compilation, memory, wrong[i], memory, 0), ANEURALNETWORKS_BAD_DATA);
        EXPECT_INT(compute(compilation, memory, 0, memory, wrong[i]), ANEURALNETWORKS_BAD_DATA);
        EXPECT(open_model(memory, wrong[i]) == NULL);
    }
    ANeuralNetworksMemory *none = NULL;
    EXPECT_INT(ANeuralNetworksMemory_createFromFd(size + 1, PROT_READ, fd, 0, &none),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(ANeuralNetworksMemory_createFromFd(SIZE_MAX, PROT_READ, fd, page_size(), &none),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(ANeuralNetworksMemory_createFromFd(page_size(), PROT_READ, fd, size, &none),
               ANEURALNETWORKS_BAD_DATA);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

TEST(memory_sizes, memory_begins_beyond_four_gigabytes_of_its_file)
{
    const size_t page = page_size();
    const uint64_t size = 4 * GIB + 3 * page;
    const int fd = sparse_file(size);
    ANeuralNetworksMemory *in = memory_of(fd, page, 4 * GIB);
    ANeuralNetworksMemory *out = memory_of(fd, page, 4 * GIB + page);
    ANeuralNetworksMemory *copy = memory_of(fd, page, 4 * GIB + 2 * page);
    ANeuralNetworksModel *model = finished_model(NULL, 0);
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    REQUIRE(in && out && copy && compilation);

    REQUIRE(write_floats(fd, 4 * GIB + page - BYTES, 0));
    EXPECT_INT(compute(compilation, in, page - BYTES, out, 0), ANEURALNETWORKS_NO_ERROR);
    float result[2];
    EXPECT_INT(pread(fd, result, sizeof result, (off_t)(4 * GIB + page)), sizeof result);
    EXPECT(result[1] > .5f && result[1] < 1.5f);
    EXPECT_INT(ANeuralNetworksMemory_copy(in, copy), ANEURALNETWORKS_NO_ERROR);
    EXPECT(has_floats(fd, 4 * GIB + 3 * page - BYTES, 0));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(in);
    ANeuralNetworksMemory_free(out);
    ANeuralNetworksMemory_free(copy);
    close(fd);
}

/* ---- The same bytes twice -------------------------------------------------------------------- */

/* What such an execution leaves there is open; nothing beside its output is touched. */
TEST(memory_sizes, overlapping_input_and_output_do_no_harm)
{
    const size_t page = page_size();
    const int fd = sparse_file(page);
    ANeuralNetworksMemory *memory = memory_of(fd, page, 0);
    ANeuralNetworksModel *model = finished_model(NULL, 0);
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    REQUIRE(memory && compilation);

    for (size_t out = page / 2 - BYTES; out <= page / 2 + BYTES; out += 4) {
        REQUIRE(write_floats(fd, 0, 1) && write_floats(fd, page - BYTES, 2));
        REQUIRE(write_floats(fd, page / 2, 3));
        const int code = compute(compilation, memory, page / 2, memory, out);
        EXPECT(code == ANEURALNETWORKS_NO_ERROR || code == ANEURALNETWORKS_OP_FAILED);
        EXPECT(has_floats(fd, 0, 1) && has_floats(fd, page - BYTES, 2));
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

/* y = x0 + x1 + ... */
static ANeuralNetworksModel *long_sum(void)
{
    const uint32_t dims[] = {EXTENT};
    static const int32_t no_activation = 0;
    const ANeuralNetworksOperandType floats = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0, 0};
    const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    uint32_t inputs[INPUTS], last = 1;
    ANeuralNetworksModel *model = NULL;
    int code = ANeuralNetworksModel_create(&model);

    code |= ANeuralNetworksModel_addOperand(model, &number); /* 0 */
    code |= ANeuralNetworksModel_setOperandValue(model, 0, &no_activation, sizeof no_activation);
    for (uint32_t i = 0; i < INPUTS; i++) {
        inputs[i] = 1 + i;
        code |= ANeuralNetworksModel_addOperand(model, &floats);
    }
    for (uint32_t i = 1; i < INPUTS; i++) {
        const uint32_t sum = INPUTS + i, operands[] = {last, 1 + i, 0};
        code |= ANeuralNetworksModel_addOperand(model, &floats);
        code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, operands, 1, &sum);
        last = sum;
    }
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, INPUTS, inputs, 1, &last);
    code |= ANeuralNetworksModel_finish(model);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

TEST(memory_sizes, one_file_serves_in_many_memories)
{
    const size_t page = page_size();
    const int fd = sparse_file(page);
    ANeuralNetworksMemory *memories[INPUTS + 1];
    ANeuralNetworksModel *model = long_sum();
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    ANeuralNetworksExecution *execution = NULL;
    REQUIRE(compilation && write_floats(fd, 0, 0));
    REQUIRE(ANeuralNetworksExecution_create(compilation, &execution) == ANEURALNETWORKS_NO_ERROR);

    for (unsigned i = 0; i <= INPUTS; i++) {
        memories[i] = memory_of(fd, page, 0);
        REQUIRE(memories[i]);
    }
    for (int32_t i = 0; i < INPUTS; i++)
        EXPECT_INT(
            ANeuralNetworksExecution_setInputFromMemory(execution, i, NULL, memories[i], 0, BYTES),
            ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memories[INPUTS],
                                                            BYTES, BYTES),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), ANEURALNETWORKS_NO_ERROR);
    float result[2];
    EXPECT_INT(pread(fd, result, sizeof result, BYTES), sizeof result);
    EXPECT(result[1] > INPUTS - .5f && result[1] < INPUTS + .5f);
    ANeuralNetworksExecution_free(execution);
    for (unsigned i = 0; i <= INPUTS; i++)
        ANeuralNetworksMemory_free(memories[i]);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    close(fd);
}

/* ---- Files that become shorter --------------------------------------------------------------- */

TEST(memory_sizes, model_whose_constants_are_gone_does_not_finish)
{
    const size_t page = page_size();
    const int fd = sparse_file(2 * page);
    ANeuralNetworksMemory *memory = memory_of(fd, 2 * page, 0);
    ANeuralNetworksModel *model = memory ? open_model(memory, page) : NULL;
    REQUIRE(model);

    EXPECT_INT(ftruncate(fd, (off_t)page), 0);
    EXPECT_INT(ANeuralNetworksModel_finish(model), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operand 1: the file has");
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

TEST(memory_sizes, model_whose_constants_are_gone_is_neither_asked_about_nor_compiled)
{
    const size_t page = page_size();
    const int fd = sparse_file(2 * page);
    ANeuralNetworksMemory *memory = memory_of(fd, 2 * page, 0);
    ANeuralNetworksModel *model = memory ? finished_model(memory, page) : NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksDevice *device = NULL;
    bool supported = false;
    REQUIRE(model && ANeuralNetworks_getDevice(0, &device) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(ANeuralNetworksCompilation_create(model, &compilation) == ANEURALNETWORKS_NO_ERROR);

    EXPECT_INT(ftruncate(fd, (off_t)page), 0);
    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(
                   model, (const ANeuralNetworksDevice *[]){device}, 1, &supported),
               ANEURALNETWORKS_UNMAPPABLE);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_UNMAPPABLE);
    EXPECT_CONTAINS(halyard_last_error(), "operand 1: the file has");
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

TEST(memory_sizes, argument_that_is_gone_is_not_set)
{
    const size_t page = page_size();
    const int fd = sparse_file(2 * page);
    ANeuralNetworksMemory *memory = memory_of(fd, 2 * page, 0);
    ANeuralNetworksModel *model = finished_model(NULL, 0);
    ANeuralNetworksCompilation *compilation = model ? compile(model) : NULL;
    REQUIRE(memory && compilation);

    EXPECT_INT(compute(compilation, memory, 0, memory, page), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ftruncate(fd, (off_t)page), 0);
    EXPECT_INT(compute(compilation, memory, 0, memory, page), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(compute(compilation, memory, page, memory, 0), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(compute(compilation, memory, 0, memory, page - BYTES), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    ANeuralNetworksMemory_free(memory);
    close(fd);
}

/* A file that is short and long by turns, until it is let go. */
struct breathing {
    int fd;
    size_t size;
    atomic_bool is_over;
    atomic_uint breaths;
};

static void *breathe(void *argument)
{
    struct breathing *file = argument;

    while (!file->is_over) {
        if (ftruncate(file->fd, 0) != 0 || ftruncate(file->fd, (off_t)file->size) != 0)
            break;
        file->breaths++;
    }
    return NULL;
}

TEST(memory_sizes, copies_survive_files_that_shrink_under_them)
{
    enum { BREATHS = 2000 / HY_SLOWNESS };
    struct breathing file = {.size = 64 * page_size()};
    file.fd = sparse_file(file.size);
    const int other = sparse_file(file.size);
    ANeuralNetworksMemory *short_lived = memory_of(file.fd, file.size, 0);
    ANeuralNetworksMemory *steady = memory_of(other, file.size, 0);
    unsigned copies = 0;
    pthread_t thread;
    REQUIRE(short_lived && steady && pthread_create(&thread, NULL, breathe, &file) == 0);

    while (file.breaths < BREATHS || copies < BREATHS) {
        const int code = copies % 2 ? ANeuralNetworksMemory_copy(short_lived, steady)
                                    : ANeuralNetworksMemory_copy(steady, short_lived);
        copies++;
        if (code != ANEURALNETWORKS_NO_ERROR && code != ANEURALNETWORKS_UNMAPPABLE)
            EXPECT_INT(code, ANEURALNETWORKS_UNMAPPABLE);
    }
    file.is_over = true;
    pthread_join(thread, NULL);
    EXPECT_INT(ANeuralNetworksMemory_copy(short_lived, steady), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksMemory_free(short_lived);
    ANeuralNetworksMemory_free(steady);
    close(file.fd);
    close(other);
}
