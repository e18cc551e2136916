#include "tests/kit/test.h"

#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/session.h"
#include "tests/unit/plugins/service/wire/kit/round_trip.h"

/* Values that do not travel, and bodies that lie in one thing each. */

static void expect_not_packed(struct round_trip *round_trip, enum hy_code code,
                              const char *expected)
{
    EXPECT_INT(round_trip->pack.code, code);
    EXPECT_CONTAINS(round_trip->pack.error.text, expected);
    round_trip_close(round_trip);
}

TEST(wire_refused, memory_of_the_process_does_not_travel)
{
    struct hy_pool pool = {.kind = HY_POOL_HOST, .fd = -1, .size = 12};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_pools_pack(&round_trip.pack, &pool, 1);
    expect_not_packed(&round_trip, HY_BAD_DATA, "12 bytes at");
}

TEST(wire_refused, memory_to_be_added_needs_an_id_and_a_descriptor)
{
    struct hy_pool pool = {.kind = HY_POOL_ASHMEM, .fd = 5, .size = 12};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_memory_pack(&round_trip.pack, &pool);
    expect_not_packed(&round_trip, HY_BAD_DATA, "memory of kind 2 with id 0");

    pool.id = 4;
    pool.fd = -1;
    round_trip_open(&round_trip, 0);
    hy_memory_pack(&round_trip.pack, &pool);
    expect_not_packed(&round_trip, HY_BAD_DATA, "descriptor 0 is -1");
}

