/*
 * Memory of each kind made and freed ten thousand times, with copies from and to it and executions
 * on it, leaves no descriptor, no mapping and no byte behind. Run with
 * GLIBC_TUNABLES=glibc.malloc.tcache_count=0, without which blocks that are freed may count as in
 * use.
 */
#include "tests/kit/held.h"
#include "tests/kit/threads.h"
#include "tests/scenarios/contract/kit/fixture.h"

#include <android/hardware_buffer.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WARM_UP = 20, ROUNDS = 10000 / HY_SLOWNESS };

/* What the rounds use, and do not change. */
static struct {
    struct compiled fixed, open, reference, picture; /* the first two on halyard-cpu */
    ANeuralNetworksMemory *file;                     /* of TENSOR_SIZE bytes */
    ANeuralNetworksMemory *full;                     /* of halyard-cpu, with contents */
} bench;

static bool is_ok(int result)
{
    return result == ANEURALNETWORKS_NO_ERROR;
}

static bool frees(ANeuralNetworksMemory *memory, bool is_good)
{
    ANeuralNetworksMemory_free(memory);
    return memory && is_good;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static ANeuralNetworksMemory *make_file(void)
{
    ANeuralNetworksMemory *memory = NULL;
    const int fd = file_of(TENSOR_SIZE);

    if (fd < 0)
        return NULL;
    (void)ANeuralNetworksMemory_createFromFd(TENSOR_SIZE, PROT_READ | PROT_WRITE, fd, 0, &memory);
    close(fd);
    return memory;
}

static ANeuralNetworksMemory *make_buffer(uint32_t format, uint32_t width, uint32_t height)
{
    const AHardwareBuffer_Desc desc = {.width = width,
                                       .height = height,
                                       .layers = 1,
                                       .format = format,
                                       .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                                                AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
    AHardwareBuffer *buffer = NULL;
    ANeuralNetworksMemory *memory = NULL;

    if (AHardwareBuffer_allocate(&desc, &buffer) != 0)
        return NULL;
    (void)ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory);
    AHardwareBuffer_release(buffer);
    return memory;
}

/* For input 0 and output 0. */
static ANeuralNetworksMemory *make_described(const struct compiled *compiled)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *memory = NULL;

    if (is_ok(ANeuralNetworksMemoryDesc_create(&desc)) &&
        is_ok(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled->compilation, 0, 1)) &&
        is_ok(ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled->compilation, 0, 1)) &&
        is_ok(ANeuralNetworksMemoryDesc_finish(desc)))
        (void)ANeuralNetworksMemory_createFromDesc(desc, &memory);
    ANeuralNetworksMemoryDesc_free(desc);
    return memory;
}

/* ---- Uses ------------------------------------------------------------------------------------ */

static bool copies(ANeuralNetworksMemory *memory)
{
    return is_ok(ANeuralNetworksMemory_copy(bench.file, memory)) &&
           is_ok(ANeuralNetworksMemory_copy(memory, bench.file)) &&
           is_ok(ANeuralNetworksMemory_copy(bench.full, memory));
}

/* An execution that reads one and writes the other. */
static bool runs(const struct compiled *compiled, const ANeuralNetworksMemory *in,
                 const ANeuralNetworksMemory *out, size_t size)
{
    ANeuralNetworksExecution *execution = NULL;
    const bool is_good =
        is_ok(ANeuralNetworksExecution_create(compiled->compilation, &execution)) &&
        is_ok(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, size)) &&
        is_ok(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, size)) &&
        is_ok(ANeuralNetworksExecution_compute(execution));

    ANeuralNetworksExecution_free(execution);
    return is_good;
}

/* Of `extent` floats into memory of open shape. */
static bool grows(const struct compiled *compiled, const ANeuralNetworksMemory *out,
                  uint32_t extent)
{
    static const float zeros[64];
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    ANeuralNetworksExecution *execution = NULL;
    const bool is_good =
        is_ok(ANeuralNetworksExecution_create(compiled->compilation, &execution)) &&
        is_ok(ANeuralNetworksExecution_setInput(execution, 0, &type, zeros,
                                                extent * sizeof *zeros)) &&
        is_ok(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0, 0)) &&
        is_ok(ANeuralNetworksExecution_compute(execution));

    ANeuralNetworksExecution_free(execution);
    return is_good;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static bool file_round(void)
{
    ANeuralNetworksMemory *memory = make_file();
    return frees(memory,
                 memory && copies(memory) && runs(&bench.fixed, memory, bench.file, TENSOR_SIZE));
}

static bool shared_round(void)
{
    ANeuralNetworksMemory *memory = make_described(&bench.reference);
    return frees(memory, memory && copies(memory));
}

