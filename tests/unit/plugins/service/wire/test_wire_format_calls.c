#include "tests/kit/test.h"

#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/result.h"
#include "tests/unit/plugins/service/wire/kit/expected.h"
#include "tests/unit/plugins/service/wire/kit/samples.h"

/* Version 1, byte by byte: the bodies of calls over channels. */

/* One operand with all that there can be, one operation. */
static void expect_subgraph(struct expected *expected)
{
    pair(expected, 1, 1);
    pair(expected, 1, 1);
    pair(expected, 2, 2);
    pair(expected, 1, 0);
    pair(expected, 11, HY_LIFETIME_CONSTANT_COPY);
    pair(expected, 2, 1);
    float_and_number(expected, 0.5f, 7);
    pair(expected, 1, 3);
    pair(expected, 0, 0);
    word(expected, 4);
    word(expected, 2);
    pair(expected, 28, 1);
    pair(expected, 1, 0);
    pair(expected, 5, 6);
    pair(expected, 0, 0);
    pair(expected, 0, 0); /* an input, padded */
    pair(expected, 0, 0);
    floats(expected, 0.75f, 0.0f);
    word(expected, 0x636261);
}

TEST(wire_format_calls, model)
{
    static const uint32_t dims[] = {5, 6}, zero = 0;
    static const float scale = 0.75f;
    const struct hy_operand operand = {.type = 11,
                                       .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                       .rank = 2,
                                       .channel_dim = 1,
                                       .dims = dims,
                                       .scale = 0.5f,
                                       .zero_point = 7,
                                       .location = {.offset = 4, .length = 2},
                                       .channel_scales = &scale,
                                       .extension_data = "abc",
                                       .channel_count = 1,
                                       .extension_length = 3};
    const struct hy_operation operation = {
        .type = 28, .input_count = 1, .output_count = 1, .inputs = &zero, .outputs = &zero};
    const struct hy_subgraph main = {.operand_count = 1,
                                     .operation_count = 1,
                                     .input_count = 1,
                                     .output_count = 1,
                                     .operands = &operand,
                                     .operations = &operation,
                                     .inputs = &zero,
                                     .outputs = &zero};
    const struct hy_extension_prefix prefix = {.name = "com.acme", .prefix = 2};
    const struct hy_model model = {.relaxed_float = 1,
                                   .main = &main,
                                   .values = (const uint8_t *)"ABCDEF",
                                   .extensions = &prefix,
                                   .values_size = 6,
                                   .extension_count = 1,
                                   .feature_level = 8};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_model_pack(&pack, &model);
    word(&expected, 6);
    pair(&expected, 1, 8);
    pair(&expected, 0, 0);
    pair(&expected, 1, 0);
    word(&expected, 0x464544434241);
    pair(&expected, 2, 0);
    text(&expected, "com.acme");
    expect_subgraph(&expected);
    expect_bytes(&pack, &expected, "model");
}

TEST(wire_format_calls, verdict)
{
    static const uint8_t supported[] = {1, 0, 1};
    const struct hy_refused refused = {.operation = 1, .reason = "too large"};
    const struct hy_supported_ops_reply supported_ops_reply = {
        .supported = supported, .refused = &refused, .operation_count = 3, .refused_count = 1};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_supported_ops_reply_pack(&pack, &supported_ops_reply);
    pair(&expected, 3, 1);
    word(&expected, 0x010001);
    word(&expected, 1);
    text(&expected, "too large");
    expect_bytes(&pack, &expected, "verdict");
}

TEST(wire_format_calls, prepare_options)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {1};
    static const int32_t files[] = {4, 5, 6};
    const struct hy_hint hint = {.token = 3 << 16 | 1, .length = 2, .data = "xy"};
    const struct hy_extension_prefix prefix = {.name = "p", .prefix = 3};
    const struct hy_prepare_options options = {.preference = 1,
                                               .priority = 2,
                                               .hint_count = 1,
                                               .deadline = -1,
                                               .hints = &hint,
                                               .model_cache = files,
                                               .data_cache = files + 1,
                                               .model_cache_count = 1,
                                               .data_cache_count = 2,
                                               .token = token,
                                               .extensions = &prefix,
                                               .extension_count = 1};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_prepare_options_pack(&pack, &options);
    EXPECT_INT(pack.fd_count, 3);
    EXPECT_INT(pack.fds[0], 4);
    EXPECT_INT(pack.fds[2], 6);
    pair(&expected, 1, 2);
    word(&expected, UINT64_MAX);
    pair(&expected, 1, 1);
    pair(&expected, 1, 2);
    pair(&expected, 1, 0);
    word(&expected, 1);
    for (int i = 0; i < 3; i++)
        word(&expected, 0);
    pair(&expected, 3 << 16 | 1, 2);
    word(&expected, 0x7978);
    pair(&expected, 3, 0);
    text(&expected, "p");
    expect_bytes(&pack, &expected, "prepare options");
}

