/* What a driver in a process of its own is given to hold, and what it cannot do to it. */
#include "runtime/compile/compile.h"
#include "runtime/execute/binding.h"
#include "runtime/memory/seals.h"
#include "runtime/model/shared_pools.h"
#include "runtime/plan/trust.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 8192, WIDE = 64, WIDE_BYTES = WIDE * sizeof(float) };
#define OF_SIZE     (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define OF_CONTENTS (OF_SIZE | F_SEAL_FUTURE_WRITE)
#define DUTIES      (1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD | 1u << HY_POOL_HARDWARE_BUFFER_BLOB)

static int seals_of(const struct hy_pool *pool)
{
    return fcntl(pool->fd, F_GET_SEALS);
}

static int open_again(int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

static void expect_size_sealed(int fd)
{
    EXPECT(ftruncate(fd, SIZE / 2) != 0 && errno == EPERM);
    EXPECT(ftruncate(fd, 2 * SIZE) != 0 && errno == EPERM);
    EXPECT(fallocate(fd, 0, SIZE, SIZE) != 0);
    EXPECT(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EPERM);
}

/* ---- Memory of our own ----------------------------------------------------------------------- */

TEST(seals, size_of_memory_that_drivers_write_cannot_change)
{
    struct hy_memory *memory = NULL;
    REQUIRE(hy_memory_from_domain(NULL, SIZE, &memory, NULL) == HY_OK);
    const struct hy_pool *pool = hy_memory_pool(memory);
    const int again = open_again(pool->fd, O_RDWR);

    EXPECT_INT(seals_of(pool), OF_SIZE);
    EXPECT_INT(hy_memory_seals(memory), HY_SEALS_SIZE);
    EXPECT_INT(pool->protection, HY_PROTECT_READ | HY_PROTECT_WRITE);
    expect_size_sealed(pool->fd);
    expect_size_sealed(again);
    EXPECT_INT(pwrite(again, "x", 1, 0), 1);
    close(again);
    hy_memory_release(memory);
}

TEST(seals, memory_that_drivers_read_is_written_by_the_first_mapping_alone)
{
    struct hy_memory *memory = NULL;
    REQUIRE(hy_memory_to_read(SIZE, &memory, NULL) == HY_OK);
    const struct hy_pool *pool = hy_memory_pool(memory);
    char *own = pool->address;
    const int again = open_again(pool->fd, O_RDWR);
    REQUIRE(again >= 0);

    EXPECT_INT(seals_of(pool), OF_CONTENTS);
    EXPECT_INT(hy_memory_seals(memory), HY_SEALS_SIZE | HY_SEALS_CONTENTS);
    EXPECT_INT(pool->protection, HY_PROTECT_READ);
    const int fds[] = {pool->fd, again};
    for (int i = 0; i < 2; i++) {
        own[0] = (char)('a' + i);
        expect_size_sealed(fds[i]);
        EXPECT(pwrite(fds[i], "x", 1, 0) < 0 && errno == EPERM);
        EXPECT(write(fds[i], "x", 1) < 0 && errno == EPERM);
        EXPECT(fallocate(fds[i], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SIZE) != 0);
        EXPECT(fallocate(fds[i], FALLOC_FL_ZERO_RANGE, 0, SIZE) != 0);
        EXPECT(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0) == MAP_FAILED);
        char *others = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fds[i], 0);
        REQUIRE(others != (char *)MAP_FAILED);
        EXPECT(mprotect(others, SIZE, PROT_READ | PROT_WRITE) != 0);
        EXPECT(madvise(others, SIZE, MADV_REMOVE) != 0);
        EXPECT_INT(others[0], 'a' + i);
        munmap(others, SIZE);
    }
    close(again);
    hy_memory_release(memory);
}

/* ---- Memory of the app ----------------------------------------------------------------------- */

static void expect_seals(int fd, unsigned seals)
{
    EXPECT_INT(hy_seals_of(fd), seals);
    close(fd);
}

