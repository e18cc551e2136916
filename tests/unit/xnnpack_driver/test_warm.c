/* What an execution costs beside its arithmetic, once everything is made. */
#include "plugin.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "xnnpack_driver/xd_buffer.h"
#include "xnnpack_driver/xd_prepared.h"

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

struct warm {
    struct hy_builder builder;
    struct hy_runner runner;
    struct hy_single_device device;
    unsigned long made; /* allocations until everything was there */
};

static bool open_warm(struct warm *warm)
{
    static const struct xnn_allocator allocator = {NULL,       allocate,         reallocate,
                                                   deallocate, aligned_allocate, deallocate};
    static const struct hy_device table = {.execute = hy_single_execute};
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    *warm = (struct warm){.device = {.table = &table, .host = hy_test_host()},
                          .runner = {.table = &table, .deadline = HY_NO_DEADLINE}};
    if (xnn_initialize(&allocator) != xnn_status_success)
        return false;
    make_network(&warm->builder);
    const unsigned long before = hy_allocation_count();
    if (!hy_device_buffers_init(&warm->device.buffers, hy_test_host(), &xd_buffer_functions,
                                XD_MAX_BUFFERS))
        return false;
    const int32_t status = xd_prepare(&warm->device, hy_builder_model(&warm->builder), &options,
                                      &warm->runner.prepared);
    warm->made = hy_allocation_count();
    EXPECT(warm->made - before > 10); /* operators are counted as well */
    return status == HY_STATUS_OK;
}

static void close_warm(struct warm *warm)
{
    xd_prepared_destroy(warm->runner.prepared);
    hy_device_buffers_finish(&warm->device.buffers);
    hy_builder_finish(&warm->builder);
    xnn_deinitialize();
}

TEST(xnnpack_warm, executions_allocate_nothing)
{
    static float in[COUNT + 8], out[COUNT];
    struct warm warm;
    REQUIRE(open_warm(&warm));
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = 3;
        hy_runner_clear(&warm.runner);
        hy_runner_input(&warm.runner, (const uint8_t *)in + i % 4 * 2, sizeof out, 0, NULL);
        hy_runner_output(&warm.runner, out, sizeof out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&warm.runner), HY_STATUS_OK);
    }
    EXPECT_INT(hy_allocation_count() - warm.made, 0);
    EXPECT(out[COUNT / 2] == 0);
    close_warm(&warm);
}

static void *make_buffer(struct warm *warm, bool is_output, uint32_t *token)
{
    const struct hy_buffer_role role = {.is_output = is_output, .frequency = 1};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .prepared = &warm->runner.prepared,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    void *buffer = NULL;
    EXPECT_INT(hy_device_buffer_create(&warm->device.buffers, &desc, token, &buffer), HY_STATUS_OK);
    return buffer;
}

static void use_buffer(struct warm *warm, uint32_t slot, uint32_t token)
{
    warm->runner.pools[slot] =
        (struct hy_pool){.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = token};
    warm->runner.arguments[slot] = (struct hy_argument){.location.pool = slot};
}

TEST(xnnpack_warm, executions_in_buffers_and_copies_of_them_allocate_nothing)
{
    static float values[COUNT];
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = -1,
                                 .size = sizeof values,
                                 .address = values};
    uint32_t tokens[2] = {0};
    struct warm warm;
    REQUIRE(open_warm(&warm));
    void *in = make_buffer(&warm, false, &tokens[0]), *out = make_buffer(&warm, true, &tokens[1]);
    REQUIRE(in && out);
    hy_runner_clear(&warm.runner);
    hy_runner_input(&warm.runner, NULL, 0, 0, NULL);
    hy_runner_output(&warm.runner, NULL, 0, 0, NULL);
    use_buffer(&warm, 0, tokens[0]);
    use_buffer(&warm, HY_RUNNER_ARGUMENTS, tokens[1]);
    const unsigned long before = hy_allocation_count();
    for (uint32_t i = 0; i < 4; i++) {
        values[COUNT / 2] = (float)i;
        EXPECT_INT(hy_device_buffer_copy_from(in, &pool, NULL, 0), HY_STATUS_OK);
        EXPECT_INT(hy_runner_execute(&warm.runner), HY_STATUS_OK);
        EXPECT_INT(hy_device_buffer_copy_to(out, &pool), HY_STATUS_OK);
        EXPECT(values[COUNT / 2] == (float)i);
    }
    EXPECT_INT(hy_allocation_count() - before, 0);
    hy_device_buffer_destroy(in);
    hy_device_buffer_destroy(out);
    close_warm(&warm);
}
