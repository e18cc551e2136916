/*
 * How much memory the tensors of a plan take whose steps go to two devices of this process by
 * turns, and where steps get it from. A program of its own: the linker puts the functions below in
 * the place of the allocator (--wrap).
 */
#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"
#include "runtime/execute/binding.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <malloc.h>
#include <stdlib.h>

static struct {
    size_t live, most; /* bytes of aligned blocks, which tensors lie in */
    unsigned count;    /* allocations of any kind */
} heap;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

enum { BLOCKS = 256 };
static void *blocks[BLOCKS];

static void **find(const void *memory)
{
    for (int i = 0; i < BLOCKS; i++) {
        if (blocks[i] == memory)
            return &blocks[i];
    }
    return NULL;
}

void *__wrap_malloc(size_t size)
{
    heap.count++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    heap.count++;
    return __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    void *memory = __real_aligned_alloc(alignment, size);
    void **entry = find(NULL);

    heap.count++;
    if (memory && entry) {
        *entry = memory;
        heap.live += malloc_usable_size(memory);
        heap.most = heap.live > heap.most ? heap.live : heap.most;
    }
    return memory;
}

void __wrap_free(void *memory)
{
    void **entry = memory ? find(memory) : NULL;

    if (entry) {
        *entry = NULL;
        heap.live -= malloc_usable_size(memory);
    }
    __real_free(memory);
}

/* ---- Two devices over the CPU driver --------------------------------------------------------- */

#define LENGTH     3u /* operations of a step */
#define STEPS      6u
#define ELEMENTS   65536u
#define BYTES      (ELEMENTS * sizeof(float))
#define OPERATIONS (LENGTH * STEPS)

static struct hy_device tables[2];
static struct hy_device_work works[2];
static struct hy_runtime_device devices[2];

static int32_t support(const struct hy_model *model, uint8_t *supported, uint32_t share)
{
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        supported[i] = i / LENGTH % 2 == share;
    return HY_STATUS_OK;
}

static int32_t support_even(void *device, const struct hy_model *model, uint8_t *supported,
                            const struct hy_refusals *refusals)
{
    (void)device, (void)refusals;
    return support(model, supported, 0);
}

static int32_t support_odd(void *device, const struct hy_model *model, uint8_t *supported,
                           const struct hy_refusals *refusals)
{
    (void)device, (void)refusals;
    return support(model, supported, 1);
}

/* `declares_memory`: they say how much memory an execution needs. */
static void init_devices(bool declares_memory)
{
    for (uint32_t i = 0; i < 2; i++) {
        tables[i] = *hy_devices()->cpu->table;
        tables[i].supported_operations = i ? support_odd : support_even;
        if (!declares_memory)
            tables[i].struct_size = offsetof(struct hy_device, scratch_needed);
        works[i] = (struct hy_device_work){0};
        devices[i] = *hy_devices()->cpu;
        devices[i].kind = HALYARD_DEVICE_IN_PROCESS;
        devices[i].info.name = i ? "acme-odd" : "acme-even";
        devices[i].table = &tables[i];
        devices[i].work = &works[i];
        devices[i].health = NULL;
    }
}

/* RELU and FLOOR by turns. */
static struct hy_app_model *long_model(void)
{
    struct fixture f = fixture_create();
    uint32_t before = floats(&f, ELEMENTS);
    const uint32_t first = before;
    bool ok = true;

    for (uint32_t i = 0; ok && i < OPERATIONS; i++) {
        const uint32_t after = floats(&f, ELEMENTS);
        ok = op(&f, i % 2 ? ANEURALNETWORKS_FLOOR : ANEURALNETWORKS_RELU, 1, &before, after) ==
             HY_OK;
        before = after;
    }
    if (!ok || identify(&f, first, before) != HY_OK || finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

static float input[ELEMENTS], output[ELEMENTS];

static struct hy_execution *open_execution(struct hy_compilation *compilation)
{
    struct hy_execution *execution = NULL;
    const struct hy_argument_source in = {.buffer = input, .length = sizeof input};
    const struct hy_argument_source out = {.buffer = output, .length = sizeof output};

    for (uint32_t i = 0; i < ELEMENTS; i++)
        input[i] = (float)(i % 1000) * .75f - 300;
    memset(output, 0, sizeof output);
    if (hy_execution_create(compilation, &execution, NULL) != HY_OK ||
        hy_execution_set(execution, false, 0, NULL, &in, NULL) != HY_OK ||
        hy_execution_set(execution, true, 0, NULL, &out, NULL) != HY_OK)
        return NULL;
    return execution;
}

static bool is_right(void)
{
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        if (output[i] != (input[i] > 0 ? (float)(long)input[i] : 0))
            return false;
    }
    return true;
}

static struct hy_compilation *compile_long(bool declares_memory)
{
    const struct hy_runtime_device *list[] = {&devices[0], &devices[1]};
    struct hy_compilation *compilation = NULL;
    struct hy_app_model *model = long_model();

