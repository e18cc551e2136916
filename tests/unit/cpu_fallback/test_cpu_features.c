#include <stdlib.h>

#include "cpu_fallback/allowed_isa_levels.h"
#include "cpu_fallback/cache/cpu_cache.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/kernels/kernels.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

/* The instruction sets that halyard-cpu may use, as the driver's arguments say. */

static char logged[512]; /* all lines */

static void note_line(void *context, int32_t severity, const char *line)
{
    const size_t used = strlen(logged);

    (void)context;
    EXPECT_INT(severity, HY_LOG_WARNING);
    snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

/* The levels of a list; what is logged about it is in `logged`. */
static uint32_t allowed(const char *names)
{
    struct hy_host host = *hy_test_host();

    host.log = note_line;
    logged[0] = '\0';
    return hy_cpu_allowed_isa_levels(names, &host);
}

static uint32_t bit(enum hy_kernel_isa_level level)
{
    return 1u << level;
}

TEST(cpu_features, no_list_allows_all)
{
    EXPECT(allowed(NULL) == HY_KERNEL_ALL_ISA_LEVELS);
    EXPECT(allowed("") == HY_KERNEL_ALL_ISA_LEVELS);
    EXPECT(allowed("{}") == HY_KERNEL_ALL_ISA_LEVELS);
    EXPECT_STR(logged, "");
}

TEST(cpu_features, a_name_allows_what_it_builds_on)
{
    const uint32_t none = bit(HY_KERNEL_REFERENCE), avx2 = none | bit(HY_KERNEL_AVX2);
    const uint32_t dotprod = none | bit(HY_KERNEL_NEON) | bit(HY_KERNEL_DOTPROD);

    EXPECT_INT(allowed("none"), none);
    EXPECT_INT(allowed("reference"), none);
    EXPECT_INT(allowed("avx2"), avx2);
    EXPECT_INT(allowed("avxvnni"), avx2 | bit(HY_KERNEL_AVXVNNI));
    EXPECT_INT(allowed("avx512"), avx2 | bit(HY_KERNEL_AVX512));
    EXPECT_INT(allowed("amx"), avx2 | bit(HY_KERNEL_AVX512) | bit(HY_KERNEL_AMX));
    EXPECT_INT(allowed("i8mm"), dotprod | bit(HY_KERNEL_I8MM));
    EXPECT_INT(allowed("avx2,dotprod"), avx2 | dotprod);
    EXPECT_INT(allowed(" avx2, none\tdotprod ,"), avx2 | dotprod);
    EXPECT_STR(logged, "");
}

TEST(cpu_features, unknown_names_are_logged_and_left_out)
{
    EXPECT_INT(allowed("sse9,avx2,avx"), bit(HY_KERNEL_REFERENCE) | bit(HY_KERNEL_AVX2));
    EXPECT_CONTAINS(logged, "\"sse9\"");
    EXPECT_CONTAINS(logged, "\"avx\"");
    EXPECT_INT(allowed("AVX2"), bit(HY_KERNEL_REFERENCE));
    EXPECT_CONTAINS(logged, "\"AVX2\"");
}

TEST(cpu_features, the_best_of_the_allowed_sets_that_the_machine_has_serves)
{
    EXPECT(hy_kernels_within(HY_KERNEL_ALL_ISA_LEVELS) == hy_kernels_fast());
    EXPECT(hy_kernels_within(HY_KERNEL_ONLY_REFERENCE) == hy_kernels_reference());
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *own = hy_kernels_at((enum hy_kernel_isa_level)level);
        const uint32_t isa_levels =
            allowed(hy_kernel_isa_level_name((enum hy_kernel_isa_level)level));
        EXPECT(hy_kernels_within(isa_levels) ==
               (own ? own : hy_kernels_within(isa_levels & ~bit((enum hy_kernel_isa_level)level))));
    }
}

/* Where the caller knows which machine this is, and says so. */
TEST(cpu_features, the_machine_has_the_set_that_it_is_known_for)
{
    const char *known = getenv("HALYARD_TEST_KERNELS");

    if (known && *known)
        EXPECT_STR(hy_kernels_name(hy_kernels_fast()), known);
}

static int32_t describe(const char *arguments, uint32_t index, char build_id[64])
{
    const struct hy_driver *driver = hy_cpu_driver();
    struct hy_device_info info = {.struct_size = sizeof info};
    const struct hy_device *table;
    void *instance, *device;
    char text[128];
    const struct hy_message message = {text, sizeof text};
    int32_t status = driver->create(hy_test_host(), arguments, &message, &instance);

    if (status != HY_STATUS_OK)
        return status;
    status = driver->device(instance, index, &table, &device);
    if (status == HY_STATUS_OK)
        status = table->describe(device, &info);
    if (status == HY_STATUS_OK)
        snprintf(build_id, 64, "%s", info.build_id);
    driver->destroy(instance);
    return status;
}

/* "BUILD SET" */
static const char *set_in(const char *build_id)
{
    const char *blank = strrchr(build_id, ' ');
    return blank ? blank + 1 : "";
}

TEST(cpu_features, the_build_id_names_the_set_in_use)
{
    char build_id[64];

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const char *name = hy_kernel_isa_level_name((enum hy_kernel_isa_level)level);
        if (!hy_kernels_at((enum hy_kernel_isa_level)level))
            continue;
        REQUIRE(describe(name, 0, build_id) == HY_STATUS_OK);
        EXPECT_STR(set_in(build_id), name);
        REQUIRE(describe(name, 1, build_id) == HY_STATUS_OK);
        EXPECT_STR(set_in(build_id), "reference");
    }
    REQUIRE(describe("{}", 0, build_id) == HY_STATUS_OK);
    EXPECT_STR(set_in(build_id), hy_kernels_name(hy_kernels_fast()));
}

/* Their weights are packed in another order. */
TEST(cpu_features, cache_files_of_one_set_are_not_those_of_another)
{
    struct hy_cpu_cache_identity known[HY_KERNEL_ISA_LEVEL_COUNT];
    int count = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *kernels = hy_kernels_at((enum hy_kernel_isa_level)level);
        struct hy_cpu_device device;
        if (!kernels)
            continue;
        hy_cpu_device_init(&device, "halyard-cpu", hy_test_host(), kernels, 1, 1);
        known[count] = hy_cpu_cache_identity_of(&device);
        for (int i = 0; i < count; i++)
            EXPECT(memcmp(&known[i], &known[count], sizeof *known) != 0);
        count++;
    }
}
