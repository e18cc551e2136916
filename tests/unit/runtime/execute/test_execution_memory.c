/*
 * What compilations and executions take from the allocator: nothing once an execution has run, and
 * no failure of it does harm. A program of its own: the linker puts the functions below in the
 * place of the allocator (--wrap).
 */
#include "runtime/compile/compile.h"
#include "runtime/event/event.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"
#include "runtime/plan/plan_counters.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/domain_fixture.h"

#include <stdlib.h>

static struct {
    atomic_uint count; /* allocations tried so far */
    unsigned fail_at;  /* the one that fails; 0: none */
    atomic_bool failed;
    atomic_int live; /* allocated and not freed */
} heap;

static bool allow(void)
{
    bool fails = ++heap.count == heap.fail_at;
    if (fails)
        heap.failed = true;
    return !fails;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *note(void *memory, bool is_new)
{
    heap.live += memory && is_new;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return allow() ? note(__real_malloc(size), true) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allow() ? note(__real_calloc(count, size), true) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    const bool is_new = !old;
    return allow() ? note(__real_realloc(old, size), is_new) : NULL;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    const bool is_new = !old;
    return allow() ? note(__real_reallocarray(old, count, size), is_new) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allow() ? note(__real_aligned_alloc(alignment, size), true) : NULL;
}

void __wrap_free(void *memory)
{
    heap.live -= memory != NULL;
    __real_free(memory);
}

/* ---- The tests ------------------------------------------------------------------------------- */

static const float input[EXTENT] = {1, 2, 3, 4};
static float output[EXTENT];
static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

static void init_fakes(uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.reason = "not wired";
}

static void expect_no_allocation(uint32_t npu_operations)
{
    init_fakes(npu_operations);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    execution->reusable = true;
    enum hy_code code = compute(execution, NULL);
    const unsigned before = heap.count;
    for (unsigned i = 0; i < 100; i++)
        code |= compute(execution, NULL);
    EXPECT_INT(heap.count, before);
    EXPECT_INT(code, HY_OK);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(execution_memory, later_runs_allocate_nothing)
{
    expect_no_allocation(FAKE_ALL);            /* one step */
    expect_no_allocation(FAKE_MUL);            /* three */
    expect_no_allocation(FAKE_MUL | FAKE_ADD); /* three, one of two operations */
}

/* An execution whose boundary tensor has a size that no model tells, of an input of EXTENT
 * elements. */
static struct hy_execution *open_execution(struct hy_compilation *compilation)
{
    const uint32_t extent = EXTENT;
    const struct hy_operand_spec type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent, 0, 0};
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                          .length = sizeof input};
    const struct hy_argument_source out = {.buffer = output, .length = sizeof output};
    struct hy_execution *execution = NULL;

    if (!compilation || hy_execution_create(compilation, &execution, NULL) != HY_OK)
        return NULL;
    if (hy_execution_set(execution, false, 0, &type, &in, NULL) == HY_OK &&
        hy_execution_set(execution, true, 0, NULL, &out, NULL) == HY_OK)
        return execution;
    hy_execution_release(execution);
    return NULL;
}

