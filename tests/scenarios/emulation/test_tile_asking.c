/* When halyard-cpu asks for tiles, and what it does without them: on an emulated processor. */
#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/scenarios/emulation/amx.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

enum { HALYARD_CPU, REFERENCE, INPUTS = 96, UNITS = 40, MOST_ROWS = 33 };

static int8_t in[MOST_ROWS * INPUTS], weights[UNITS * INPUTS];
static int32_t bias[UNITS];

static void fill(void)
{
    struct hy_random r = {7};

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (int8_t)hy_random_between(&r, -128, 127);
    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (int8_t)hy_random_between(&r, -128, 127);
    for (size_t i = 0; i < UNITS; i++)
        bias[i] = hy_random_between(&r, -9999, 9999);
}

static struct hy_builder_type type_of(int32_t type, uint32_t rows, uint32_t columns, float scale)
{
    struct hy_builder_type made = hy_op_case_type(type, 2, (const uint32_t[]){rows, columns});

    made.scale = scale;
    made.zero_point = 0;
    return made;
}

/* FULLY_CONNECTED of `rows` rows, with these instruction sets. */
static void run(uint32_t device, const char *sets, uint32_t rows, int8_t *out)
{
    const int32_t s8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const struct hy_builder_type input = type_of(s8, rows, INPUTS, 0.5f);
    const struct hy_builder_type filter = type_of(s8, UNITS, INPUTS, 0.5f);
    const struct hy_builder_type output = type_of(s8, rows, UNITS, 256.0f);
    struct hy_builder_type sums =
        hy_op_case_type(ANEURALNETWORKS_TENSOR_INT32, 1, (const uint32_t[]){UNITS});
    struct hy_op_case test;

    sums.scale = 0.25f;
    hy_op_case_init(&test, HY_OP_FULLY_CONNECTED);
    hy_op_case_tensor(&test, &input, in, false);
    hy_op_case_tensor(&test, &filter, weights, true);
    hy_op_case_tensor(&test, &sums, bias, true);
    hy_op_case_int(&test, ANEURALNETWORKS_FUSED_NONE);
    hy_op_case_output(&test, &output, out, (uint64_t)rows * UNITS);
    if (hy_op_case_run_within(&test, device, sets) != HY_STATUS_OK)
        hy_test_fail(__FILE__, __LINE__, "device %u, %u rows: %s", device, rows, test.message);
    hy_op_case_finish(&test);
}

/* halyard-cpu has the bytes of the reference, and asks and uses tiles, or does not. */
static void check(const char *sets, uint32_t rows, bool asks, bool uses)
{
    int8_t want[MOST_ROWS * UNITS] = {0}, got[MOST_ROWS * UNITS] = {0};
    const unsigned asked = emulated_tiles_asked(), used = emulated_tiles_used();

    fill();
    run(REFERENCE, "{}", rows, want);
    EXPECT(emulated_tiles_asked() == asked);
    run(HALYARD_CPU, sets, rows, got);
    EXPECT(memcmp(want, got, sizeof got) == 0);
    EXPECT((emulated_tiles_asked() != asked) == asks);
    EXPECT((emulated_tiles_used() != used) == uses);
}

TEST(tile_asking, devices_are_listed_without_asking)
{
    const struct hy_driver *driver = hy_cpu_driver();
    struct hy_device_info info = {.struct_size = sizeof info};
    const struct hy_device *table;
    void *instance, *device;
    char text[128];
    const struct hy_message message = {text, sizeof text};
    const unsigned asked = emulated_tiles_asked();

    REQUIRE(driver->create(hy_test_host(), "{}", &message, &instance) == HY_STATUS_OK);
    EXPECT_INT(driver->device(instance, HALYARD_CPU, &table, &device), HY_STATUS_OK);
    EXPECT_INT(table->describe(device, &info), HY_STATUS_OK);
    EXPECT_CONTAINS(info.build_id, " amx");
    EXPECT_STR(hy_cpu_device_note(device), "");
    driver->destroy(instance);
    EXPECT_INT(emulated_tiles_asked(), asked);
}

TEST(tile_asking, operations_that_tiles_pay_for_ask_and_use_them)
{
    check("{}", 8, true, true);
    check("{}", 33, true, true);
}

TEST(tile_asking, few_rows_do_not_ask)
{
    check("{}", 1, false, false);
    check("{}", 7, false, false);
}

TEST(tile_asking, sets_without_tiles_do_not_ask)
{
    check("avx512", 33, false, false);
    check("none", 33, false, false);
}

TEST(tile_asking, what_is_refused_is_computed_without)
{
    emulated_tiles_set_result(0);
    check("{}", 33, true, false);
    emulated_tiles_set_result(1);
}

TEST(tile_asking, a_list_without_tiles_is_noted)
{
    const struct hy_driver *driver = hy_cpu_driver();
    const struct hy_device *table;
    void *instance, *device;
    char text[128];
    const struct hy_message message = {text, sizeof text};

    REQUIRE(driver->create(hy_test_host(), "avx512", &message, &instance) == HY_STATUS_OK);
    EXPECT_INT(driver->device(instance, HALYARD_CPU, &table, &device), HY_STATUS_OK);
    EXPECT_CONTAINS(hy_cpu_device_note(device), "HALYARD_CPU_FEATURES");
    EXPECT_INT(driver->device(instance, REFERENCE, &table, &device), HY_STATUS_OK);
    EXPECT_STR(hy_cpu_device_note(device), "");
    driver->destroy(instance);
}
