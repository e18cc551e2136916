#include "tests/kit/test.h"

#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/result.h"
#include "tests/unit/plugins/service/wire/kit/round_trip.h"
#include "tests/unit/plugins/service/wire/kit/same.h"

/* Member by member: what is read is what was written. */

enum { ROUNDS = 300 };

TEST(wire_values, models_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_model back = {0};
        struct hy_pool *pools = NULL;
        round_trip_open(&round_trip, seed);
        const struct hy_model *model = hy_wire_model(&round_trip.samples);
        hy_model_pack(&round_trip.pack, model);
        round_trip_start_reading(&round_trip);
        hy_model_unpack(&round_trip.in, &back, &pools);
        if (round_trip_is_valid(&round_trip)) {
            EXPECT(same_model(model, &back));
            EXPECT(pools == back.pools);
        }
        round_trip_close(&round_trip);
    }
}

TEST(wire_values, prepare_options_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_prepare_options back = {0};
        round_trip_open(&round_trip, seed);
        const struct hy_prepare_options options = hy_wire_prepare_options(&round_trip.samples);
        hy_prepare_options_pack(&round_trip.pack, &options);
        round_trip_start_reading(&round_trip);
        hy_prepare_options_unpack(&round_trip.in, &back);
        if (round_trip_is_valid(&round_trip)) {
            EXPECT_INT(back.struct_size, sizeof back);
            EXPECT_INT(back.preference, options.preference);
            EXPECT_INT(back.priority, options.priority);
            EXPECT_INT(back.deadline, options.deadline);
            EXPECT_INT(back.hint_count, options.hint_count);
            EXPECT(same_hints(back.hints, options.hints, options.hint_count));
            EXPECT_INT(back.model_cache_count, options.model_cache_count);
            EXPECT_INT(back.data_cache_count, options.data_cache_count);
            EXPECT(same_bytes(back.model_cache, options.model_cache,
                              options.model_cache_count * sizeof(int)));
            EXPECT(same_bytes(back.data_cache, options.data_cache,
                              options.data_cache_count * sizeof(int)));
            EXPECT_INT(!back.token, !options.token);
            EXPECT(!options.token || same_bytes(back.token, options.token, HY_TOKEN_SIZE));
            EXPECT_INT(back.extension_count, options.extension_count);
            EXPECT(same_prefixes(back.extensions, options.extensions, options.extension_count));
            EXPECT(back.message.text == NULL && back.message.size == 0);
        }
        round_trip_close(&round_trip);
    }
}

TEST(wire_values, requests_and_their_options_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_request back = {0};
        struct hy_run_options back_options = {0};
        struct hy_pool *pools = NULL;
        round_trip_open(&round_trip, seed);
        const struct hy_request request = hy_wire_request(&round_trip.samples);
        struct hy_run_options options = hy_wire_run_options(&round_trip.samples);
        options.scratch = &options;
        options.scratch_bytes = 64;
        hy_request_pack(&round_trip.pack, &request);
        hy_run_options_pack(&round_trip.pack, &options);
        round_trip_start_reading(&round_trip);
        hy_request_unpack(&round_trip.in, &back, &pools);
        hy_run_options_unpack(&round_trip.in, &back_options);
        if (round_trip_is_valid(&round_trip)) {
            EXPECT(same_request(&request, &back));
            EXPECT(pools == back.pools);
            EXPECT_INT(back_options.struct_size, sizeof back_options);
            EXPECT_INT(back_options.measure, options.measure);
            EXPECT_INT(back_options.deadline, options.deadline);
            EXPECT_INT(back_options.loop_timeout, options.loop_timeout);
            EXPECT_INT(back_options.duration, options.duration);
            EXPECT_INT(back_options.hint_count, options.hint_count);
            EXPECT(same_hints(back_options.hints, options.hints, options.hint_count));
            EXPECT(back_options.scratch == NULL && back_options.scratch_bytes == 0);
        }
        round_trip_close(&round_trip);
    }
}

