#include "test.h"

#include "plugins/service/wire/answer.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/result.h"
#include "tests/service/wire/kit/reading.h"
#include "tests/service/wire/kit/same.h"

/* Member by member: what is read is what was written. */

enum { ROUNDS = 300 };

TEST(wire_values, models_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct reading reading;
        struct hy_model back = {0};
        struct hy_pool *pools = NULL;
        reading_open(&reading, seed);
        const struct hy_model *model = hy_wire_model(&reading.samples);
        hy_model_pack(&reading.pack, model);
        reading_turn(&reading);
        hy_model_unpack(&reading.in, &back, &pools);
        if (reading_is_good(&reading)) {
            EXPECT(same_model(model, &back));
            EXPECT(pools == back.pools);
        }
        reading_close(&reading);
    }
}

TEST(wire_values, prepare_options_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct reading reading;
        struct hy_prepare_options back = {0};
        reading_open(&reading, seed);
        const struct hy_prepare_options options = hy_wire_prepare_options(&reading.samples);
        hy_prepare_options_pack(&reading.pack, &options);
        reading_turn(&reading);
        hy_prepare_options_unpack(&reading.in, &back);
        if (reading_is_good(&reading)) {
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
        reading_close(&reading);
    }
}

TEST(wire_values, requests_and_their_options_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct reading reading;
        struct hy_request back = {0};
        struct hy_run_options back_options = {0};
        struct hy_pool *pools = NULL;
        reading_open(&reading, seed);
        const struct hy_request request = hy_wire_request(&reading.samples);
        struct hy_run_options options = hy_wire_run_options(&reading.samples);
        options.scratch = &options;
        options.scratch_bytes = 64;
        hy_request_pack(&reading.pack, &request);
        hy_run_options_pack(&reading.pack, &options);
        reading_turn(&reading);
        hy_request_unpack(&reading.in, &back, &pools);
        hy_run_options_unpack(&reading.in, &back_options);
        if (reading_is_good(&reading)) {
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
        reading_close(&reading);
    }
}

TEST(wire_values, fences_come_back)
{
    struct reading reading;
    struct hy_fences back = {0};

    reading_open(&reading, 2);
    const int32_t fds[] = {11, 12, 13};
    const struct hy_fences fences = {.wait_for = fds, .wait_count = 3, .signal = 14};
    hy_fences_pack(&reading.pack, &fences);
    reading_turn(&reading);
    hy_fences_unpack(&reading.in, &back);
    REQUIRE(reading_is_good(&reading));
    EXPECT_INT(back.wait_count, 3);
    EXPECT(same_bytes(back.wait_for, fds, sizeof fds));
    EXPECT_INT(back.signal, 14);
    reading_close(&reading);
}

TEST(wire_values, results_come_back_member_by_member)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct reading reading;
        struct hy_output_shape shapes[4];
        struct hy_result back = {.output_count = (uint32_t)(seed % 5), .outputs = shapes};
        reading_open(&reading, seed);
        const struct hy_result result = hy_wire_result(&reading.samples, back.output_count);
        hy_result_pack(&reading.pack, &result);
        reading_turn(&reading);
        hy_result_unpack(&reading.in, &back);
        if (reading_is_good(&reading)) {
            EXPECT_INT(back.time_on_device, result.time_on_device);
            EXPECT_INT(back.time_in_driver, result.time_in_driver);
            EXPECT(same_bytes(shapes, result.outputs, back.output_count * sizeof *shapes));
        }
        reading_close(&reading);
    }
}

