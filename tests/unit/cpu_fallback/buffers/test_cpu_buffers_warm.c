/* What executions with memory of halyard-cpu ask of the allocator: nothing, except for memory that
 * grows. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <android/NeuralNetworks.h>

static unsigned long allocations_of_run(struct hy_runner *runner, void *reusable)
{
    const unsigned long before = hy_allocation_count();
    const int32_t status =
        reusable ? hy_runner_execute_reused(runner, reusable) : hy_runner_execute(runner);
    const unsigned long made = hy_allocation_count() - before;

    EXPECT_INT(status, HY_STATUS_OK);
    return made;
}

TEST(cpu_buffers_warm, executions_with_buffers_allocate_nothing)
{
    struct workshop workshop;
    struct plain plain = {.in = {{1, 2, 3, 4}, {1, 2, 3, 4}}};

    for (uint32_t form = 0; form < 2; form++) {
        workshop_open(&workshop, form ? EXTENT : 0);
        struct buffer in = buffer_of_all(&workshop), out = buffer_of_all(&workshop);
        void *reusable = NULL;
        EXPECT_INT(buffer_write(&in, plain.in[0], EXTENT), HY_STATUS_OK);
        workshop_request(&workshop, &plain, EXTENT);
        workshop_use(&workshop, false, 0, in.token);
        workshop_use(&workshop, true, 0, out.token);
        (void)allocations_of_run(&workshop.runner, NULL); /* a context, and what grows */
        for (uint32_t i = 0; i < 10; i++)
            EXPECT_INT(allocations_of_run(&workshop.runner, NULL), 0);
        REQUIRE(hy_runner_reuse(&workshop.runner, &reusable) == HY_STATUS_OK);
        for (uint32_t i = 0; i < 10; i++)
            EXPECT_INT(allocations_of_run(&workshop.runner, reusable), 0);
        workshop.runner.table->reusable_destroy(reusable);
        buffer_destroy(&in);
        buffer_destroy(&out);
        workshop_close(&workshop);
    }
}