TEST(wire_values, fences_come_back)
{
    struct round_trip round_trip;
    struct hy_fences back = {0};

    round_trip_open(&round_trip, 2);
    const int32_t fds[] = {11, 12, 13};
    const struct hy_fences fences = {.wait_for = fds, .wait_count = 3, .signal = 14};
    hy_fences_pack(&round_trip.pack, &fences);
    round_trip_start_reading(&round_trip);
    hy_fences_unpack(&round_trip.in, &back);
    REQUIRE(round_trip_is_valid(&round_trip));
    EXPECT_INT(back.wait_count, 3);
    EXPECT(same_bytes(back.wait_for, fds, sizeof fds));
    EXPECT_INT(back.signal, 14);
    round_trip_close(&round_trip);
}

TEST(wire_values, results_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_output_shape shapes[4];
        struct hy_result back = {.output_count = (uint32_t)(seed % 5), .outputs = shapes};
        round_trip_open(&round_trip, seed);
        const struct hy_result result = hy_wire_result(&round_trip.samples, back.output_count);
        hy_result_pack(&round_trip.pack, &result);
        round_trip_start_reading(&round_trip);
        hy_result_unpack(&round_trip.in, &back);
        if (round_trip_is_valid(&round_trip)) {
            EXPECT_INT(back.time_on_device, result.time_on_device);
            EXPECT_INT(back.time_in_driver, result.time_in_driver);
            EXPECT(same_bytes(shapes, result.outputs, back.output_count * sizeof *shapes));
        }
        round_trip_close(&round_trip);
    }
}

TEST(wire_values, fenced_result_comes_back)
{
    struct round_trip round_trip;
    struct hy_fenced_result back = {0};

    round_trip_open(&round_trip, 3);
    const struct hy_fenced_result result = hy_wire_fenced_result(&round_trip.samples);
    hy_fenced_result_pack(&round_trip.pack, &result);
    round_trip_start_reading(&round_trip);
    hy_fenced_result_unpack(&round_trip.in, &back);
    REQUIRE(round_trip_is_valid(&round_trip));
    EXPECT(memcmp(&back, &result, sizeof back) == 0);
    round_trip_close(&round_trip);
}

static void expect_same_description(const struct hy_description *a, const struct hy_description *b)
{
    const struct hy_device_info *info = &a->info, *back = &b->info;

    EXPECT_INT(b->members, a->members);
    EXPECT_INT(back->struct_size, sizeof *back);
    EXPECT_INT(back->type, info->type);
    EXPECT_STR(back->name, info->name);
    EXPECT_STR(back->version, info->version);
    EXPECT_STR(back->build_id, info->build_id);
    EXPECT_INT(back->feature_level, info->feature_level);
    EXPECT_INT(back->model_cache_files, info->model_cache_files);
    EXPECT_INT(back->data_cache_files, info->data_cache_files);
    EXPECT_INT(back->pool_kinds, info->pool_kinds);
    EXPECT_INT(back->burst_depth, info->burst_depth);
    EXPECT(same_bytes(back->partial_extensions, info->partial_extensions, info->extension_count));
    REQUIRE(back->extension_count == info->extension_count);
    for (uint32_t i = 0; i < info->extension_count; i++) {
        EXPECT_STR(back->extensions[i].name, info->extensions[i].name);
        REQUIRE(back->extensions[i].operand_type_count == info->extensions[i].operand_type_count);
        EXPECT(same_bytes(back->extensions[i].operand_types, info->extensions[i].operand_types,
                          back->extensions[i].operand_type_count * UINT64_C(8)));
    }

    struct hy_capabilities figures = b->capabilities;
    EXPECT(same_bytes(figures.operands, a->capabilities.operands,
                      a->capabilities.operand_count * sizeof *figures.operands));
    figures.operands = a->capabilities.operands;
    EXPECT(memcmp(&figures, &a->capabilities, sizeof figures) == 0);
}

