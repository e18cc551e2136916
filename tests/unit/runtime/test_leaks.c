/*
 * A thousand lives of every object of the API leave nothing behind: after some to warm up, the
 * counts of descriptors and of mappings stay, and so does what is in use of the heap, but for what
 * threads are about to free. Run with GLIBC_TUNABLES=glibc.malloc.tcache_count=0, without which
 * blocks that a thread has freed count as in use.
 */
#include "tests/kit/held.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WARM_UP = 100, LIVES = 1000 / HY_SLOWNESS, ROUNDS = 10 };
enum { BYTES = SMALL_EXTENT * sizeof(float), SIZE = 2 * 4096 };

/* Else the C library maps an arena when a thread first allocates, which may be late. */
TEST_SETUP(have_one_arena)
{
    mallopt(M_ARENA_MAX, 1);
}

/* Memory behind a file: input in the first page, output in the second. */
static bool use_file_memory(ANeuralNetworksCompilation *compilation)
{
    const int fd = memfd_create("test", MFD_CLOEXEC);
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksExecution *execution = NULL;
    bool good =
        fd >= 0 && ftruncate(fd, SIZE) == 0 &&
        ANeuralNetworksMemory_createFromFd(SIZE, PROT_READ | PROT_WRITE, fd, 0, &memory) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_create(compilation, &execution) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, SIZE / 2, BYTES) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_compute(execution) == ANEURALNETWORKS_NO_ERROR;

    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    close(fd);
    return good;
}

static bool describe(ANeuralNetworksCompilation *compilation, ANeuralNetworksMemory **memory)
{
    ANeuralNetworksMemoryDesc *desc = NULL;
    const bool good =
        ANeuralNetworksMemoryDesc_create(&desc) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksMemoryDesc_finish(desc) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksMemory_createFromDesc(desc, memory) == ANEURALNETWORKS_NO_ERROR;

    ANeuralNetworksMemoryDesc_free(desc);
    return good;
}

static bool use_described_memory(ANeuralNetworksCompilation *compilation)
{
    const float in[SMALL_EXTENT] = {1};
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksExecution *execution = NULL;
    bool good =
        describe(compilation, &memory) &&
        ANeuralNetworksExecution_create(compilation, &execution) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, 0) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_compute(execution) == ANEURALNETWORKS_NO_ERROR;

    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    return good;
}

/* A fence of the app's before an execution, and one of the runtime's behind it. */
static bool use_fences(ANeuralNetworksCompilation *compilation)
{
    const int gate = eventfd(0, EFD_CLOEXEC);
    int fence = -1;
    ANeuralNetworksEvent *before = NULL, *event = NULL;
    struct small_run run;
    bool good =
        small_run_init(&run, compilation, false) &&
        ANeuralNetworksEvent_createFromSyncFenceFd(gate, &before) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksExecution_startComputeWithDependencies(
            run.execution, (const ANeuralNetworksEvent *const *)&before, 1, 0, &event) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksEvent_getSyncFenceFd(event, &fence) == ANEURALNETWORKS_NO_ERROR;

    good = eventfd_write(gate, 1) == 0 && good &&
           ANeuralNetworksEvent_wait(event) == ANEURALNETWORKS_NO_ERROR;
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(before);
    small_run_finish(&run);
    close(fence);
    close(gate);
    return good;
}

/* Sync, asynchronous, burst and chain are in small_life. */
static bool live(unsigned seed)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    const bool good = compilation && use_file_memory(compilation) &&
                      use_described_memory(compilation) && use_fences(compilation);

    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return good && small_life(seed);
}

/* Lives without a new worker in between, which is kept for the life of the process, and after a
 * look that met nothing on its way out, such as a fence that its watcher has yet to close. */
static bool live_on(bool (*one_life)(unsigned seed), struct hy_held *before, struct hy_held *after)
{
    bool good = true;
    unsigned round = 0;

    do {
        good = hy_held_look(before) && good;
        for (unsigned i = 0; i < LIVES; i++)
            good = one_life(i) && good;
        good = hy_held_wait_released(before, after) && good;
    } while (good && (after->threads != before->threads ||
                      (hy_held_was_early(before, after) && ++round < ROUNDS)));
    return good;
}

static void expect_no_leak(bool (*one_life)(unsigned seed))
{
    struct hy_held before, after;

    for (unsigned i = 0; i < WARM_UP; i++)
        REQUIRE(one_life(i));
    REQUIRE(live_on(one_life, &before, &after));
    EXPECT_INT(after.files, before.files);
    EXPECT_INT(after.maps, before.maps);
    if (after.blocks > before.blocks + HY_HELD_ABOUT_TO_FREE)
        hy_test_fail(__FILE__, __LINE__, "the heap has grown from %zu to %zu bytes in %d lives",
                     before.blocks, after.blocks, LIVES);
}

TEST(leaks, after_a_thousand_lives_of_every_object)
{
    expect_no_leak(live);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static bool fail_on_descriptors(void)
{
    ANeuralNetworksMemory *memory = NULL;
    ANeuralNetworksEvent *event = NULL;

    return ANeuralNetworksMemory_createFromFd(SIZE, PROT_READ, -1, 0, &memory) !=
               ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksEvent_createFromSyncFenceFd(-1, &event) != ANEURALNETWORKS_NO_ERROR;
}

/* A model without an operation that makes its output. */
static bool fail_on_a_model(void)
{
    const uint32_t dims[] = {SMALL_EXTENT}, in = 0, out = 1;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    ANeuralNetworksModel *model = NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    const bool good =
        ANeuralNetworksModel_create(&model) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksModel_addOperand(model, &floats) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksModel_addOperand(model, &floats) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out) ==
            ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksModel_finish(model) != ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksCompilation_create(model, &compilation) != ANEURALNETWORKS_NO_ERROR;

    ANeuralNetworksModel_free(model);
    return good;
}

/* A dependency that has failed. */
static bool fail_on_executions(ANeuralNetworksCompilation *compilation)
{
    int ends[2];
    ANeuralNetworksEvent *broken = NULL, *event = NULL;
    struct small_run run;
    bool good = small_run_init(&run, compilation, false) && pipe(ends) == 0;

    if (good) {
        good = ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &broken) ==
               ANEURALNETWORKS_NO_ERROR;
        close(ends[0]);
        close(ends[1]);
    }
    good = good && ANeuralNetworksExecution_startComputeWithDependencies(
                       run.execution, (const ANeuralNetworksEvent *const *)&broken, 1, 0, &event) ==
                       ANEURALNETWORKS_OP_FAILED;
    ANeuralNetworksEvent_free(broken);
    small_run_finish(&run);
    return good;
}

static bool fail_in_many_ways(unsigned seed)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    const bool good = compilation && fail_on_executions(compilation) && fail_on_a_model() &&
                      fail_on_descriptors();

    (void)seed;
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return good;
}

TEST(leaks, after_a_thousand_failures)
{
    expect_no_leak(fail_in_many_ways);
}
