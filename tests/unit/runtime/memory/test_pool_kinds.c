/* Devices that take some kinds of memory and not others. */
#include "runtime/compile/compile.h"
#include "runtime/device/health.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <android/hardware_buffer.h>
#include <math.h>

enum { WIDE = 40, WIDE_BYTES = WIDE * sizeof(float), IMAGE_WIDTH = 16 };
#define DUTIES (1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD | 1u << HY_POOL_HARDWARE_BUFFER_BLOB)
#define HOST   (1u << HY_POOL_HOST)
#define IMAGE  (1u << HY_POOL_HARDWARE_BUFFER)

static struct fake_device npu, cpu;
static float weights[WIDE], wide_input[WIDE], wide_result[WIDE];

/* `kinds`: what the npu says. */
static void init_devices(uint32_t kinds, uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.device.info.pool_kinds = kinds;
    cpu.device.info.pool_kinds = DUTIES | HOST | IMAGE;
    for (unsigned i = 0; i < WIDE; i++) {
        weights[i] = (float)i + .5f;
        wide_input[i] = (float)(i % 7) - 3;
        wide_result[i] = floorf(wide_input[i] + weights[i]);
    }
}

/* y = FLOOR(x + weights), whose weights lie at an address of the app's. */
static struct hy_app_model *weighted_model(void)
{
    struct fixture f = fixture_create();
    const uint32_t x = floats(&f, WIDE), k = floats(&f, WIDE), a = floats(&f, WIDE);
    const uint32_t y = floats(&f, WIDE), none = constant(&f, 0);
    const bool ok = set(&f, k, weights, sizeof weights) == HY_OK &&
                    add_op(&f, x, k, none, a) == HY_OK &&
                    op(&f, ANEURALNETWORKS_FLOOR, 1, &a, y) == HY_OK &&
                    identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

static struct hy_compilation *compiled(struct hy_app_model *model, bool split,
                                       struct fake_device *const *devices, uint32_t count)
{
    struct hy_compilation *compilation = compile_start(model, devices, count, true);

