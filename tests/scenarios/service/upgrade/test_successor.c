/* Which facts another build of a driver may change. */
#include "plugins/service/client/successor.h"
#include "tests/kit/test.h"

static const struct hy_extension_operand_type types[] = {{.code = 0, .byte_size = 4},
                                                         {.code = 1, .byte_size = 8}};

/* A device, and one that is just the same, for a test to change. */
struct pair {
    struct hy_extension extensions[2][2];
    uint8_t partial[2][2];
    struct hy_description devices[2][2];
    struct hy_hello_info first, now;
};

static void init(struct pair *pair)
{
    *pair = (struct pair){0};
    for (int side = 0; side < 2; side++) {
        struct hy_hello_info *hello_info = side == 0 ? &pair->first : &pair->now;
        pair->extensions[side][0] = (struct hy_extension){
            .name = "com.acme.fft", .operand_types = types, .operand_type_count = 2};
        pair->extensions[side][1] = (struct hy_extension){.name = "com.acme.more"};
        for (int i = 0; i < 2; i++)
            pair->devices[side][i] =
                (struct hy_description){.info = {.name = i == 0 ? "npu-a" : "npu-b",
                                                 .version = "1",
                                                 .build_id = "x",
                                                 .feature_level = 7,
                                                 .model_cache_files = 1,
                                                 .extension_count = 1,
                                                 .extensions = pair->extensions[side],
                                                 .partial_extensions = pair->partial[side]},
                                        .members = HY_WIRE_HAS_WAIT | HY_WIRE_HAS_BUFFERS};
        *hello_info = (struct hy_hello_info){.driver = "acme",
                                             .abi = HY_ABI(1, 1),
                                             .device_count = 2,
                                             .devices = pair->devices[side]};
    }
    pair->now.devices[1].info.version = "2";
    pair->now.devices[1].info.build_id = "y";
}

#define EXPECT_REFUSED(pair, expected) \
    do { \
        struct hy_error err = {0}; \
        EXPECT_INT(hy_successor_check(&(pair)->first, &(pair)->now, &err), HY_UNAVAILABLE); \
        EXPECT_STR(err.text, expected); \
    } while (0)

#define AGAIN  "an incompatible build, restart the app: "
#define BUILDS " (version 2, build y; was version 1, build x)"

static bool goes_on(const struct pair *pair)
{
    struct hy_error err;
    return hy_successor_check(&pair->first, &pair->now, &err) == HY_OK;
}

TEST(successor, version_build_figures_and_cache_files_may_change)
{
    struct pair pair;

    init(&pair);
    EXPECT(goes_on(&pair));
    EXPECT(hy_successor_can_use_files(&pair.first, &pair.now, 0));
    EXPECT(!hy_successor_can_use_files(&pair.first, &pair.now, 1));
    pair.now.devices[0].info.model_cache_files = 2;
    pair.now.devices[0].info.burst_depth = 4;
    pair.now.devices[0].info.type = HY_DEVICE_GPU;
    pair.now.devices[0].capabilities.launch_ns = 5;
    EXPECT(goes_on(&pair));
    EXPECT(!hy_successor_can_use_files(&pair.first, &pair.now, 0));
}

TEST(successor, more_of_all_is_fine)
{
    struct hy_description devices[3];
    struct pair pair;

    init(&pair);
    memcpy(devices, pair.now.devices, 2 * sizeof *devices);
    devices[2] = devices[1];
    devices[2].info.name = "npu-c";
    pair.now.devices = devices;
    pair.now.device_count = 3;
    pair.now.abi = HY_ABI(1, 2);
    devices[0].info.feature_level = 8;
    devices[0].info.extension_count = 2;
    devices[0].members |= HY_WIRE_HAS_FENCED | HY_WIRE_HAS_BURST_SERVE;
    devices[0].info.pool_kinds = UINT32_MAX;
    pair.partial[0][0] = 1; /* there is more of it now */
    EXPECT(goes_on(&pair));
}

TEST(successor, another_driver_is_refused)
{
    struct pair pair;

    init(&pair);
    pair.now.driver = "other";
    EXPECT_REFUSED(&pair, "the driver acme was replaced by the driver other, restart the app");
}

TEST(successor, fewer_devices_and_an_older_abi_are_refused)
{
    struct pair pair;

    init(&pair);
    pair.now.device_count = 1;
    EXPECT_REFUSED(&pair, "the driver acme is now " AGAIN "1 devices, was 2");
    init(&pair);
    pair.now.abi = HY_ABI(1, 0);
    EXPECT_REFUSED(&pair,
                   "npu-a is now " AGAIN
                   "the driver ABI is 1.0, was 1.1 (version 1, build x; was version 1, build x)");
}

TEST(successor, less_of_a_device_is_refused)
{
    struct pair pair;
    struct hy_device_info *info = &pair.devices[1][1].info;

    init(&pair);
    info->name = "npu-c";
    EXPECT_REFUSED(&pair, "npu-b is now " AGAIN "the name is npu-c, was npu-b" BUILDS);
    init(&pair);
    info->feature_level = 6;
    EXPECT_REFUSED(&pair, "npu-b is now " AGAIN "the feature level is 6, was 7" BUILDS);
    init(&pair);
    info->pool_kinds =
        1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    char expected[256];
    snprintf(expected, sizeof expected,
             "npu-b is now " AGAIN "memory of the kinds 0x%x is no longer supported" BUILDS,
             1u << HY_POOL_MMAP_FD);
    EXPECT_REFUSED(&pair, expected);
    init(&pair);
    pair.devices[1][1].members = HY_WIRE_HAS_WAIT;
    EXPECT_REFUSED(&pair, "npu-b is now " AGAIN "buffer_create is missing" BUILDS);
}

TEST(successor, less_of_an_extension_is_refused)
{
    static const char expected[] =
        "npu-a is now " AGAIN "the extension com.acme.fft is no longer supported in full (version "
        "1, build x; was version 1, build x)";
    struct pair pair;

    init(&pair);
    pair.devices[1][0].info.extensions = &pair.extensions[1][1];
    EXPECT_REFUSED(&pair, expected);
    init(&pair);
    pair.extensions[1][0].operand_type_count = 1;
    EXPECT_REFUSED(&pair, expected);
    init(&pair);
    pair.partial[1][0] = 1;
    EXPECT_REFUSED(&pair, expected);
}
