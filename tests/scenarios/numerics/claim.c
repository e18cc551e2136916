#include "tests/scenarios/numerics/claim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>

#include "cpu_fallback/kernels/kernels.h"

enum { SAMPLE = 1 << 17, WHOLE = 100 << 20 };

static uint64_t choose_seed(void)
{
    const char *setting = getenv("HALYARD_TEST_SEED");
    uint32_t seed;

    if (setting)
        return strtoull(setting, NULL, 10);
    return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

static void add_device(struct claim *claim, const char *sets, bool is_reference)
{
    struct claim_device *device = &claim->devices[claim->device_count++];

    *device = (struct claim_device){.sets = sets, .is_reference = is_reference};
    snprintf(device->name, sizeof device->name, "%s%s",
             is_reference ? "nnapi-reference" : "halyard-cpu ", is_reference ? "" : sets);
}

static void find_devices(struct claim *claim)
{
    add_device(claim, "none", true);
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (hy_kernels_at((enum hy_kernel_isa_level)level))
            add_device(claim, hy_kernel_isa_level_name((enum hy_kernel_isa_level)level), false);
}

static void report(const struct claim *claim)
{
    printf("%llu elements, seed %llu; worst:", (unsigned long long)claim->seen,
           (unsigned long long)claim->seed);
    for (uint32_t i = 0; i < claim->device_count; i++)
        printf(" %s %.4g", claim->devices[i].name, claim->devices[i].worst);
    printf("\n");
}

void claim_check(void (*body)(struct claim *claim), bool is_whole)
{
    struct claim *claim = calloc(1, sizeof *claim);

    if (!claim)
        abort();
    claim->is_whole = is_whole;
    claim->elements = is_whole ? WHOLE : SAMPLE;
    claim->seed = choose_seed();
    claim->random.state = claim->seed;
    find_devices(claim);
    body(claim);
    report(claim);
    EXPECT(claim->seen >= claim->elements || claim->first[0]);
    for (uint32_t i = 0; i < claim->device_count; i++)
        EXPECT_INT(claim->devices[i].wrong, 0);
    if (claim->first[0])
        hy_test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)claim->seed,
                     claim->first);
    free(claim);
}

void claim_run(struct claim *claim, struct hy_op_case *test, claim_check_fn *check, void *context)
{
    for (uint32_t i = 0; i < claim->device_count; i++) {
        struct claim_device *device = &claim->devices[i];
        const int32_t status = hy_op_case_run_within(test, device->is_reference, device->sets);
        if (status != HY_STATUS_OK)
            claim_wrong(claim, device, "status %d, %s", status, test->message);
        else
            check(claim, device, context);
    }
}

void claim_wrong(struct claim *claim, struct claim_device *device, const char *format, ...)
{
    va_list args;

    device->wrong++;
    if (claim->first[0])
        return;
    const int used = snprintf(claim->first, sizeof claim->first, "%s: ", device->name);
    va_start(args, format);
    vsnprintf(claim->first + used, sizeof claim->first - (size_t)used, format, args);
    va_end(args);
}
