#include "tests/kit/test.h"

#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/reply.h"
#include "tests/unit/plugins/service/wire/kit/expected.h"
#include "tests/unit/plugins/service/wire/kit/samples.h"

#include <assert.h>
#include <stddef.h>

/* Version 2, byte by byte, as docs/service-protocol.md has it. */

static_assert(sizeof(struct hy_frame_header) == 24, "the header of a frame");
static_assert(offsetof(struct hy_frame_header, body_bytes) == 4, "the header of a frame");
static_assert(offsetof(struct hy_frame_header, fd_count) == 8, "the header of a frame");
static_assert(offsetof(struct hy_frame_header, status) == 12, "the header of a frame");
static_assert(offsetof(struct hy_frame_header, object) == 16, "the header of a frame");

TEST(wire_format, hello)
{
    const struct hy_hello hello = {.abi = 0x1234, .pid = 77, .pidfd = 5, .end_page = 6};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_hello_pack(&pack, &hello);
    EXPECT_INT(pack.fd_count, 2);
    pair(&expected, 2, 0x1234);
    pair(&expected, 77, 1);
    word(&expected, 1);
    expect_bytes(&pack, &expected, "hello");
}

TEST(wire_format, opening_and_opened)
{
    static const char *const files[] = {"/dev/a", "/dev/bcdef"};
    const struct hy_opening opening = {.library = "/l.so",
                                       .arguments = "{}",
                                       .device_files = files,
                                       .device_file_count = 2,
                                       .manifest_kind = 1,
                                       .capabilities = 2};
    const struct hy_opened opened = {.driver = "d", .sandbox = "s", .abi = 9, .device_count = 3};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_opening_pack(&pack, &opening);
    hy_opened_pack(&pack, &opened);
    pair(&expected, 1 | 2 << 16, 2);
    text(&expected, "/l.so");
    text(&expected, "{}");
    text(&expected, "/dev/a");
    text(&expected, "/dev/bcdef");
    pair(&expected, 9, 3);
    text(&expected, "d");
    text(&expected, "s");
    expect_bytes(&pack, &expected, "opening, opened");
}

TEST(wire_format, description)
{
    const struct hy_extension_operand_type type = {.code = 4, .is_tensor = 1, .byte_size = 2};
    const struct hy_extension extension = {
        .name = "com.acme.fft", .operand_types = &type, .operand_type_count = 1};
    const uint8_t part = 1;
    const struct hy_operand_performance operand = {.type = 3, .performance = {0.5f, 0.25f}};
    const struct hy_description description = {.info = {.type = 4,
                                                        .name = "n",
                                                        .version = "v",
                                                        .build_id = "",
                                                        .feature_level = 8,
                                                        .model_cache_files = 1,
                                                        .data_cache_files = 2,
                                                        .extension_count = 1,
                                                        .extensions = &extension,
                                                        .partial_extensions = &part,
                                                        .pool_kinds = 60,
                                                        .burst_depth = 3},
                                               .capabilities = {.operand_count = 1,
                                                                .operands = &operand,
                                                                .relaxed_scalar = {1, 2},
                                                                .relaxed_tensor = {3, 4},
                                                                .if_overhead = {5, 6},
                                                                .while_overhead = {7, 8},
                                                                .launch_ns = 9,
                                                                .bytes_per_second = 10},
                                               .members = HY_WIRE_HAS_BUFFERS | HY_WIRE_HAS_WAIT};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_description_pack(&pack, &description);
    word(&expected, 66);
    pair(&expected, 4, 8);
    pair(&expected, 1, 2);
    pair(&expected, 60, 1);
    pair(&expected, 3, 0);
    text(&expected, "n");
    text(&expected, "v");
    text(&expected, "");
    pair(&expected, 1, 0);
    text(&expected, "com.acme.fft");
    pair(&expected, 4 | 1 << 16, 2);
    word(&expected, 1);
    for (int i = 1; i < 8; i += 2)
        floats(&expected, (float)i, (float)i + 1);
    word(&expected, 9);
    word(&expected, 10);
    word(&expected, 1);
    number_and_float(&expected, 3, 0.5f);
    floats(&expected, 0.25f, 0.0f);
    expect_bytes(&pack, &expected, "description");
}

TEST(wire_format, pools_in_their_three_forms)
{
    const struct hy_image image = {
        .width = 1, .height = 2, .layers = 3, .format = 4, .stride = 5, .usage = 6};
    const struct hy_pool pools[] = {
        {.kind = HY_POOL_ASHMEM, .fd = 9, .id = 7, .size = 100},
        {.kind = HY_POOL_HARDWARE_BUFFER, .protection = 3, .fd = 9, .image = &image},
        {.kind = HY_POOL_MMAP_FD, .protection = 1, .fd = 9, .offset = 4096, .size = 50},
        {.kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = 11}};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_pools_pack(&pack, pools, 4);
    EXPECT_INT(pack.fd_count, 2);
    pair(&expected, 2, 0);
    pair(&expected, 0, 0);
    word(&expected, 7);
    word(&expected, 0);
    word(&expected, 0);
    pair(&expected, 5, 3);
    pair(&expected, 0, 3);
    for (int i = 0; i < 3; i++)
        word(&expected, 0);
    pair(&expected, 1, 2);
    pair(&expected, 3, 4);
    pair(&expected, 5, 0);
    word(&expected, 6);
    pair(&expected, 3, 1);
    pair(&expected, 0, 1);
    word(&expected, 0);
    word(&expected, 4096);
    word(&expected, 50);
    token_pool(&expected, 11);
    expect_bytes(&pack, &expected, "pools");
}

TEST(wire_format, what_the_host_asks_for)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {0xff};
    static const int32_t files[] = {3, 4};
    const struct hy_cache_update update = {
        .update = 8, .model_count = 1, .data_count = 1, .model = files, .data = files + 1};
    const uint64_t ids[] = {5, 6};
    struct expected expected = {0};
    struct hy_pack pack;

    hy_pack_init(&pack);
    hy_log_line_pack(&pack, &(struct hy_log_line){HY_LOG_WARNING, "hot"});
    hy_pack_text(&pack, "done");
    hy_cache_token_pack(&pack, &(struct hy_cache_token){token});
    hy_cache_update_pack(&pack, &update);
    hy_cache_commit_pack(&pack, &(struct hy_cache_commit){8, 1});
    hy_pack_fd(&pack, 3);
    hy_unknown_memory_pack(&pack, &(struct hy_unknown_memory){ids, 2});
    EXPECT_INT(pack.fd_count, 3);
    word(&expected, HY_LOG_WARNING);
    text(&expected, "hot");
    text(&expected, "done");
    word(&expected, 0xff);
    for (int i = 0; i < 3; i++)
        word(&expected, 0);
    word(&expected, 8);
    pair(&expected, 1, 1);
    word(&expected, 8);
    word(&expected, 1);
    word(&expected, 2);
    word(&expected, 5);
    word(&expected, 6);
    expect_bytes(&pack, &expected, "what the host asks for");
}