TEST(wire_values, descriptions_come_back_and_outlive_their_frame)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_description back = {0};
        round_trip_open(&round_trip, seed);
        const struct hy_description description = hy_wire_description(&round_trip.samples);
        hy_description_pack(&round_trip.pack, &description);
        round_trip_start_reading(&round_trip);
        hy_unpack_retain(&round_trip.in);
        hy_description_unpack(&round_trip.in, &back);
        const int good = round_trip_is_valid(&round_trip);
        memset(round_trip.pack.bytes, 0xee, round_trip.pack.size);
        if (good)
            expect_same_description(&description, &back);
        round_trip_close(&round_trip);
    }
}

/* A member that is added to one of these has to travel. */
TEST(wire_values, structs_that_travel_are_known_in_full)
{
    EXPECT_INT(sizeof(struct hy_image), 32);
    EXPECT_INT(sizeof(struct hy_pool), 56);
    EXPECT_INT(sizeof(struct hy_location), 24);
    EXPECT_INT(sizeof(struct hy_operand), 80);
    EXPECT_INT(sizeof(struct hy_operation), 32);
    EXPECT_INT(sizeof(struct hy_subgraph), 56);
    EXPECT_INT(sizeof(struct hy_extension_prefix), 16);
    EXPECT_INT(sizeof(struct hy_model), 72);
    EXPECT_INT(sizeof(struct hy_capabilities), 64);
    EXPECT_INT(sizeof(struct hy_extension), 24);
    EXPECT_INT(sizeof(struct hy_device_info), 72);
    EXPECT_INT(sizeof(struct hy_prepare_options), 104);
    EXPECT_INT(sizeof(struct hy_argument), 40);
    EXPECT_INT(sizeof(struct hy_request), 40);
    EXPECT_INT(sizeof(struct hy_run_options), 88);
    EXPECT_INT(sizeof(struct hy_result), 32);
    EXPECT_INT(sizeof(struct hy_fenced_result), 40);
    EXPECT_INT(sizeof(struct hy_buffer_desc), 40);
}

TEST(wire_values, verdict_and_its_reasons_come_back)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct round_trip round_trip;
        struct hy_supported_ops_reply back = {0};
        round_trip_open(&round_trip, seed);
        const struct hy_supported_ops_reply supported_ops_reply =
            hy_wire_supported_ops_reply(&round_trip.samples, (uint32_t)(seed % 9));
        hy_supported_ops_reply_pack(&round_trip.pack, &supported_ops_reply);
        round_trip_start_reading(&round_trip);
        hy_supported_ops_reply_unpack(&round_trip.in, supported_ops_reply.operation_count, &back);
        if (round_trip_is_valid(&round_trip)) {
            EXPECT_INT(back.operation_count, supported_ops_reply.operation_count);
            EXPECT(same_bytes(back.supported, supported_ops_reply.supported,
                              supported_ops_reply.operation_count));
            EXPECT_INT(back.refused_count, supported_ops_reply.refused_count);
            for (uint32_t i = 0; i < supported_ops_reply.refused_count; i++) {
                EXPECT_INT(back.refused[i].operation, supported_ops_reply.refused[i].operation);
                EXPECT_STR(back.refused[i].reason, supported_ops_reply.refused[i].reason);
            }
        }
        round_trip_close(&round_trip);
    }
}

TEST(wire_values, buffer_description_comes_back)
{
    struct round_trip round_trip;
    struct hy_buffer_desc back = {0};
    const uint64_t *ids = NULL, *back_ids = NULL;
    void **prepared = NULL;

    round_trip_open(&round_trip, 8);
    const struct hy_buffer_desc desc = hy_wire_buffer_desc(&round_trip.samples, &ids);
    hy_buffer_desc_pack(&round_trip.pack, &desc, ids);
    round_trip_start_reading(&round_trip);
    hy_buffer_desc_unpack(&round_trip.in, &back, &back_ids, &prepared);
    REQUIRE(round_trip_is_valid(&round_trip));
    EXPECT_INT(back.struct_size, sizeof back);
    EXPECT_INT(back.rank, desc.rank);
    EXPECT(same_bytes(back.dims, desc.dims, desc.rank * sizeof *desc.dims));
    EXPECT_INT(back.prepared_count, desc.prepared_count);
    EXPECT(same_bytes(back_ids, ids, desc.prepared_count * sizeof *ids));
    EXPECT(back.prepared == prepared && prepared[0] == NULL);
    EXPECT_INT(back.role_count, desc.role_count);
    EXPECT(same_bytes(back.roles, desc.roles, desc.role_count * sizeof *desc.roles));
    round_trip_close(&round_trip);
}

