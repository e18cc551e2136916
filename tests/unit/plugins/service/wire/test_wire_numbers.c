/* Numbers in the bodies of calls that have a few values alone. */
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/wire/kit/round_trip.h"

static void expect_prepare(struct hy_prepare_options options, const char *expected)
{
    struct hy_prepare_options back;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_prepare_options_pack(&round_trip.pack, &options);
    round_trip_start_reading(&round_trip);
    hy_prepare_options_unpack(&round_trip.in, &back);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

TEST(wire_numbers, preference_priority_and_deadline_are_those_of_the_abi)
{
    expect_prepare((struct hy_prepare_options){.preference = -1}, "preference -1");
    expect_prepare((struct hy_prepare_options){.preference = 3}, "preference 3");
    expect_prepare((struct hy_prepare_options){.priority = -1}, "priority -1");
    expect_prepare((struct hy_prepare_options){.priority = 90}, "priority 90");
    expect_prepare((struct hy_prepare_options){.deadline = -2}, "deadline -2");
    expect_prepare((struct hy_prepare_options){.deadline = INT64_MIN}, "deadline -922");
}

TEST(wire_numbers, measure_is_yes_or_no)
{
    const struct hy_run_options options = {.measure = 2};
    struct hy_run_options back;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_run_options_pack(&round_trip.pack, &options);
    round_trip_start_reading(&round_trip);
    hy_run_options_unpack(&round_trip.in, &back);
    round_trip_expect_refused(&round_trip, "measure is 2");
    round_trip_close(&round_trip);
}

TEST(wire_numbers, flags_of_arguments_are_those_of_the_abi)
{
    const struct hy_argument argument = {.flags = HY_ARGUMENT_NO_VALUE | 2};
    const struct hy_request request = {.output_count = 1, .outputs = &argument};
    struct hy_request back;
    struct hy_pool *pools;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_request_pack(&round_trip.pack, &request);
    round_trip_start_reading(&round_trip);
    hy_request_unpack(&round_trip.in, &back, &pools);
    round_trip_expect_refused(&round_trip, "an argument with flags 0x3");
    round_trip_close(&round_trip);
}

static void expect_model(const struct hy_model *model, const char *expected)
{
    struct hy_model back;
    struct hy_pool *pools;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_model_pack(&round_trip.pack, model);
    round_trip_start_reading(&round_trip);
    hy_model_unpack(&round_trip.in, &back, &pools);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

TEST(wire_numbers, relaxed_float_of_a_model_is_yes_or_no)
{
    const struct hy_subgraph graph = {.struct_size = sizeof graph};

    expect_model(&(struct hy_model){.main = &graph, .relaxed_float = 2}, "relaxed_float is 2");
}

TEST(wire_numbers, constants_lie_in_no_image_and_no_buffer)
{
    const struct hy_subgraph graph = {.struct_size = sizeof graph};
    const struct hy_image image = {.width = 1};
    const struct hy_pool pools[] = {
        {.kind = HY_POOL_HARDWARE_BUFFER, .fd = 5, .image = &image},
        {.kind = HY_POOL_HARDWARE_BUFFER, .fd = -1, .id = 4},
        {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = 3},
    };

    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        expect_model(&(struct hy_model){.main = &graph, .pools = &pools[i], .pool_count = 1},
                     i < 2 ? "pool 0 has kind 5" : "pool 0 has kind 6");
}

TEST(wire_numbers, what_a_client_says_of_the_size_of_a_buffer_is_not_passed_on)
{
    const struct hy_pool pool = {
        .kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = 3, .size = UINT32_MAX};
    struct hy_pool *back = NULL;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_pools_pack(&round_trip.pack, &pool, 1);
    round_trip_start_reading(&round_trip);
    hy_pools_unpack(&round_trip.in, 1, &back);
    REQUIRE(round_trip_is_valid(&round_trip));
    EXPECT_INT(back->buffer_token, 3);
    EXPECT_INT(back->size, 0);
    round_trip_close(&round_trip);
}

/* ---- Counts and indices ---------------------------------------------------------------------- */

static void expect_buffer(struct hy_buffer_desc desc, const char *expected)
{
    static const uint32_t dims[HY_MAX_RANK + 1] = {1};
    static const uint64_t names[] = {5, 6};
    struct hy_buffer_desc back;
    const uint64_t *ids;
    void **prepared;
    struct round_trip round_trip;

    desc.dims = dims;
    desc.prepared_count = 2;
    round_trip_open(&round_trip, 1);
    hy_buffer_desc_pack(&round_trip.pack, &desc, names);
    round_trip_start_reading(&round_trip);
    hy_buffer_desc_unpack(&round_trip.in, &back, &ids, &prepared);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

TEST(wire_numbers, roles_of_a_buffer_are_of_its_models)
{
    const struct hy_buffer_role roles[] = {{.prepared = 2}, {.is_output = 2}};

    expect_buffer((struct hy_buffer_desc){.roles = &roles[0], .role_count = 1},
                  "role 0 is of prepared model 2 of 2");
    expect_buffer((struct hy_buffer_desc){.roles = &roles[1], .role_count = 1}, "is_output 2");
    expect_buffer((struct hy_buffer_desc){.rank = HY_MAX_RANK + 1}, "a buffer of rank 17");
}

TEST(wire_numbers, rank_of_a_copy_is_at_most_16)
{
    static const uint32_t dims[HY_MAX_RANK + 1] = {1};
    const struct hy_pool pool = {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = 1};
    struct hy_buffer_copy back;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_buffer_copy_pack(&round_trip.pack, &(struct hy_buffer_copy){pool, dims, HY_MAX_RANK + 1});
    round_trip_start_reading(&round_trip);
    hy_buffer_copy_unpack(&round_trip.in, &back);
    round_trip_expect_refused(&round_trip, "a copy of rank 17");
    round_trip_close(&round_trip);
}

/* A request of one output, as its records say. */
static void expect_request(uint32_t rank, uint32_t dim_count, uint32_t pool, const char *expected)
{
    const uint32_t counts[] = {0, 1, 0, dim_count}, head[] = {0, rank}, dims[32] = {1};
    const struct hy_location location = {.pool = pool, .length = pool};
    struct hy_request back;
    struct hy_pool *pools;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_pack_copy(&round_trip.pack, counts, 4, sizeof *counts);
    hy_pack_copy(&round_trip.pack, head, 2, sizeof *head);
    hy_pack_copy(&round_trip.pack, &location, 1, sizeof location);
    hy_pack_copy(&round_trip.pack, dims, dim_count, sizeof *dims);
    round_trip_start_reading(&round_trip);
    hy_request_unpack(&round_trip.in, &back, &pools);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

TEST(wire_numbers, ranks_of_arguments_add_up_to_their_extents)
{
    expect_request(HY_MAX_RANK + 1, HY_MAX_RANK + 1, 0, "an argument of rank 17");
    expect_request(UINT32_MAX, 2, 0, "an argument of rank 4294967295, 2 extents are left");
    expect_request(3, 2, 0, "an argument of rank 3, 2 extents are left");
    expect_request(1, 2, 0, "1 extents too many");
    expect_request(0, 0, 1, "an argument in pool 1 of 0");
}

TEST(wire_numbers, slot_of_a_burst_is_no_negative_number)
{
    const int64_t sent[] = {-1, INT64_C(1) << 31};
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM, .fd = -1, .id = 1};

    for (int i = 0; i < 2; i++) {
        struct hy_burst_slot back;
        struct round_trip round_trip;

        round_trip_open(&round_trip, 1);
        hy_pack_copy(&round_trip.pack, &sent[i], 1, sizeof sent[i]);
        hy_pools_pack(&round_trip.pack, &pool, 1);
        round_trip_start_reading(&round_trip);
        hy_burst_slot_unpack(&round_trip.in, &back);
        round_trip_expect_refused(&round_trip, i ? "slot 2147483648" : "slot -1");
        round_trip_close(&round_trip);
    }
}
