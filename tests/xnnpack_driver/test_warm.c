/* What an execution costs beside its arithmetic, once everything is made. */
#include "plugin.h"
#include "support/allocation_count.h"
#include "support/test_host.h"
#include "test.h"
#include "xnnpack_driver/prepared.h"

#include <stdlib.h>
#include <xnnpack.h>

#define SIDE  16u
#define COUNT (SIDE * SIDE * 4)

/* Two convolutions and an ADD; every other run is at other addresses, one of them not aligned. */
static void make_network(struct hy_builder *builder)
{
    static const float zeros[4 * 4 * 9];
    const struct hy_builder_type image = {.type = F32, .rank = 4, .dims = {1, SIDE, SIDE, 4}};
    const struct hy_builder_type filter = {.type = F32, .rank = 4, .dims = {4, 3, 3, 4}};
    const struct hy_builder_type bias = {.type = F32, .rank = 1, .dims = {4}};
    hy_builder_init(builder);
    uint32_t last = hy_builder_input(builder, &image);
    const uint32_t first = last;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t next = hy_builder_temporary(builder, &image);
        const uint32_t inputs[] = {last,
                                   hy_builder_constant(builder, &filter, zeros, sizeof zeros),
                                   hy_builder_constant(builder, &bias, zeros, 16),
                                   hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME),
                                   hy_builder_int(builder, 1),
                                   hy_builder_int(builder, 1),
                                   hy_builder_int(builder, 1)};
        hy_builder_operation(builder, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &next);
        last = next;
    }
    const uint32_t inputs[] = {first, last, hy_builder_int(builder, 0)};
    const uint32_t out = hy_builder_output(builder, &image);
    hy_builder_operation(builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &out);
}

/* XNNPACK's own allocations: the first to initialise it says where they come from. */
static void *allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *reallocate(void *context, void *memory, size_t size)
{
    (void)context;
    return realloc(memory, size);
}

static void deallocate(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static void *aligned_allocate(void *context, size_t alignment, size_t size)
{
    (void)context;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

TEST(xnnpack_warm, executions_allocate_nothing)
{
    static const struct xnn_allocator allocator = {NULL,       allocate,         reallocate,
                                                   deallocate, aligned_allocate, deallocate};
    static float in[COUNT + 8], out[COUNT];
    struct hy_builder builder;
    struct hy_runner runner = {.deadline = HY_NO_DEADLINE};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    static const struct hy_device table = {.execute = xd_execute};
    REQUIRE(xnn_initialize(&allocator) == xnn_status_success);
    make_network(&builder);
    const unsigned long before = hy_allocation_count();
    REQUIRE(xd_prepare(hy_test_host(), hy_builder_model(&builder), &options, &runner.prepared) ==
            HY_STATUS_OK);
    const unsigned long made = hy_allocation_count();
    EXPECT(made - before > 10); /* operators are counted as well */
    runner.table = &table;
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = 3;
        hy_runner_clear(&runner);
        hy_runner_input(&runner, (const uint8_t *)in + i % 4 * 2, sizeof out, 0, NULL);
        hy_runner_output(&runner, out, sizeof out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    }
    EXPECT_INT(hy_allocation_count() - made, 0);
    EXPECT(out[COUNT / 2] == 0);
    xd_prepared_destroy(runner.prepared);
    hy_builder_finish(&builder);
    xnn_deinitialize();
}
