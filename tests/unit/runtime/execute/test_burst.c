/* Bursts on a fake device that has them, beside one that has none. */
#include "runtime/execute/execution_burst.h"
#include "runtime/memory/memory_object.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

/* The npu's bursts: its ordinary execution, counted. */
static struct {
    struct hy_device table;
    const struct hy_device *plain;
    int32_t open_status;
    atomic_uint open, executed;
    uint64_t released;
} npu_bursts;

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

static int32_t burst_open(void *prepared, void **burst)
{
    if (npu_bursts.open_status != HY_STATUS_OK)
        return npu_bursts.open_status;
    npu_bursts.open++;
    *burst = prepared;
    return HY_STATUS_OK;
}

static int32_t burst_execute(void *burst, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    npu_bursts.executed++;
    return npu_bursts.plain->execute(burst, request, options, result);
}

static void burst_release(void *burst, uint64_t pool_id)
{
    (void)burst;
    npu_bursts.released = pool_id;
}

static void burst_close(void *burst)
{
    (void)burst;
    npu_bursts.open--;
}

/* A compilation of two steps: RELU on the npu, the rest on the CPU. */
static struct hy_compilation *compile_chain(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    memset(&npu_bursts, 0, sizeof npu_bursts);
    npu_bursts.plain = npu.device.table;
    npu_bursts.table = *npu.device.table;
    npu_bursts.table.struct_size = sizeof npu_bursts.table;
    npu_bursts.table.burst_open = burst_open;
    npu_bursts.table.burst_execute = burst_execute;
    npu_bursts.table.burst_release = burst_release;
    npu_bursts.table.burst_close = burst_close;
    npu.device.table = &npu_bursts.table;
    return compile(chain_model(), both, 2, false, NULL);
}

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};

static void expect_chain(const float *output)
{
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(output[i] == chain_result(input[i]));
}

TEST(burst, goes_through_the_drivers_burst_where_there_is_one)
{
    float output[EXTENT] = {0};
    struct hy_burst *burst = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation && hy_burst_create(compilation, &burst, NULL) == HY_OK);
    EXPECT_INT(npu_bursts.open, 1);

    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    execution->reusable = true;
    for (int i = 0; i < 3; i++)
        EXPECT_INT(hy_burst_compute(burst, execution, NULL), HY_OK);
    EXPECT_INT(npu_bursts.executed, 3);
    expect_chain(output);

    hy_execution_release(execution);
    hy_compilation_release(compilation); /* the burst keeps it */
    hy_burst_destroy(burst);
    EXPECT_INT(npu_bursts.open, 0);
    EXPECT_INT(npu.prepared + cpu.prepared, 0);
}

TEST(burst, a_driver_that_opens_none_runs_the_ordinary_way)
{
    float output[EXTENT] = {0};
    struct hy_burst *burst = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    npu_bursts.open_status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    EXPECT_INT(hy_burst_create(compilation, &burst, NULL), HY_OK);

    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(burst && execution);
    EXPECT_INT(hy_burst_compute(burst, execution, NULL), HY_OK);
    EXPECT_INT(npu_bursts.executed, 0);
    expect_chain(output);
    hy_execution_release(execution);
    hy_burst_destroy(burst);
    hy_compilation_release(compilation);
}

TEST(burst, the_driver_is_told_when_memory_dies)
{
    struct hy_burst *burst = NULL;
    struct hy_memory *memory = NULL;
    struct hy_compilation *compilation = compile_chain();
    int fd = memfd_create("test", MFD_CLOEXEC);
    REQUIRE(compilation && hy_burst_create(compilation, &burst, NULL) == HY_OK);
    REQUIRE(fd >= 0 && ftruncate(fd, 4096) == 0);
    REQUIRE(hy_memory_from_fd(4096, PROT_READ, fd, 0, &memory, NULL) == HY_OK);
    uint64_t id = hy_memory_pool(memory)->id;

    hy_memory_retain(memory);
    hy_memory_release(memory);
    EXPECT_INT(npu_bursts.released, 0);
    hy_memory_release(memory);
    EXPECT_INT(npu_bursts.released, id);

    close(fd);
    hy_burst_destroy(burst);
    hy_compilation_release(compilation);
}
