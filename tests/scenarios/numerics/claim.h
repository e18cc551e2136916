#ifndef HY_TESTS_SCENARIOS_NUMERICS_CLAIM_H
#define HY_TESTS_SCENARIOS_NUMERICS_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/*
 * A check of a claim of docs/numerics.md on many elements. The default suite checks a sample with a
 * new seed in each run. The slow suite checks at least 100 * 2^20 elements (105 million). Elements
 * are counted once, independent of the number of devices.
 *
 *     CLAIM(arithmetic, add_is_rounded_once)
 *     {
 *         while (claim_goes_on(claim)) {
 *             ... make inputs, a model and the expected values: claim->random
 *             claim_run(claim, &model, check, context);
 *             claim_count(claim, elements);
 *         }
 *     }
 *
 * HALYARD_TEST_SEED repeats a run with the seed of a reported failure.
 */
#define CLAIM(suite, name) \
    static void claim_##name(struct claim *claim); \
    TEST(suite##_sample, name) \
    { \
        claim_check(claim_##name, false); \
    } \
    TEST(suite##_whole, name) \
    { \
        claim_check(claim_##name, true); \
    } \
    static void claim_##name(struct claim *claim)

/* nnapi-reference, and halyard-cpu with each instruction set of the machine. */
enum { CLAIM_MOST_DEVICES = 8 };

struct claim_device {
    const char *sets; /* in the format of hy_op_case_run_within() */
    char name[32];
    bool is_reference;
    double worst;   /* largest distance so far */
    uint64_t wrong; /* elements beyond the allowed distance */
};

struct claim {
    bool is_whole;
    uint64_t seed, elements, seen;
    struct hy_random random;
    struct claim_device devices[CLAIM_MOST_DEVICES];
    uint32_t device_count;
    char first[512]; /* text of the first failure */
};

void claim_check(void (*body)(struct claim *claim), bool is_whole);

static inline bool claim_goes_on(const struct claim *claim)
{
    return claim->seen < claim->elements && !claim->first[0];
}

static inline void claim_count(struct claim *claim, uint64_t elements)
{
    claim->seen += elements;
}

/* Runs the case on every device and calls `check` after each run. A failed run fails the claim. */
typedef void claim_check_fn(struct claim *claim, struct claim_device *device, void *context);

void claim_run(struct claim *claim, struct hy_op_case *test, claim_check_fn *check, void *context);

/* Counts a wrong element of a device and saves the text of the first failure. */
void claim_wrong(struct claim *claim, struct claim_device *device, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Records the distance of an element and returns whether the distance is allowed. NaN is never
 * allowed. */
static inline bool claim_near(struct claim_device *device, double distance, double most)
{
    if (distance > device->worst)
        device->worst = distance;
    return distance <= most;
}

/* Elements of a one-dimensional case. */
enum { CLAIM_BLOCK = 1 << 16 };

#endif