/* Reads the pool of another place: as MEMORY_ADD does, or a request. */
static void expect_pool_refused(const struct hy_pack *pack, int is_memory, const char *expected)
{
    struct round_trip round_trip;
    struct hy_pool pool, *pools;

    round_trip_open(&round_trip, 0);
    hy_pack_append(&round_trip.pack, pack);
    round_trip_start_reading(&round_trip);
    if (is_memory)
        hy_memory_unpack(&round_trip.in, &pool);
    else
        hy_pools_unpack(&round_trip.in, 1, &pools);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

TEST(wire_refused, memory_is_brought_by_its_own_message_only)
{
    const struct hy_pool named = {.kind = HY_POOL_ASHMEM, .fd = 5, .size = 12, .id = 9};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_memory_pack(&pack, &named);
    expect_pool_refused(&pack, 0, "pool 0 has both id 9 and a descriptor");
    hy_pack_reset(&pack);
    hy_pools_pack(&pack, &named, 1);
    expect_pool_refused(&pack, 1, "memory of kind 2 has id 9 and descriptor -1");
    hy_pack_finish(&pack);
}

TEST(wire_refused, pools_that_make_no_sense_are_refused)
{
    const struct hy_image image = {.width = 1};
    const struct {
        struct hy_pool pool;
        const char *expected;
    } cases[] = {
        {{.kind = 7, .fd = 5}, "a pool of kind 7"},
        {{.kind = HY_POOL_ASHMEM, .fd = 5, .protection = 4}, "a pool has protection 0x4"},
        {{.kind = HY_POOL_ASHMEM, .fd = 5, .offset = 8, .size = UINT64_MAX}, "bytes at offset 8"},
        {{.kind = HY_POOL_ASHMEM, .fd = 5, .offset = 1, .size = INT64_MAX}, "bytes at offset 1"},
        {{.kind = HY_POOL_ASHMEM, .fd = 5, .image = &image}, "and attachments 0x3"},
        {{.kind = HY_POOL_HARDWARE_BUFFER, .fd = 5}, "and attachments 0x1"},
        {{.kind = HY_POOL_ASHMEM, .fd = 5, .buffer_token = 3}, "token 3"},
        {{.kind = HY_POOL_BUFFER, .fd = -1}, "token 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hy_pack pack;
        hy_pack_init(&pack);
        hy_pools_pack(&pack, &cases[i].pool, 1);
        expect_pool_refused(&pack, 0, cases[i].expected);
        hy_pack_finish(&pack);
    }
}

TEST(wire_refused, rank_above_the_limit_does_not_travel)
{
    struct hy_operand operand = {.rank = HY_MAX_RANK + 1};
    const struct hy_subgraph main = {.operand_count = 1, .operands = &operand};
    const struct hy_model model = {.main = &main};
    const struct hy_argument argument = {.rank = HY_MAX_RANK + 1};
    const struct hy_request request = {.input_count = 1, .inputs = &argument};
    struct hy_output_shape shape = {.rank = HY_MAX_RANK + 1};
    const struct hy_result result = {.output_count = 1, .outputs = &shape};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_model_pack(&round_trip.pack, &model);
    expect_not_packed(&round_trip, HY_BAD_DATA, "operand 0 has rank 17, at most 16");
    round_trip_open(&round_trip, 0);
    hy_request_pack(&round_trip.pack, &request);
    expect_not_packed(&round_trip, HY_BAD_DATA, "input 0 has rank 17");
    round_trip_open(&round_trip, 0);
    hy_result_pack(&round_trip.pack, &result);
    expect_not_packed(&round_trip, HY_BAD_DATA, "rank 17 for output 0");
}

TEST(wire_refused, model_without_a_main_subgraph_does_not_travel)
{
    const struct hy_model model = {0};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_model_pack(&round_trip.pack, &model);
    expect_not_packed(&round_trip, HY_UNEXPECTED_NULL, "a subgraph is NULL");
}

/* ---- Other bodies ---------------------------------------------------------------------------- */

TEST(wire_refused, answer_about_another_number_of_things_is_refused)
{
    struct round_trip round_trip;
    struct hy_output_shape shapes[4];
    struct hy_result result = {.output_count = 4, .outputs = shapes};
    struct hy_supported_ops_reply supported_ops_reply;

    round_trip_open(&round_trip, 1);
    const struct hy_result reported = hy_wire_result(&round_trip.samples, 3);
    hy_result_pack(&round_trip.pack, &reported);
    round_trip_start_reading(&round_trip);
    hy_result_unpack(&round_trip.in, &result);
    round_trip_expect_refused(&round_trip, "body: 3 outputs, needs 4");
    round_trip_close(&round_trip);

    round_trip_open(&round_trip, 1);
    const struct hy_supported_ops_reply sent = hy_wire_supported_ops_reply(&round_trip.samples, 3);
    hy_supported_ops_reply_pack(&round_trip.pack, &sent);
    round_trip_start_reading(&round_trip);
    hy_supported_ops_reply_unpack(&round_trip.in, 4, &supported_ops_reply);
    round_trip_expect_refused(&round_trip, "body: the reply has 3 operations, needs 4");
    round_trip_close(&round_trip);
}

TEST(wire_refused, other_version_of_the_protocol_is_refused)
{
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI, .pidfd = -1, .end_page = -1};
    const uint32_t version = HY_WIRE_VERSION + 1;
    struct hy_hello back;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_hello_pack(&round_trip.pack, &hello);
    memcpy(round_trip.pack.bytes, &version, sizeof version);
    round_trip_start_reading(&round_trip);
    hy_hello_unpack(&round_trip.in, &back);
    round_trip_expect_refused(&round_trip, "body: speaks version 3 of the protocol, needs 2");
    round_trip_close(&round_trip);
}

TEST(wire_refused, text_that_ends_early_or_late_is_refused)
{
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_pack_text(&round_trip.pack, "seven");
    round_trip.pack.bytes[6] = '\0';
    round_trip_start_reading(&round_trip);
    EXPECT_STR(hy_unpack_text(&round_trip.in), "");
    round_trip_expect_refused(&round_trip, "the text at byte 4 does not end after 5 bytes");

    round_trip.pack.bytes[6] = 'v';
    round_trip.pack.bytes[9] = 'x';
    round_trip_start_reading(&round_trip);
    EXPECT_STR(hy_unpack_text(&round_trip.in), "");
    round_trip_expect_refused(&round_trip, "the text at byte 4 does not end after 5 bytes");
    round_trip_close(&round_trip);
}

TEST(wire_refused, padding_that_is_not_zero_is_refused)
{
    struct round_trip round_trip;

    round_trip_open(&round_trip, 1);
    hy_pack_copy(&round_trip.pack, "12345", 5, 1);
    round_trip.pack.bytes[7] = 1;
    round_trip_start_reading(&round_trip);
    EXPECT(hy_unpack_records(&round_trip.in, 5, 1) == NULL);
    round_trip_expect_refused(&round_trip, "padding at byte 5 is not zero");
    round_trip_close(&round_trip);
}

TEST(wire_refused, deadlines_before_all_time_are_refused)
{
    struct round_trip round_trip;
    struct hy_deadline deadline;

    round_trip_open(&round_trip, 1);
    hy_deadline_pack(&round_trip.pack, &(struct hy_deadline){-2});
    round_trip_start_reading(&round_trip);
    hy_deadline_unpack(&round_trip.in, &deadline);
    round_trip_expect_refused(&round_trip, "deadline -2");
    round_trip_close(&round_trip);
}

TEST(wire_refused, capabilities_that_nobody_knows_are_refused)
{
    const struct hy_opening opening = {.library = "/l.so", .arguments = "{}", .capabilities = 4};
    struct hy_opening read;
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_opening_pack(&round_trip.pack, &opening);
    round_trip_start_reading(&round_trip);
    hy_opening_unpack(&round_trip.in, &read);
    round_trip_expect_refused(&round_trip, "capabilities 0x4");
    round_trip_close(&round_trip);
}