TEST(wire_values, fenced_result_comes_back)
{
    struct reading reading;
    struct hy_fenced_result back = {0};

    reading_open(&reading, 3);
    const struct hy_fenced_result result = hy_wire_fenced_result(&reading.samples);
    hy_fenced_result_pack(&reading.pack, &result);
    reading_turn(&reading);
    hy_fenced_result_unpack(&reading.in, &back);
    REQUIRE(reading_is_good(&reading));
    EXPECT(memcmp(&back, &result, sizeof back) == 0);
    reading_close(&reading);
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
        struct reading reading;
        struct hy_description back = {0};
        reading_open(&reading, seed);
        const struct hy_description description = hy_wire_description(&reading.samples);
        hy_description_pack(&reading.pack, &description);
        reading_turn(&reading);
        hy_unpack_keep(&reading.in);
        hy_description_unpack(&reading.in, &back);
        const int good = reading_is_good(&reading);
        memset(reading.pack.bytes, 0xee, reading.pack.size);
        if (good)
            expect_same_description(&description, &back);
        reading_close(&reading);
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
        struct reading reading;
        struct hy_verdict back = {0};
        reading_open(&reading, seed);
        const struct hy_verdict verdict = hy_wire_verdict(&reading.samples, (uint32_t)(seed % 9));
        hy_verdict_pack(&reading.pack, &verdict);
        reading_turn(&reading);
        hy_verdict_unpack(&reading.in, verdict.operation_count, &back);
        if (reading_is_good(&reading)) {
            EXPECT_INT(back.operation_count, verdict.operation_count);
            EXPECT(same_bytes(back.supported, verdict.supported, verdict.operation_count));
            EXPECT_INT(back.refused_count, verdict.refused_count);
            for (uint32_t i = 0; i < verdict.refused_count; i++) {
                EXPECT_INT(back.refused[i].operation, verdict.refused[i].operation);
                EXPECT_STR(back.refused[i].reason, verdict.refused[i].reason);
            }
        }
        reading_close(&reading);
    }
}

TEST(wire_values, buffer_description_comes_back)
{
    struct reading reading;
    struct hy_buffer_desc back = {0};
    const uint64_t *ids = NULL, *back_ids = NULL;
    void **prepared = NULL;

    reading_open(&reading, 8);
    const struct hy_buffer_desc desc = hy_wire_buffer_desc(&reading.samples, &ids);
    hy_buffer_desc_pack(&reading.pack, &desc, ids);
    reading_turn(&reading);
    hy_buffer_desc_unpack(&reading.in, &back, &back_ids, &prepared);
    REQUIRE(reading_is_good(&reading));
    EXPECT_INT(back.struct_size, sizeof back);
    EXPECT_INT(back.rank, desc.rank);
    EXPECT(same_bytes(back.dims, desc.dims, desc.rank * sizeof *desc.dims));
    EXPECT_INT(back.prepared_count, desc.prepared_count);
    EXPECT(same_bytes(back_ids, ids, desc.prepared_count * sizeof *ids));
    EXPECT(back.prepared == prepared && prepared[0] == NULL);
    EXPECT_INT(back.role_count, desc.role_count);
    EXPECT(same_bytes(back.roles, desc.roles, desc.role_count * sizeof *desc.roles));
    reading_close(&reading);
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
    struct reading reading;

    reading_open(&reading, 0);
    hy_hello_pack(&reading.pack, &hello);
    hy_opening_pack(&reading.pack, &opening);
    hy_opened_pack(&reading.pack, &opened);
    reading_turn(&reading);
    hy_hello_unpack(&reading.in, &hello_back);
    hy_opening_unpack(&reading.in, &opening_back);
    hy_opened_unpack(&reading.in, &opened_back);
    REQUIRE(reading_is_good(&reading));
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
    reading_close(&reading);
}

TEST(wire_values, kept_body_can_be_appended_to_another)
{
    struct reading reading;
    struct hy_pack whole;
    struct hy_model back = {0};
    struct hy_prepare_options options = {0};
    struct hy_pool *pools = NULL;

    reading_open(&reading, 21);
    const struct hy_model *model = hy_wire_model(&reading.samples);
    hy_model_pack(&reading.pack, model);
    hy_pack_init(&whole);
    hy_pack_append(&whole, &reading.pack);
    const struct hy_prepare_options asked = hy_wire_prepare_options(&reading.samples);
    hy_prepare_options_pack(&whole, &asked);
    hy_unpack_init(&reading.in, "body", whole.bytes, whole.size, whole.fds, whole.fd_count,
                   &reading.arena, &reading.err);
    hy_model_unpack(&reading.in, &back, &pools);
    hy_prepare_options_unpack(&reading.in, &options);
    if (reading_is_good(&reading))
        EXPECT(same_model(model, &back));
    hy_pack_finish(&whole);
    reading_close(&reading);
}
