/* Arguments and constants inside the memory that there is. */
#include "plugins/service/wire/ranges.h"
#include "tests/kit/test.h"

#include <stdbool.h>

#define BOTH (HY_PROTECT_READ | HY_PROTECT_WRITE)

static const struct hy_pool pools[] = {
    {.kind = HY_POOL_ASHMEM, .protection = BOTH, .size = 4096},
    {.kind = HY_POOL_MMAP_FD, .protection = HY_PROTECT_READ, .size = 100},
    {.kind = HY_POOL_MMAP_FD, .protection = HY_PROTECT_WRITE, .size = 100},
    {.kind = HY_POOL_HARDWARE_BUFFER, .protection = BOTH, .size = 4096},
    {.kind = HY_POOL_BUFFER, .protection = BOTH, .buffer_token = 7},
    {.kind = HY_POOL_ASHMEM, .size = 4096},
};
enum { IMAGE = 3, BUFFER, CLOSED, POOLS };

static void expect(struct hy_location location, bool is_output, const char *expected)
{
    const struct hy_argument argument = {.location = location};
    const struct hy_request request = {.input_count = !is_output,
                                       .output_count = is_output,
                                       .pool_count = POOLS,
                                       .inputs = &argument,
                                       .outputs = &argument,
                                       .pools = pools};
    struct hy_error err = {0};

    EXPECT_INT(hy_request_check_ranges(&request, &err), expected ? HY_BAD_DATA : HY_OK);
    EXPECT_CONTAINS(err.text, expected ? expected : "");
}

TEST(wire_ranges, arguments_lie_inside_their_pools_with_their_padding)
{
    expect((struct hy_location){.length = 4096}, false, NULL);
    expect((struct hy_location){.offset = 4090, .length = 4, .padding = 2}, true, NULL);
    expect((struct hy_location){.length = 4097}, false,
           "input 0: 4097 bytes at offset 0 do not lie inside pool 0 of 4096 bytes");
    expect((struct hy_location){.offset = 4090, .length = 4, .padding = 3}, true, "output 0: 4 ");
    expect((struct hy_location){.offset = 4097, .length = 1}, false, "1 bytes at offset 4097");
    expect((struct hy_location){.offset = UINT64_MAX, .length = 2}, false, "2 bytes at offset 184");
    expect((struct hy_location){.length = UINT64_MAX, .padding = 1}, false, "bytes at offset 0");
    expect((struct hy_location){.pool = POOLS, .length = 1}, false, "pool 6 of 6");
    expect((struct hy_location){.pool = UINT32_MAX, .length = 1}, true, "pool 4294967295 of 6");
}

TEST(wire_ranges, arguments_without_bytes_name_nothing)
{
    expect((struct hy_location){.pool = UINT32_MAX, .offset = UINT64_MAX}, false, NULL);
    expect((struct hy_location){.pool = CLOSED, .offset = 4097}, true, NULL);
}

TEST(wire_ranges, images_and_buffers_are_used_whole)
{
    expect((struct hy_location){.pool = IMAGE}, false, NULL);
    expect((struct hy_location){.pool = BUFFER}, true, NULL);
    expect((struct hy_location){.pool = IMAGE, .length = 1}, false,
           "input 0: 1 bytes of pool 3 of kind 5, needs the whole pool");
    expect((struct hy_location){.pool = BUFFER, .length = 1}, true, "pool 4 of kind 6");
}

TEST(wire_ranges, inputs_are_read_and_outputs_written)
{
    expect((struct hy_location){.pool = 1, .length = 100}, false, NULL);
    expect((struct hy_location){.pool = 1, .length = 100}, true, "protection 1, needs 2");
    expect((struct hy_location){.pool = 2, .length = 100}, true, NULL);
    expect((struct hy_location){.pool = 2, .length = 100}, false, "protection 2, needs 1");
    expect((struct hy_location){.pool = CLOSED, .length = 100}, false, "protection 0, needs 1");
}

static void expect_constant(struct hy_location location, int32_t lifetime, bool is_in_body,
                            const char *expected)
{
    const struct hy_operand operands[] = {{.lifetime = HY_LIFETIME_TEMPORARY},
                                          {.lifetime = lifetime, .location = location}};
    const struct hy_subgraph empty = {0}, full = {.operands = operands, .operand_count = 2};
    const struct hy_subgraph *const bodies[] = {&empty, is_in_body ? &full : &empty};
    const struct hy_model model = {.main = is_in_body ? &empty : &full,
                                   .referenced = bodies,
                                   .referenced_count = 2,
                                   .pools = pools,
                                   .pool_count = POOLS};
    struct hy_error err = {0};

    EXPECT_INT(hy_model_check_ranges(&model, &err), expected ? HY_BAD_DATA : HY_OK);
    EXPECT_CONTAINS(err.text, expected ? expected : "");
}

TEST(wire_ranges, constants_lie_inside_their_pools_in_every_subgraph)
{
    for (int is_in_body = 0; is_in_body < 2; is_in_body++) {
        expect_constant((struct hy_location){.length = 4096}, HY_LIFETIME_CONSTANT_POOL, is_in_body,
                        NULL);
        expect_constant((struct hy_location){.offset = 1, .length = 4096},
                        HY_LIFETIME_CONSTANT_POOL, is_in_body,
                        "operand 1: 4096 bytes at offset 1 do not lie inside pool 0");
        expect_constant((struct hy_location){.pool = 2, .length = 4}, HY_LIFETIME_CONSTANT_POOL,
                        is_in_body, "operand 1: pool 2 has protection 2, needs 1");
        expect_constant((struct hy_location){.length = 4097}, HY_LIFETIME_CONSTANT_COPY, is_in_body,
                        NULL); /* not in a pool */
    }
}