    if (!compilation)
        return NULL;
    compilation->split_operations = split;
    if (hy_compilation_finish(compilation, NULL) == HY_OK)
        return compilation;
    hy_compilation_release(compilation);
    return NULL;
}

/* An execution by addresses, `size` bytes each. */
static struct hy_execution *execution_by_address(struct hy_compilation *compilation, void *in,
                                                 void *out, size_t size)
{
    struct hy_execution *execution = NULL;
    const struct hy_argument_source from = {.buffer = in, .length = size};
    const struct hy_argument_source to = {.buffer = out, .length = size};

    if (hy_execution_create(compilation, &execution, NULL) == HY_OK &&
        hy_execution_set(execution, false, 0, NULL, &from, NULL) == HY_OK &&
        hy_execution_set(execution, true, 0, NULL, &to, NULL) == HY_OK)
        return execution;
    hy_execution_release(execution);
    return NULL;
}

static bool runs_right(struct hy_compilation *compilation)
{
    float output[WIDE] = {0};
    struct hy_execution *execution =
        execution_by_address(compilation, wide_input, output, WIDE_BYTES);
    const bool is_right = execution && compute(execution, NULL) == HY_OK &&
                          memcmp(output, wide_result, sizeof output) == 0;

    hy_execution_release(execution);
    return is_right;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

TEST(pool_kinds, device_that_takes_addresses_gets_them_and_nothing_is_copied)
{
    struct fake_device *const one[] = {&npu};
    const uint32_t kinds[] = {0, DUTIES | HOST}; /* 0: not told */
    for (unsigned i = 0; i < 2; i++) {
        init_devices(kinds[i], FAKE_ALL);
        struct hy_compilation *compilation = compiled(weighted_model(), false, one, 1);
        REQUIRE(compilation);

        EXPECT_INT(npu.model_kinds, HOST);
        EXPECT(npu.last_pools[0].address == weights);
        EXPECT(runs_right(compilation));
        EXPECT_INT(npu.request_kinds, HOST);
        EXPECT_INT(compilation->copied_bytes, 0);
        hy_compilation_release(compilation);
    }
}

TEST(pool_kinds, device_without_addresses_gets_shared_memory_and_the_copies_are_counted)
{
    struct fake_device *const one[] = {&npu};
    init_devices(DUTIES, FAKE_ALL);
    struct hy_compilation *compilation = compiled(weighted_model(), false, one, 1);
    REQUIRE(compilation);

    EXPECT_INT(npu.model_kinds, 1u << HY_POOL_MMAP_FD);
    for (unsigned i = 1; i <= 3; i++) {
        EXPECT(runs_right(compilation));
        EXPECT_INT(compilation->copied_bytes, i * 2 * WIDE_BYTES);
    }
    EXPECT_INT(npu.request_kinds, 1u << HY_POOL_ASHMEM);
    EXPECT_INT(npu.runs, 3);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, arguments_in_memory_of_the_app_stay_where_they_are)
{
    struct fake_device *const one[] = {&npu};
    struct hy_memory *in = NULL;
    struct hy_execution *execution = NULL;
    float output[WIDE] = {0};
    const int fd = shared_file(WIDE_BYTES);
    init_devices(DUTIES, FAKE_ALL);
    REQUIRE(hy_memory_from_fd(WIDE_BYTES, PROT_READ | PROT_WRITE, fd, 0, &in, NULL) == HY_OK);
    memcpy(hy_memory_pool(in)->address, wide_input, WIDE_BYTES);
    struct hy_compilation *compilation = compiled(weighted_model(), false, one, 1);
    const struct hy_argument_source from = {.memory = in, .length = WIDE_BYTES};
    const struct hy_argument_source to = {.buffer = output, .length = WIDE_BYTES};
    REQUIRE(compilation && hy_execution_create(compilation, &execution, NULL) == HY_OK);

    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &from, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &to, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(memcmp(output, wide_result, sizeof output) == 0);
    EXPECT_INT(compilation->copied_bytes, WIDE_BYTES); /* the output */
    EXPECT_INT(npu.request_kinds, 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    hy_memory_release(in);
    close(fd);
}

TEST(pool_kinds, reusable_execution_sees_new_values_each_time)
{
    struct fake_device *const one[] = {&npu};
    float output[WIDE], values[WIDE] = {0};
    init_devices(DUTIES, FAKE_ALL);
    struct hy_compilation *compilation = compiled(weighted_model(), false, one, 1);
    REQUIRE(compilation);
    struct hy_execution *execution = execution_by_address(compilation, values, output, WIDE_BYTES);
    REQUIRE(execution);

    execution->reusable = true;
    for (unsigned i = 0; i < 3; i++) {
        values[1] = (float)i;
        EXPECT_INT(compute(execution, NULL), HY_OK);
        EXPECT(output[1] > (float)i + .5f && output[1] < (float)i + 1.5f);
    }
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, tensors_between_steps_lie_where_both_devices_reach_them)
{
    struct fake_device *const both[] = {&npu, &cpu};
    init_devices(DUTIES, FAKE_ADD);
    struct hy_compilation *compilation = compiled(weighted_model(), true, both, 2);
    REQUIRE(compilation && compilation->plan->step_count == 2);

    EXPECT(runs_right(compilation));
    EXPECT_INT(npu.runs, 1);
    EXPECT_INT(cpu.runs, 1);
    EXPECT_INT(npu.request_kinds, 1u << HY_POOL_ASHMEM);
    EXPECT_INT(cpu.request_kinds, HOST | 1u << HY_POOL_ASHMEM); /* the output is not for the npu */
    EXPECT_INT(compilation->copied_bytes, WIDE_BYTES);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, plan_without_the_device_copies_nothing)
{
    struct fake_device *const both[] = {&npu, &cpu};
    init_devices(DUTIES, FAKE_MUL);
    struct hy_compilation *compilation = compiled(weighted_model(), true, both, 2);
    REQUIRE(compilation);

    EXPECT(runs_right(compilation));
    EXPECT_INT(cpu.request_kinds, HOST);
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, tensors_of_unknown_size_are_for_devices_that_take_addresses)
{
    struct fake_device *const both[] = {&npu, &cpu};
    for (unsigned supports = 0; supports < 2; supports++) {
        init_devices(supports ? DUTIES | HOST : DUTIES, FAKE_ALL);
        struct hy_compilation *compilation = compiled(dynamic_model(0, 0, 0), true, both, 2);
        REQUIRE(compilation);
        EXPECT(compilation->plan->steps[0].device == (supports ? &npu.device : &cpu.device));
        EXPECT(compilation->plan->steps[1].device == (supports ? &npu.device : &cpu.device));
        hy_compilation_release(compilation);
    }
}

/* ---- Constants ------------------------------------------------------------------------------- */

TEST(pool_kinds, constants_are_shared_once_for_all_compilations)
{
    struct fake_device *const one[] = {&npu};
    init_devices(DUTIES, FAKE_ALL);
    struct hy_app_model *model = weighted_model();
    REQUIRE(model);
    struct hy_compilation *first = compiled(hy_app_model_retain(model), false, one, 1);
    const struct hy_pool pool = npu.last_pools[0];
    struct hy_compilation *second = compiled(model, false, one, 1);
    REQUIRE(first && second);

    EXPECT_INT(pool.kind, HY_POOL_MMAP_FD);
    EXPECT_INT(pool.size, WIDE_BYTES);
    EXPECT_INT(pool.protection, HY_PROTECT_READ);
    EXPECT(pool.address == npu.last_pools[0].address && pool.address != weights);
    EXPECT(runs_right(first) && runs_right(second));
    hy_compilation_release(first);
    hy_compilation_release(second);
}

struct compile_part {
    struct hy_app_model *model;
    bool is_right;
};

static void compile_and_run(void *argument)
{
    struct compile_part *part = argument;
    const struct hy_runtime_device *device = &npu.device;
    struct hy_compilation *compilation = NULL;

    part->is_right =
        hy_compilation_create(part->model, &device, 1, true, &compilation, NULL) == HY_OK &&
        hy_compilation_finish(compilation, NULL) == HY_OK && runs_right(compilation);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, threads_share_the_constants_of_a_model)
{
    enum { THREADS = 4 };
    struct compile_part parts[THREADS];
    init_devices(DUTIES, FAKE_ALL);
    npu.device.table = &fake_parallel_table;
    struct hy_app_model *model = weighted_model();
    REQUIRE(model);

    for (unsigned i = 0; i < THREADS; i++)
        parts[i] = (struct compile_part){.model = model};
    REQUIRE(hy_threads_run(THREADS, compile_and_run, parts, sizeof parts[0]));
    for (unsigned i = 0; i < THREADS; i++)
        EXPECT(parts[i].is_right);
    hy_app_model_release(model);
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* An image of floats, a row of them. */
static struct hy_memory *image_memory(const float *values)
{
    const struct hy_image image = {.width = IMAGE_WIDTH,
                                   .height = 1,
                                   .layers = 1,
                                   .format = AHARDWAREBUFFER_FORMAT_D32_FLOAT,
                                   .stride = IMAGE_WIDTH};
    const struct hy_memory_source source = {.kind = HY_POOL_HARDWARE_BUFFER,
                                            .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                            .fd = shared_file(IMAGE_WIDTH * sizeof(float)),
                                            .bytes = IMAGE_WIDTH * sizeof(float),
                                            .image = &image};
    struct hy_memory *memory = NULL;

    if (hy_memory_from_source(&source, &memory, NULL) == HY_OK)
        memcpy(hy_memory_pool(memory)->address, values, EXTENT * sizeof *values);
    close(source.fd);
    return memory;
}

/* The memory of an image, as somebody says it is; the words of the refusal. */
static enum hy_code make_image(uint32_t height, uint64_t bytes, struct hy_error *err)
{
    const struct hy_image image = {.width = IMAGE_WIDTH,
                                   .height = height,
                                   .layers = 1,
                                   .format = AHARDWAREBUFFER_FORMAT_D32_FLOAT,
                                   .stride = IMAGE_WIDTH};
    const struct hy_memory_source source = {.kind = HY_POOL_HARDWARE_BUFFER,
                                            .protection = HY_PROTECT_READ,
                                            .fd = shared_file(IMAGE_WIDTH * sizeof(float)),
                                            .bytes = bytes,
                                            .image = &image};
    struct hy_memory *memory = NULL;

    const enum hy_code code = hy_memory_from_source(&source, &memory, err);
    hy_memory_release(memory);
    close(source.fd);
    return code;
}

TEST(pool_kinds, image_that_needs_more_than_its_memory_becomes_no_memory)
{
    const uint64_t row = IMAGE_WIDTH * sizeof(float);
    struct hy_error err = {0};

    EXPECT_INT(make_image(1, row, &err), HY_OK);
    EXPECT_INT(make_image(2, row, &err), HY_UNMAPPABLE); /* more than somebody says */
    EXPECT_CONTAINS(err.text, "in a pool of");
    EXPECT_INT(make_image(2, 2 * row, &err), HY_UNMAPPABLE); /* more than the file has */
    EXPECT_CONTAINS(err.text, "is outside");
    EXPECT_INT(make_image(0, row, &err), HY_UNMAPPABLE);
    EXPECT_CONTAINS(err.text, "are empty");
}

/* RELU of an image. */
static enum hy_code run_image(struct hy_compilation *compilation, float *output,
                              struct hy_error *err)
{
    static const float values[EXTENT] = {1, -2, 3, -4};
    struct hy_memory *image = image_memory(values);
    struct hy_execution *execution = NULL;
    const struct hy_argument_source from = {.memory = image};
    const struct hy_argument_source to = {.buffer = output, .length = EXTENT * sizeof *output};

    enum hy_code code = hy_execution_create(compilation, &execution, err);
    if (code == HY_OK)
        code = hy_execution_set(execution, false, 0, NULL, &from, err);
    if (code == HY_OK)
        code = hy_execution_set(execution, true, 0, NULL, &to, err);
    if (code == HY_OK)
        code = compute(execution, err);
    hy_execution_release(execution);
    hy_memory_release(image);
    return code;
}

static struct hy_app_model *relu_model(void)
{
    struct fixture f = fixture_relu();
    if (f.model && finish(&f) != HY_OK)
        fixture_free(&f);
    return f.model;
}

TEST(pool_kinds, device_that_takes_images_gets_them)
{
    struct fake_device *const one[] = {&npu};
    float output[EXTENT] = {0};
    init_devices(DUTIES | HOST | IMAGE, FAKE_ALL);
    struct hy_compilation *compilation = compiled(relu_model(), false, one, 1);
    REQUIRE(compilation);

    EXPECT_INT(run_image(compilation, output, NULL), HY_OK);
    EXPECT_INT(npu.request_kinds, HOST | IMAGE);
    EXPECT_INT((int)output[2], 3);
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, image_that_no_device_takes_fails_the_execution_without_asking)
{
    struct fake_device *const one[] = {&npu};
    struct hy_error err = {0};
    float output[EXTENT] = {0};
    init_devices(0, FAKE_ALL);
    struct hy_compilation *compilation = compiled(relu_model(), false, one, 1);
    REQUIRE(compilation);

    EXPECT_INT(run_image(compilation, output, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "acme-npu does not support images");
    EXPECT_INT(npu.runs, 0);
    hy_compilation_release(compilation);
}

TEST(pool_kinds, device_that_takes_an_image_stands_in_and_nobody_is_blamed)
{
    struct fake_device *const both[] = {&npu, &cpu};
    struct hy_health health = {0};
    float output[EXTENT] = {0};
    init_devices(0, FAKE_ALL);
    npu.device.health = &health;
    struct hy_compilation *compilation = compiled(relu_model(), false, both, 2);
    REQUIRE(compilation && compilation->plan->steps[0].device == &npu.device);

    for (unsigned i = 0; i < 5; i++)
        EXPECT_INT(run_image(compilation, output, NULL), HY_OK);
    EXPECT_INT((int)output[2], 3);
    EXPECT_INT(npu.runs, 0);
    EXPECT_INT(cpu.runs, 5);
    EXPECT_INT(hy_health_failures(&health), 0);
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_compilation_release(compilation);
}

/* ---- Stand-ins ------------------------------------------------------------------------------- */

TEST(pool_kinds, fallback_step_without_addresses_works_on_copies)
{
    struct fake_device other;
    struct fake_device *const both[] = {&npu, &other};
    init_devices(DUTIES | HOST, FAKE_ALL);
    fake_device_init(&other, "acme-other", HALYARD_DEVICE_IN_PROCESS, 2, FAKE_ALL);
    other.device.info.pool_kinds = DUTIES;
    struct hy_compilation *compilation = compiled(weighted_model(), true, both, 2);
    REQUIRE(compilation && compilation->plan->step_count == 2);

    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT(runs_right(compilation));
    EXPECT_INT(other.runs, 2);
    EXPECT_INT(other.request_kinds, 1u << HY_POOL_ASHMEM);
    EXPECT_INT(other.model_kinds, 1u << HY_POOL_MMAP_FD);
    EXPECT_INT(compilation->copied_bytes, 4 * WIDE_BYTES);
    npu.execute_status = HY_STATUS_OK;
    EXPECT(runs_right(compilation));
    EXPECT_INT(compilation->copied_bytes, 4 * WIDE_BYTES);
    hy_compilation_release(compilation);
}