TEST(cpu_buffers_warm, memory_is_allocated_as_long_as_it_grows)
{
    struct workshop workshop;
    struct plain plain = {0};
    uint32_t capacity = 0;

    workshop_open(&workshop, 0);
    struct buffer out = buffer_of_all(&workshop);
    for (uint32_t extent = EXTENT * 4; extent > 0; extent--) { /* a plan for each */
        workshop_request(&workshop, &plain, extent);
        (void)allocations_of_run(&workshop.runner, NULL);
    }
    for (uint32_t extent = 1; extent <= EXTENT * 4; extent++) {
        workshop_request(&workshop, &plain, extent);
        workshop_use(&workshop, true, 0, out.token);
        const bool is_too_small = extent > capacity;
        capacity = is_too_small ? (extent > 2 * capacity ? extent : 2 * capacity) : capacity;
        EXPECT_INT(allocations_of_run(&workshop.runner, NULL), is_too_small);
    }
    for (uint32_t extent = EXTENT * 4; extent > 0; extent--) {
        workshop_request(&workshop, &plain, extent);
        workshop_use(&workshop, true, 0, out.token);
        EXPECT_INT(allocations_of_run(&workshop.runner, NULL), 0);
    }
    buffer_destroy(&out);
    workshop_close(&workshop);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static bool is_out_of_memory(int32_t status)
{
    return status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* Makes a buffer, fills it, and writes it in an execution; what fails first. */
static int32_t use_one(struct workshop *workshop, struct plain *plain, uint32_t extent)
{
    const struct hy_buffer_role roles[] = {{0, 0, 0, 1}, {0, 1, 0, 1}};
    struct buffer buffer;

    int32_t status = buffer_make(workshop, workshop->runner.prepared, roles, 2, 0, NULL, &buffer);
    if (status == HY_STATUS_OK)
        status = buffer_write(&buffer, plain->in[0], extent);
    workshop_request(workshop, plain, extent);
    workshop_use(workshop, true, 0, buffer.token);
    if (status == HY_STATUS_OK)
        status = hy_runner_execute(&workshop->runner);
    if (status == HY_STATUS_OK)
        status = buffer_read(&buffer, plain->out[0], extent);
    buffer_destroy(&buffer);
    return status;
}

TEST(cpu_buffers_warm, every_allocation_may_fail)
{
    struct workshop workshop;
    struct plain plain = {0};

    for (uint32_t form = 0; form < 2; form++) {
        int32_t status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
        workshop_open(&workshop, form ? EXTENT : 0);
        uint32_t failures = 0;
        for (; is_out_of_memory(status); failures++) {
            hy_allocation_fail_at(hy_allocation_count() + failures + 1);
            status = use_one(&workshop, &plain, EXTENT);
            hy_allocation_fail_at(0);
        }
        EXPECT_INT(status, HY_STATUS_OK);
        EXPECT(failures > 2);
        EXPECT_INT(use_one(&workshop, &plain, EXTENT), HY_STATUS_OK);
        workshop_close(&workshop);
    }
}

TEST(cpu_buffers_warm, execution_that_finds_no_memory_leaves_nothing)
{
    struct workshop workshop;
    struct plain plain = {.in = {{1, 2, 3, 4}, {1, 2, 3, 4}}};
    float held[EXTENT];

    workshop_open(&workshop, 0);
    struct buffer out = buffer_of_all(&workshop);
    EXPECT_INT(buffer_write(&out, plain.in[0], 1), HY_STATUS_OK);
    workshop_request(&workshop, &plain, EXTENT);
    (void)allocations_of_run(&workshop.runner, NULL);
    workshop_use(&workshop, true, 0, out.token);
    hy_allocation_fail_at(hy_allocation_count() + 1);
    EXPECT(is_out_of_memory(hy_runner_execute(&workshop.runner)));
    hy_allocation_fail_at(0);
    EXPECT_INT(buffer_read(&out, held, 1), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(hy_runner_execute(&workshop.runner), HY_STATUS_OK);
    EXPECT_INT(buffer_read(&out, held, EXTENT), HY_STATUS_OK);
    buffer_destroy(&out);
    workshop_close(&workshop);
}

/* ---- Weights --------------------------------------------------------------------------------- */

#define SIDE 24u

/* FULLY_CONNECTED with weights in a buffer: their packed form stays. */
TEST(cpu_buffers_warm, weights_that_are_kept_packed_are_allocated_once)
{
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, SIDE}};
    const struct hy_builder_type matrix = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {SIDE, SIDE}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {SIDE}};
    static const struct hy_buffer_role role = {0, 0, 1, 1};
    static float in[SIDE], weights[SIDE * SIDE], bias[SIDE], out[SIDE];
    const uint32_t dims[] = {SIDE, SIDE};
    struct workshop workshop;
    struct buffer buffer;

    workshop_open(&workshop, EXTENT);
    hy_builder_finish(&workshop.builder);
    hy_builder_init(&workshop.builder);
    const uint32_t inputs[] = {hy_builder_input(&workshop.builder, &row),
                               hy_builder_input(&workshop.builder, &matrix),
                               hy_builder_constant(&workshop.builder, &list, bias, sizeof bias),
                               hy_builder_int(&workshop.builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t output = hy_builder_output(&workshop.builder, &row);
    hy_builder_operation(&workshop.builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, 1, &output);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&workshop.builder)) ==
            HY_STATUS_OK);
    REQUIRE(buffer_make(&workshop, workshop.runner.prepared, &role, 1, 0, NULL, &buffer) ==
            HY_STATUS_OK);
    for (uint32_t seed = 0; seed < 3; seed++) {
        const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                     .protection = HY_PROTECT_READ,
                                     .fd = -1,
                                     .size = sizeof weights,
                                     .address = weights};
        hy_sample_numbers(seed, SIDE * SIDE, weights);
        EXPECT_INT(buffer.table->buffer_copy_from(buffer.buffer, &pool, dims, 2), HY_STATUS_OK);
        hy_runner_clear(&workshop.runner);
        hy_runner_input(&workshop.runner, in, sizeof in, 0, NULL);
        hy_runner_input(&workshop.runner, NULL, 0, 0, NULL);
        hy_runner_output(&workshop.runner, out, sizeof out, 0, NULL);
        workshop_use(&workshop, false, 1, buffer.token);
        const unsigned long first = allocations_of_run(&workshop.runner, NULL);
        EXPECT((seed == 0) == (first > 0));
        EXPECT_INT(allocations_of_run(&workshop.runner, NULL), 0);
    }
    buffer_destroy(&buffer);
    workshop_close(&workshop);
}
