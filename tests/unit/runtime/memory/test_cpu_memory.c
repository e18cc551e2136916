/* Memory of halyard-cpu itself in plans over several devices. */
#include "runtime/compile/compile.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/domain_fixture.h"
#include "tests/unit/runtime/kit/partial_device.h"

static const float input[EXTENT] = {1, -2, 3.25f, 0};
static const float result[EXTENT] = {3, 0, 10, 0}; /* of chain_model */

/* Cheaper than halyard-cpu, and without memory of its own. */
static struct partial_device npu;

static struct hy_compilation *compiled(struct hy_app_model *model, uint32_t count,
                                       const int32_t *operations)
{
    struct hy_compilation *compilation = NULL;

    partial_device_init(&npu, "acme-npu", .001f, count, operations);
    const struct hy_runtime_device *const devices[] = {&npu.device, real_cpu()};
    if (!model || hy_compilation_create(model, devices, 2, true, &compilation, NULL) != HY_OK ||
        hy_compilation_finish(compilation, NULL) != HY_OK) {
        hy_compilation_release(compilation);
        compilation = NULL;
    }
    hy_app_model_release(model);
    return compilation;
}

static uint32_t kind_of(const struct hy_memory *memory)
{
    return memory ? hy_memory_pool(memory)->kind : 0;
}

TEST(cpu_memory, the_step_on_halyard_cpu_has_its_memory)
{
    static const int32_t first[] = {ANEURALNETWORKS_RELU, ANEURALNETWORKS_MUL};
    static const int32_t last[] = {ANEURALNETWORKS_ADD, ANEURALNETWORKS_FLOOR};

    for (unsigned i = 0; i < 2; i++) {
        struct hy_compilation *compilation = compiled(chain_model(), 2, i ? last : first);
        REQUIRE(compilation && compilation->plan->step_count == 2);
        struct hy_memory *in = one_role(compilation, false, 0);
        struct hy_memory *out = one_role(compilation, true, 0);
        EXPECT_INT(kind_of(in), i ? HY_POOL_BUFFER : HY_POOL_ASHMEM);
        EXPECT_INT(kind_of(out), i ? HY_POOL_ASHMEM : HY_POOL_BUFFER);
        for (unsigned round = 0; round < 3; round++) {
            EXPECT_INT(fill(in, EXTENT, input), HY_OK);
            EXPECT_INT(run_on(compilation, in, 0, out, 0, NULL), HY_OK);
            EXPECT(holds(out, EXTENT, result));
        }
        EXPECT_INT(compilation->copied_bytes, 0);
        hy_memory_release(in);
        hy_memory_release(out);
        hy_compilation_release(compilation);
        EXPECT_INT(npu.prepared, 0);
    }
}

/* Output 0, of halyard-cpu, is read by the other device: memory that both can reach. */
TEST(cpu_memory, output_that_another_device_reads_is_shared)
{
    static const int32_t floor[] = {ANEURALNETWORKS_FLOOR};
    struct hy_compilation *compilation = compiled(shared_output_model(), 1, floor);
    struct hy_error err = {0};

    REQUIRE(compilation && compilation->plan->step_count == 2);
    const struct role role = {compilation, true, 0};
    EXPECT(!domain_memory(&role, 1, 0, &err)); /* the app has named the devices */
    EXPECT_CONTAINS(err.text, "several devices");
    struct hy_memory *in = one_role(compilation, false, 0);
    EXPECT_INT(kind_of(in), HY_POOL_BUFFER);
    hy_memory_release(in);
    hy_compilation_release(compilation);
}

/* The device fails, halyard-cpu does its step as well: the memory stays where it is. */
TEST(cpu_memory, memory_stays_where_it_is_when_another_device_fails)
{
    static const int32_t first[] = {ANEURALNETWORKS_RELU, ANEURALNETWORKS_MUL};
    struct hy_compilation *compilation = compiled(chain_model(), 2, first);

    REQUIRE(compilation && compilation->plan->step_count == 2);
    struct hy_memory *in = file_memory(EXTENT, input), *out = one_role(compilation, true, 0);
    struct hy_execution *execution = NULL;
    const struct hy_argument_source source = {.memory = in, .length = EXTENT * sizeof *input};
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(hy_execution_create(compilation, &execution, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &source, NULL), HY_OK);
    EXPECT_INT(set_whole(execution, true, 0, 0, out, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(holds(out, EXTENT, result));
    EXPECT_INT(compilation->copied_bytes, 0);
    hy_execution_release(execution);
    hy_memory_release(in);
    hy_memory_release(out);
    hy_compilation_release(compilation);
}