static int sealed_file(int seals)
{
    const int fd = shared_file(SIZE);

    EXPECT_INT(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

TEST(seals, memory_of_the_app_is_as_safe_as_its_seals_make_it)
{
    expect_seals(shared_file(SIZE), 0);
    expect_seals(sealed_file(F_SEAL_SHRINK), HY_SEALS_SIZE);
    expect_seals(sealed_file(F_SEAL_FUTURE_WRITE), 0);
    expect_seals(sealed_file(F_SEAL_SHRINK | F_SEAL_WRITE), HY_SEALS_SIZE | HY_SEALS_CONTENTS);
    expect_seals(sealed_file(F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE),
                 HY_SEALS_SIZE | HY_SEALS_CONTENTS);
    EXPECT_INT(hy_seals_of(-1), 0);
}

TEST(seals, descriptor_that_reads_protects_a_file_and_no_memfd)
{
    char path[] = "/tmp/halyard-seals-XXXXXX";
    const int file = mkstemp(path), memfd = shared_file(SIZE);
    REQUIRE(file >= 0 && memfd >= 0);

    expect_seals(open(path, O_RDONLY), HY_SEALS_SIZE | HY_SEALS_CONTENTS);
    expect_seals(open_again(memfd, O_RDONLY), 0);
    unlink(path);
    expect_seals(file, 0);
    close(memfd);
}

/* ---- Constants ------------------------------------------------------------------------------- */

static struct fake_device npu, other, cpu;

static struct hy_device table;
static int32_t (*prepare_fake)(void *device, const struct hy_model *model,
                               const struct hy_prepare_options *options, void **prepared);

/* From here on the device is in a process of its own, as far as the runtime looks: to be asked what
 * it supports it would have to be one. */
static int32_t prepare_service(void *self, const struct hy_model *model,
                               const struct hy_prepare_options *options, void **prepared)
{
    struct fake_device *fake = self;

    fake->device.service = self;
    return prepare_fake(self, model, options, prepared);
}

static void init_service(struct fake_device *fake, const char *name, uint32_t operations)
{
    fake_device_init(fake, name, HALYARD_DEVICE_SERVICE, .1f, operations);
    fake->device.info.pool_kinds = DUTIES;
    prepare_fake = fake->device.table->prepare;
    table = *fake->device.table;
    table.prepare = prepare_service;
    fake->device.table = &table;
}

static void init_devices(uint32_t npu_operations, uint32_t other_operations)
{
    init_service(&npu, "acme-npu", npu_operations);
    init_service(&other, "acme-other", other_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

/* y = x + w, whose weights lie in the memory. */
static struct hy_app_model *weighted_model(struct hy_memory *memory)
{
    struct fixture f = fixture_create();
    const uint32_t x = floats(&f, WIDE), w = floats(&f, WIDE), y = floats(&f, WIDE);
    const uint32_t none = constant(&f, 0);
    const bool ok =
        hy_app_model_set_value_from_memory(f.model, w, memory, 0, WIDE_BYTES, &f.err) == HY_OK &&
        add_op(&f, x, w, none, y) == HY_OK && identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;

    if (!ok)
        fixture_free(&f);
    return f.model;
}

static struct hy_memory *memory_of(int fd, int protection)
{
    struct hy_memory *memory = NULL;

    if (hy_memory_from_fd(WIDE_BYTES, protection, fd, 0, &memory, NULL) != HY_OK)
        memory = NULL;
    close(fd);
    return memory;
}

/* The pool with the constants of the model that a device is shown. */
static struct hy_pool constants_of(struct hy_app_model *model, struct fake_device *device)
{
    const struct hy_runtime_device *const list[] = {&device->device};
    const struct hy_model *view = hy_app_model_view(model);
    const struct hy_pool *shared = NULL;
    struct hy_model copy;

    EXPECT_INT(hy_app_model_make_shared_pools(model, list, 1, &shared, NULL), HY_OK);
    return hy_shared_pools_show(view, shared, &device->device, &copy)->pools[0];
}

/* Takes the memory over. */
static struct hy_app_model *model_over(struct hy_memory *memory)
{
    struct hy_app_model *model = memory ? weighted_model(memory) : NULL;

    hy_memory_release(memory);
    init_devices(FAKE_ALL, 0);
    npu.device.service = (struct hy_service *)(void *)&npu;
    return model;
}

TEST(seals, constants_of_a_service_are_a_sealed_copy)
{
    struct hy_memory *memory = memory_of(shared_file(WIDE_BYTES), PROT_READ | PROT_WRITE);
    REQUIRE(memory);
    float *values = hy_memory_pool(memory)->address; /* the model keeps it */
    values[3] = 7;
    struct hy_app_model *model = model_over(memory);
    REQUIRE(model);
    const struct hy_pool pool = constants_of(model, &npu), again = constants_of(model, &npu);

    EXPECT_INT(seals_of(&pool), OF_CONTENTS);
    EXPECT_INT(pool.protection, HY_PROTECT_READ);
    EXPECT_INT(pool.id, 0);
    EXPECT_INT(pool.size, WIDE_BYTES);
    EXPECT(pool.address != values && ((float *)pool.address)[3] == 7);
    EXPECT_INT(again.fd, pool.fd);
    EXPECT(constants_of(model, &cpu).address == values);
    hy_app_model_release(model);
}

TEST(seals, constants_that_nobody_can_change_stay_where_they_are)
{
    const int fd = shared_file(WIDE_BYTES);
    REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE) == 0);
    struct hy_memory *memory = memory_of(fd, PROT_READ);
    REQUIRE(memory);
    const void *address = hy_memory_pool(memory)->address;
    struct hy_app_model *model = model_over(memory);
    REQUIRE(model);
    const struct hy_pool pool = constants_of(model, &npu);

    EXPECT(pool.address == address);
    EXPECT_INT(pool.protection, HY_PROTECT_READ);
    EXPECT_INT(pool.id, 0);
    hy_app_model_release(model);
}

TEST(seals, constants_in_a_file_that_has_become_shorter_are_an_error)
{
    const int fd = shared_file(WIDE_BYTES), duplicate = dup(fd);
    struct hy_app_model *model = model_over(memory_of(fd, PROT_READ));
    const struct hy_runtime_device *const list[] = {&npu.device};
    const struct hy_pool *shared = NULL;
    struct hy_error err = {0};
    REQUIRE(model && ftruncate(duplicate, 0) == 0);

    EXPECT_INT(hy_app_model_make_shared_pools(model, list, 1, &shared, &err), HY_UNMAPPABLE);
    EXPECT_CONTAINS(err.text, "was truncated");
    EXPECT(!shared);
    close(duplicate);
    hy_app_model_release(model);
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Whether some step of another domain has the same file as a writable pool. */
static bool is_written_by_others(const struct hy_execution *execution, uint32_t step,
                                 const struct hy_pool *pool)
{
    const struct hy_plan *plan = execution->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_bound_step *bound = &execution->binding->steps[i];
        for (uint32_t k = 0; k < bound->request.pool_count; k++) {
            const struct hy_pool *its = &bound->pools[k];
            if (plan->steps[i].domain != plan->steps[step].domain && plan->steps[i].domain != 0 &&
                its->fd >= 0 && its->fd == pool->fd && its->protection & HY_PROTECT_WRITE)
                return true;
        }
    }
    return false;
}

/* What services get is sealed, and what they read they cannot write. */
static void expect_sealed(const struct hy_execution *execution, uint32_t step)
{
    const struct hy_bound_step *bound = &execution->binding->steps[step];

    for (uint32_t i = 0; i < bound->request.input_count; i++) {
        const struct hy_pool *pool = &bound->pools[bound->arguments[i].location.pool];
        const bool is_own = pool->protection & HY_PROTECT_WRITE; /* it has written it before */
        EXPECT_INT(seals_of(pool), is_own ? OF_SIZE : OF_CONTENTS);
        EXPECT(!is_written_by_others(execution, step, pool));
    }
    for (uint32_t i = 0; i < bound->request.output_count; i++) {
        const struct hy_pool *pool =
            &bound->pools[bound->arguments[bound->request.input_count + i].location.pool];
        EXPECT_INT(seals_of(pool), OF_SIZE);
        EXPECT(!is_written_by_others(execution, step, pool));
    }
}

static struct hy_compilation *compile_split(struct hy_app_model *model)
{
    struct fake_device *const all[] = {&npu, &other, &cpu};
    struct hy_compilation *compilation = compile_start(model, all, 3, true);

    if (!compilation)
        return NULL;
    compilation->split_operations = true;
    if (hy_compilation_finish(compilation, NULL) == HY_OK)
        return compilation;
    hy_compilation_release(compilation);
    return NULL;
}

static void run_chain(const struct hy_argument_source *from, const struct hy_argument_source *to,
                      const float *input, const float *output, bool expects_seals)
{
    struct hy_compilation *compilation = compile_split(chain_model());
    struct hy_execution *execution = NULL;
    REQUIRE(compilation && compilation->plan->step_count == 4);
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);

    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, from, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, to, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    for (unsigned i = 0; i < EXTENT; i++)
        EXPECT(output[i] == chain_result(input[i]));
    for (uint32_t i = 0; i < 4 && expects_seals; i++) {
        if (compilation->plan->steps[i].domain != 0)
            expect_sealed(execution, i);
    }
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* RELU, MUL, ADD and FLOOR go over two services and this process, each pair by turns. */
TEST(seals, services_share_no_memory_that_one_of_them_writes)
{
    static const uint32_t splits[][2] = {{FAKE_RELU | FAKE_ADD, FAKE_MUL | FAKE_FLOOR},
                                         {FAKE_RELU, FAKE_MUL},
                                         {FAKE_MUL, FAKE_FLOOR},
                                         {FAKE_MUL, FAKE_ADD},
                                         {FAKE_ADD, FAKE_RELU},
                                         {FAKE_ALL, 0}};
    float input[EXTENT] = {1, -2, 3.25f, 4}, output[EXTENT];
    const struct hy_argument_source from = {.buffer = input, .length = sizeof input};
    const struct hy_argument_source to = {.buffer = output, .length = sizeof output};

    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        init_devices(splits[i][0], splits[i][1]);
        run_chain(&from, &to, input, output, true);
    }
}

TEST(seals, memory_of_the_app_that_is_used_elsewhere_too_is_kept_from_services)
{
    float input[EXTENT] = {1, -2, 3.25f, 4};
    struct hy_memory *memory = memory_of(shared_file(WIDE_BYTES), PROT_READ | PROT_WRITE);
    REQUIRE(memory);
    float *values = hy_memory_pool(memory)->address;
    const struct hy_argument_source from = {.memory = memory, .length = sizeof input};
    const struct hy_argument_source to = {
        .memory = memory, .offset = sizeof input, .length = sizeof input};

    memcpy(values, input, sizeof input);
    init_devices(FAKE_RELU, FAKE_FLOOR);
    run_chain(&from, &to, input, values + EXTENT, true);
    init_devices(FAKE_ALL, 0); /* the only one */
    run_chain(&from, &to, input, values + EXTENT, false);
    hy_memory_release(memory);
}

TEST(seals, memory_of_the_app_that_is_to_be_read_is_copied_for_services)
{
    float input[EXTENT] = {1, -2, 3.25f, 4}, output[EXTENT];
    const int fd = shared_file(WIDE_BYTES);
    EXPECT_INT(pwrite(fd, input, sizeof input, 0), sizeof input);
    struct hy_memory *memory = memory_of(fd, PROT_READ);
    const struct hy_argument_source from = {.memory = memory, .length = sizeof input};
    const struct hy_argument_source to = {.buffer = output, .length = sizeof output};
    REQUIRE(memory);

    init_devices(FAKE_ALL, 0);
    run_chain(&from, &to, input, output, true);
    hy_memory_release(memory);
}