TEST(wire_values, session_comes_back)
{
    static const char *const files[] = {"/dev/npu0", "/dev/npu1"};
    const struct hy_hello hello = {.abi = HY_DRIVER_ABI, .pid = 99, .pidfd = 17, .end_page = 18};
    const struct hy_opening opening = {.library = "/usr/lib/acme.so",
                                       .arguments = "{\"level\": 3}",
                                       .device_files = files,
                                       .device_file_count = 2,
                                       .manifest_kind = 1,
                                       .capabilities = 3};
    const struct hy_opened opened = {
        .driver = "acme", .sandbox = "seccomp", .abi = 5, .device_count = 2};
    struct hy_hello hello_back = {0};
    struct hy_opening opening_back = {0};
    struct hy_opened opened_back = {0};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_hello_pack(&round_trip.pack, &hello);
    hy_opening_pack(&round_trip.pack, &opening);
    hy_opened_pack(&round_trip.pack, &opened);
    round_trip_start_reading(&round_trip);
    hy_hello_unpack(&round_trip.in, &hello_back);
    hy_opening_unpack(&round_trip.in, &opening_back);
    hy_opened_unpack(&round_trip.in, &opened_back);
    REQUIRE(round_trip_is_valid(&round_trip));
    EXPECT_INT(hello_back.abi, HY_DRIVER_ABI);
    EXPECT_INT(hello_back.pid, 99);
    EXPECT_INT(hello_back.pidfd, 17);
    EXPECT_INT(hello_back.end_page, 18);
    EXPECT_STR(opening_back.library, opening.library);
    EXPECT_STR(opening_back.arguments, opening.arguments);
    EXPECT_INT(opening_back.device_file_count, 2);
    EXPECT_STR(opening_back.device_files[1], "/dev/npu1");
    EXPECT_INT(opening_back.manifest_kind, 1);
    EXPECT_INT(opening_back.capabilities, 3);
    EXPECT_STR(opened_back.driver, "acme");
    EXPECT_STR(opened_back.sandbox, "seccomp");
    EXPECT_INT(opened_back.abi, 5);
    EXPECT_INT(opened_back.device_count, 2);
    round_trip_close(&round_trip);
}

TEST(wire_values, kept_body_can_be_appended_to_another)
{
    struct round_trip round_trip;
    struct hy_pack whole;
    struct hy_model back = {0};
    struct hy_prepare_options options = {0};
    struct hy_pool *pools = NULL;

    round_trip_open(&round_trip, 21);
    const struct hy_model *model = hy_wire_model(&round_trip.samples);
    hy_model_pack(&round_trip.pack, model);
    hy_pack_init(&whole);
    hy_pack_append(&whole, &round_trip.pack);
    const struct hy_prepare_options asked = hy_wire_prepare_options(&round_trip.samples);
    hy_prepare_options_pack(&whole, &asked);
    hy_unpack_init(&round_trip.in, "body", whole.bytes, whole.size, whole.fds, whole.fd_count,
                   &round_trip.arena, &round_trip.err);
    hy_model_unpack(&round_trip.in, &back, &pools);
    hy_prepare_options_unpack(&round_trip.in, &options);
    if (round_trip_is_valid(&round_trip))
        EXPECT(same_model(model, &back));
    hy_pack_finish(&whole);
    round_trip_close(&round_trip);
}