    init_devices(declares_memory);
    if (!model || hy_compilation_create(model, list, 2, true, &compilation, NULL) != HY_OK)
        compilation = NULL;
    hy_app_model_release(model);
    if (compilation && hy_compilation_finish(compilation, NULL) != HY_OK) {
        hy_compilation_release(compilation);
        compilation = NULL;
    }
    return compilation;
}

/* The most memory that tensors take while an execution is made and run a few times. */
static size_t measure(bool declares_memory)
{
    struct hy_compilation *compilation = compile_long(declares_memory);
    struct hy_execution *execution = compilation ? open_execution(compilation) : NULL;
    const size_t before = heap.live;
    bool ok = execution && compilation->plan->step_count == STEPS;

    heap.most = heap.live;
    for (uint32_t i = 0; ok && i < 4; i++) {
        execution->reusable = true;
        ok = compute(execution, NULL) == HY_OK && is_right();
    }
    const size_t most = heap.most - before;
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    return ok ? most : 0;
}

TEST(step_memory, steps_share_one_block_with_what_goes_between_them)
{
    const size_t shared = measure(true), apart = measure(false);

    printf("%u steps of %u operations, tensors of %zu bytes: %zu bytes, %zu without sharing ",
           STEPS, LENGTH, BYTES, shared, apart);
    /* A boundary tensor on either side of the step at hand, and two temporaries in it. */
    EXPECT(shared >= 4 * BYTES && shared < 4 * BYTES + 4096);
    /* Two boundary tensors, and two temporaries in each step. */
    EXPECT(apart >= (2 + 2 * STEPS) * BYTES);
    EXPECT_INT(heap.live, 0);
}

TEST(step_memory, later_runs_allocate_nothing)
{
    struct hy_compilation *compilation = compile_long(true);
    struct hy_execution *execution = compilation ? open_execution(compilation) : NULL;
    REQUIRE(execution != NULL);
    execution->reusable = true;
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    const unsigned before = heap.count;
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(heap.count, before);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* Executions of one compilation side by side, each with a block of its own. */
TEST(step_memory, executions_by_turns_do_not_disturb_each_other)
{
    struct hy_compilation *compilation = compile_long(true);
    REQUIRE(compilation != NULL);
    struct hy_execution *executions[3];
    for (uint32_t i = 0; i < 3; i++) {
        executions[i] = open_execution(compilation);
        REQUIRE(executions[i] != NULL);
        executions[i]->reusable = true;
    }
    for (uint32_t i = 0; i < 12; i++) {
        memset(output, 0, sizeof output);
        EXPECT_INT(compute(executions[i * 5 % 3], NULL), HY_OK);
        EXPECT(is_right());
    }
    for (uint32_t i = 0; i < 3; i++)
        hy_execution_release(executions[i]);
    hy_compilation_release(compilation);
}

TEST(step_memory, plan_of_one_step_leaves_memory_to_the_driver)
{
    const struct hy_runtime_device *cpu = hy_devices()->cpu;
    struct hy_compilation *compilation = NULL;
    struct hy_app_model *model = long_model();

    REQUIRE(model && hy_compilation_create(model, &cpu, 1, true, &compilation, NULL) == HY_OK);
    hy_app_model_release(model);
    REQUIRE(hy_compilation_finish(compilation, NULL) == HY_OK);
    EXPECT_INT(compilation->plan->step_count, 1);
    EXPECT_INT(compilation->plan->layout.arena_bytes, 0);
    EXPECT_INT(compilation->plan->steps[0].scratch_bytes, 0);
    hy_compilation_release(compilation);
}