TEST(execution_memory, tensors_of_unknown_size_cost_nothing_once_they_are_known)
{
    init_fakes(FAKE_RELU);
    struct hy_compilation *compilation = compile(dynamic_model(0, 0, EXTENT), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->open_tensor_count == 1);
    atomic_store(&compilation->plan->counters->capacities[0], sizeof(float));
    struct hy_execution *execution = open_execution(compilation);
    REQUIRE(execution);
    execution->reusable = true;
    for (unsigned i = 0; i < 2; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    const unsigned before = heap.count;
    for (unsigned i = 0; i < 100; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(heap.count, before);
    hy_execution_release(execution);

    for (unsigned i = 0; i < 100; i++) { /* executions that come and go, too */
        execution = open_execution(compilation);
        REQUIRE(execution && compute(execution, NULL) == HY_OK);
        hy_execution_release(execution);
    }
    EXPECT_INT(heap.count, before);
    hy_compilation_release(compilation);
}

/* Each allocation of a run fails in turn in which a boundary tensor grows, and of the run behind
 * it. */
TEST(execution_memory, tensor_without_memory_is_an_error_that_passes)
{
    bool more = true;

    for (unsigned at = 1; more && at < 100; at++) {
        struct hy_error err = {0};
        init_fakes(FAKE_RELU);
        struct hy_compilation *compilation =
            compile(dynamic_model(0, 0, EXTENT), both, 2, false, NULL);
        REQUIRE(compilation);
        atomic_store(&compilation->plan->counters->capacities[0], sizeof(float));
        struct hy_execution *execution = open_execution(compilation);
        REQUIRE(execution);
        execution->reusable = true;
        heap.failed = false;
        heap.count = 0;
        heap.fail_at = at;
        enum hy_code code = compute(execution, &err);
        if (code == HY_OK)
            code = compute(execution, &err);
        heap.fail_at = 0;
        more = heap.failed;
        EXPECT(code == HY_OK || (more && err.text[0] != '\0'));
        memset(output, 0, sizeof output);
        EXPECT_INT(compute(execution, NULL), HY_OK);
        EXPECT(output[3] == input[3]);
        hy_execution_release(execution);
        hy_compilation_release(compilation);
    }
    EXPECT(!more);
}

/* The whole life of a compilation, whose first device fails to prepare and whose second to execute.
 */
static enum hy_code live(struct hy_app_model *model, struct hy_error *err)
{
    struct hy_compilation *compilation = NULL;
    struct hy_execution *execution = NULL;
    struct hy_event *event = NULL;
    const struct hy_runtime_device *devices[] = {&npu.device, &cpu.device};
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                          .length = sizeof input};
    const struct hy_argument_source out = {.buffer = output, .length = sizeof output};

    enum hy_code code = hy_compilation_create(model, devices, 2, false, &compilation, err);
    if (code == HY_OK)
        code = hy_compilation_finish(compilation, err);
    if (code == HY_OK)
        code = hy_execution_create(compilation, &execution, err);
    if (code == HY_OK)
        code = hy_execution_set(execution, false, 0, NULL, &in, err);
    if (code == HY_OK)
        code = hy_execution_set(execution, true, 0, NULL, &out, err);
    if (code == HY_OK)
        code = hy_event_start(execution, &event, err);
    if (code == HY_OK)
        code = hy_event_wait(event, err);
    hy_event_destroy(event);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    return code;
}

/* Makes each allocation fail in turn. The run may still succeed: a driver that had no memory for
 * its prepared model is left out, a CPU step that could not stand by is a failure of the step. */
static void expect_harmless(uint32_t npu_operations, int32_t prepare_status, int32_t execute_status)
{
    bool more = true;

    for (unsigned at = 1; more && at < 1000; at++) {
        struct hy_error err = {0};
        init_fakes(npu_operations);
        npu.prepare_status = prepare_status;
        npu.execute_status = execute_status;
        struct hy_app_model *model = chain_model();
        REQUIRE(model);
        heap.failed = false;
        heap.count = 0;
        heap.fail_at = at;
        enum hy_code code = live(model, &err);
        heap.fail_at = 0;
        more = heap.failed;
        if (!more)
            EXPECT_INT(code, HY_OK);
        if (code != HY_OK)
            EXPECT(err.text[0] != '\0');
        hy_app_model_release(model);
        EXPECT_INT(npu.prepared + cpu.prepared, 0);
    }
    EXPECT(!more);              /* the loop came to its end */
    hy_threads_wait_for_rest(); /* a worker lets go of an event after those who wait for it know */
}

TEST(execution_memory, every_failing_allocation_is_an_error_or_harmless)
{
    expect_harmless(FAKE_ALL, HY_STATUS_OK, HY_STATUS_OK);
    expect_harmless(FAKE_MUL, HY_STATUS_OK, HY_STATUS_OK);
    expect_harmless(FAKE_MUL, HY_STATUS_GENERAL_FAILURE, HY_STATUS_OK);
    expect_harmless(FAKE_MUL, HY_STATUS_OK, HY_STATUS_GENERAL_FAILURE);
}

TEST(execution_memory, nothing_is_left_behind)
{
    init_fakes(FAKE_MUL);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    const int before = heap.live;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    EXPECT_INT(heap.live, before);
}

/* Memory from a descriptor with two roles, made of a finished compilation. */
static enum hy_code describe(struct hy_compilation *compilation, struct hy_error *err)
{
    struct hy_memory_desc *desc = NULL;
    struct hy_memory *memory = NULL;

    enum hy_code code = hy_memory_desc_create(&desc, err);
    if (code == HY_OK)
        code = hy_memory_desc_add_role(desc, compilation, false, 0, 1, err);
    if (code == HY_OK)
        code = hy_memory_desc_add_role(desc, compilation, true, 0, 1, err);
    if (code == HY_OK)
        code = hy_memory_desc_finish(desc, err);
    if (code == HY_OK)
        code = hy_memory_from_desc(desc, &memory, err);
    hy_memory_release(memory);
    hy_memory_desc_destroy(desc);
    return code;
}

TEST(execution_memory, descriptor_without_memory_is_out_of_memory_and_leaves_nothing)
{
    init_fakes(FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation);
    const int before = heap.live;
    enum hy_code code = HY_OUT_OF_MEMORY;

    for (unsigned at = 1; code == HY_OUT_OF_MEMORY && at < 100; at++) {
        struct hy_error err = {0};
        heap.count = 0;
        heap.fail_at = at;
        code = describe(compilation, &err);
        heap.fail_at = 0;
        EXPECT_INT(heap.live, before);
        EXPECT_INT(err.code, code);
    }
    EXPECT_INT(code, HY_OK);
    hy_compilation_release(compilation);
}

/* The same in memory of a device. */
TEST(execution_memory, device_memory_without_memory_is_an_error_and_leaves_nothing)
{
    static struct buffer_device gpu;
    struct fake_device *const one[] = {&gpu.fake};
    bool more = true;

    buffer_device_init(&gpu, "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), one, 1, true, NULL);
    REQUIRE(compilation);
    const int before = heap.live;
    for (unsigned at = 1; more && at < 100; at++) {
        struct hy_error err = {0};
        heap.failed = false;
        heap.count = 0;
        heap.fail_at = at;
        const enum hy_code code = describe(compilation, &err);
        heap.fail_at = 0;
        more = heap.failed;
        EXPECT_INT(code == HY_OK, !more);
        EXPECT(code == HY_OK || err.text[0] != '\0');
        EXPECT_INT(heap.live, before);
        EXPECT_INT(gpu.live, 0);
    }
    EXPECT(!more);
    hy_compilation_release(compilation);
}

/* As does the shared memory that a fallback step works on. */
TEST(execution_memory, fallback_step_without_memory_for_copies_is_an_error_and_leaves_nothing)
{
    static struct buffer_device gpu;
    struct fake_device *const two[] = {&gpu.fake, &cpu};
    bool more = true;

    init_fakes(FAKE_ALL);
    buffer_device_init(&gpu, "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), two, 2, false, NULL);
    REQUIRE(compilation);
    struct hy_memory *in = one_role(compilation, false, 0), *out = one_role(compilation, true, 0);
    REQUIRE(fill(in, EXTENT, input) == HY_OK);
    gpu.fake.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK); /* makes the fallback step */
    const int before = heap.live;
    for (unsigned at = 1; more && at < 100; at++) {
        struct hy_error err = {0};
        heap.failed = false;
        heap.count = 0;
        heap.fail_at = at;
        const enum hy_code code = run_on(compilation, in, 0, out, 0, &err);
        heap.fail_at = 0;
        more = heap.failed;
        EXPECT_INT(code == HY_OK, !more);
        EXPECT_INT(heap.live, before);
    }
    EXPECT(!more);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

TEST(execution_memory, later_runs_in_device_memory_allocate_nothing)
{
    static struct buffer_device gpu;
    struct fake_device *const one[] = {&gpu.fake};
    struct hy_execution *execution = NULL;

    buffer_device_init(&gpu, "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    struct hy_compilation *compilation = compile(dynamic_model(0, 0, 0), one, 1, true, NULL);
    REQUIRE(compilation);
    const struct role role = {compilation, false, 0};
    struct hy_memory *in = domain_memory(&role, 1, EXTENT, NULL);
    struct hy_memory *out = one_role(compilation, true, 0);
    REQUIRE(in && out && fill(in, EXTENT, input) == HY_OK);
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    execution->reusable = true;
    EXPECT_INT(set_whole(execution, false, 0, EXTENT, in, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, out, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    const unsigned before = heap.count;
    for (unsigned i = 0; i < 100; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(heap.count, before);
    hy_execution_release(execution);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}

/* y = an operation of an extension, that the npu has, of x; with an attribute. */
static enum hy_code extend(struct hy_error *err)
{
    const struct hy_runtime_device *devices[] = {&npu.device, &cpu.device};
    struct fixture f = fixture_create();
    struct hy_compilation *compilation = NULL;
    if (!f.model)
        return HY_OUT_OF_MEMORY;

    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    enum hy_code code = relu(&f, x, a);
    if (code == HY_OK)
        code = op(&f, npu.extension_operation, 1, &a, y);
    if (code == HY_OK)
        code = identify(&f, x, y);
    if (code == HY_OK)
        code = finish(&f);
    if (code == HY_OK)
        code = hy_compilation_create(f.model, devices, 2, false, &compilation, err);
    if (code == HY_OK)
        code = hy_attributes_add(&compilation->attributes, "com.acme.scarce", 1, "x", 1, err);
    if (code == HY_OK)
        code = hy_compilation_finish(compilation, err);
    hy_compilation_release(compilation);
    fixture_free(&f);
    return code;
}

TEST(execution_memory, extension_without_memory_is_an_error_and_leaves_nothing)
{
    const struct hy_extension extension = {.name = "com.acme.scarce"};
    enum hy_code code = HY_OUT_OF_MEMORY;
    uint32_t prefix = 0;
    bool more = true;

    heap.count = 0;
    heap.fail_at = 1;
    EXPECT_INT(hy_extension_prefix("com.acme.scarce", &prefix, NULL), HY_OUT_OF_MEMORY);
    heap.fail_at = 0;
    EXPECT_INT(hy_extension_prefix("com.acme.scarce", &prefix, NULL), HY_OK);
    EXPECT_STR(hy_operation_text((int32_t)(prefix << 16)), "com.acme.scarce#0"); /* made once */
    for (unsigned at = 1; more && at < 1000; at++) {
        init_fakes(0);
        npu.device.info.extensions = &extension;
        npu.device.info.extension_count = 1;
        npu.extension_operation = (int32_t)(prefix << 16);
        EXPECT_INT(hy_extensions_learn(&npu.device.info, NULL), HY_OK);
        const int before = heap.live;
        heap.failed = false;
        heap.count = 0;
        heap.fail_at = at;
        code = extend(NULL);
        heap.fail_at = 0;
        more = heap.failed;
        EXPECT_INT(heap.live, before);
    }
    EXPECT(!more);
    EXPECT_INT(code, HY_OK);
}