static bool blob_round(void)
{
    ANeuralNetworksMemory *memory = make_buffer(AHARDWAREBUFFER_FORMAT_BLOB, TENSOR_SIZE, 1);
    return frees(memory,
                 memory && copies(memory) && runs(&bench.fixed, memory, bench.file, TENSOR_SIZE));
}

static bool image_round(void)
{
    ANeuralNetworksMemory *in = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 4);
    ANeuralNetworksMemory *out = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 4);
    const bool is_good = in && out && runs(&bench.picture, in, out, 0);
    return frees(in, frees(out, is_good));
}

static bool device_round(void)
{
    ANeuralNetworksMemory *in = make_described(&bench.fixed), *out = make_described(&bench.fixed);
    const bool is_good = in && out && copies(in) && runs(&bench.fixed, in, out, 0) && copies(out);
    return frees(in, frees(out, is_good));
}

static bool open_device_round(void)
{
    ANeuralNetworksMemory *memory = make_described(&bench.open);
    return frees(memory, memory && grows(&bench.open, memory, 1) &&
                             grows(&bench.open, memory, 64) && grows(&bench.open, memory, 7) &&
                             is_ok(ANeuralNetworksMemory_copy(bench.full, memory)));
}

static void expect_no_leak(bool (*round)(void))
{
    struct hy_held before, after;
    bool is_good = true;

    for (unsigned i = 0; i < WARM_UP; i++)
        REQUIRE(round());
    REQUIRE(hy_held_look(&before));
    for (unsigned i = 0; i < ROUNDS && is_good; i++)
        is_good = round();
    EXPECT(is_good);
    REQUIRE(hy_held_wait_released(&before, &after));
    EXPECT_INT(after.files, before.files);
    /* A sanitizer's heap has maps of its own; what leaks leaks in every round. */
    const size_t of_heap = before.blocks == 0 ? ROUNDS / 100 : 0;
    EXPECT(after.maps <= before.maps + of_heap);
    if (after.blocks > before.blocks + HY_HELD_ABOUT_TO_FREE)
        hy_test_fail(__FILE__, __LINE__, "the heap has grown from %zu to %zu bytes in %d rounds",
                     before.blocks, after.blocks, ROUNDS);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct compiled relu_on(const char *name, const ANeuralNetworksOperandType *tensor)
{
    const ANeuralNetworksDevice *device = device_named(name);
    struct compiled compiled = {.model = relu_of(tensor)};

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled.model, &device, 1,
                                                          &compiled.compilation));
    EXPECT_OK(ANeuralNetworksCompilation_finish(compiled.compilation));
    return compiled;
}

static void bench_open(void)
{
    static const uint32_t dims[] = {1, 4, 16, 4};
    const ANeuralNetworksOperandType picture = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                                .dimensionCount = 4,
                                                .dimensions = dims,
                                                .scale = .5f,
                                                .zeroPoint = 128};

    bench.fixed = relu_on("halyard-cpu", &float_tensor);
    bench.open = relu_on("halyard-cpu", &open_tensor);
    bench.reference = relu_on("nnapi-reference", &float_tensor);
    bench.picture = relu_on("halyard-cpu", &picture);
    bench.file = make_file();
    bench.full = make_described(&bench.fixed);
    EXPECT_OK(ANeuralNetworksMemory_copy(bench.file, bench.full));
}

static void bench_close(void)
{
    ANeuralNetworksMemory_free(bench.file);
    ANeuralNetworksMemory_free(bench.full);
    compiled_free(&bench.fixed);
    compiled_free(&bench.open);
    compiled_free(&bench.reference);
    compiled_free(&bench.picture);
}

TEST(contract_memory_rounds, memory_of_files_leaves_nothing)
{
    bench_open();
    expect_no_leak(file_round);
    bench_close();
}

TEST(contract_memory_rounds, shared_memory_of_descriptors_leaves_nothing)
{
    bench_open();
    expect_no_leak(shared_round);
    bench_close();
}

TEST(contract_memory_rounds, memory_of_hardware_buffers_leaves_nothing)
{
    bench_open();
    expect_no_leak(blob_round);
    bench_close();
}

TEST(contract_memory_rounds, images_leave_nothing)
{
    bench_open();
    expect_no_leak(image_round);
    bench_close();
}

TEST(contract_memory_rounds, memory_of_the_device_leaves_nothing)
{
    bench_open();
    expect_no_leak(device_round);
    bench_close();
}

TEST(contract_memory_rounds, memory_of_the_device_that_grows_leaves_nothing)
{
    bench_open();
    expect_no_leak(open_device_round);
    bench_close();
}