TEST(wire_format_calls, fenced_execution)
{
    static const uint32_t dims[] = {2, 3};
    static const int32_t wait_for[] = {8, 9};
    const struct hy_argument input = {
        .rank = 2, .dims = dims, .location = {.padding = 1, .offset = 64, .length = 24}};
    const struct hy_argument output = {.flags = HY_ARGUMENT_NO_VALUE};
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM, .fd = -1, .id = 5};
    const struct hy_request request = {.input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 1,
                                       .inputs = &input,
                                       .outputs = &output,
                                       .pools = &pool};
    const struct hy_run_options options = {
        .measure = 1, .deadline = 100, .loop_timeout = 200, .duration = 300};
    const struct hy_fences fences = {.wait_for = wait_for, .wait_count = 2, .signal = 10};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_request_pack(&pack, &request);
    hy_run_options_pack(&pack, &options);
    hy_fences_pack(&pack, &fences);
    EXPECT_INT(pack.fd_count, 3);
    EXPECT_INT(pack.fds[1], 9);
    EXPECT_INT(pack.fds[2], 10);
    pair(&expected, 1, 1);
    pair(&expected, 1, 2);
    pair(&expected, 0, 2);
    pair(&expected, 0, 1);
    word(&expected, 64);
    word(&expected, 24);
    pair(&expected, 1, 0);
    for (int i = 0; i < 3; i++)
        word(&expected, 0);
    pair(&expected, 2, 3);
    pair(&expected, 2, 0);
    pair(&expected, 0, 0);
    word(&expected, 5);
    word(&expected, 0);
    word(&expected, 0);
    pair(&expected, 1, 0);
    word(&expected, 100);
    word(&expected, 200);
    word(&expected, 300);
    word(&expected, 2);
    expect_bytes(&pack, &expected, "fenced execution");
}

TEST(wire_format_calls, results)
{
    struct hy_output_shape shapes[] = {{.rank = 3, .sufficient = 1, .dims = {1, 2, 3}},
                                       {.rank = 0, .sufficient = 0}};
    const struct hy_result result = {
        .output_count = 2, .outputs = shapes, .time_on_device = 4, .time_in_driver = 5};
    const struct hy_fenced_result fenced = {.status = 2,
                                            .launched_on_device = 6,
                                            .launched_in_driver = 7,
                                            .fenced_on_device = 8,
                                            .fenced_in_driver = 9};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_result_pack(&pack, &result);
    hy_fenced_result_pack(&pack, &fenced);
    pair(&expected, 2, 3);
    word(&expected, 4);
    word(&expected, 5);
    pair(&expected, 3, 1);
    pair(&expected, 0, 0);
    pair(&expected, 1, 2);
    pair(&expected, 3, 0);
    pair(&expected, 2, 0);
    for (uint64_t i = 6; i < 10; i++)
        word(&expected, i);
    expect_bytes(&pack, &expected, "results");
}

TEST(wire_format_calls, buffers_and_bursts)
{
    static const uint32_t dims[] = {1, 2, 3};
    static const uint64_t ids[] = {100, 200};
    const struct hy_buffer_role role = {
        .prepared = 1, .is_output = 1, .index = 2, .frequency = 0.5f};
    const struct hy_buffer_desc desc = {
        .rank = 3, .dims = dims, .roles = &role, .prepared_count = 2, .role_count = 1};
    const struct hy_pool pool = {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = 6};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_buffer_desc_pack(&pack, &desc, ids);
    hy_created_buffer_pack(&pack, &(struct hy_created_buffer){6});
    hy_buffer_copy_pack(&pack, &(struct hy_buffer_copy){pool, dims, 3});
    hy_burst_slot_pack(&pack, &(struct hy_burst_slot){63, pool});
    pair(&expected, 3, 2);
    pair(&expected, 1, 0);
    pair(&expected, 1, 2);
    pair(&expected, 3, 0);
    word(&expected, 100);
    word(&expected, 200);
    pair(&expected, 1, 1);
    number_and_float(&expected, 2, 0.5f);
    word(&expected, 6);
    word(&expected, 3);
    pair(&expected, 1, 2);
    pair(&expected, 3, 0);
    token_pool(&expected, 6);
    word(&expected, 63);
    token_pool(&expected, 6);
    expect_bytes(&pack, &expected, "buffers and bursts");
}
