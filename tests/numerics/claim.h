#ifndef HY_TESTS_NUMERICS_CLAIM_H
#define HY_TESTS_NUMERICS_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/random.h"
#include "tests/cpu_fallback/kit/op_case.h"
#include "tests/test.h"

/*
 * A claim of docs/numerics.md, on many elements: a sample of them in the default suite, with
 * another seed each time, and 100 * 2^20 or more (105 million) in the slow one. Elements are
 * counted once, however many devices compute them.
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
 * HALYARD_TEST_SEED: the seed that a failure told.
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

/* nnapi-reference, and halyard-cpu with each set of instructions of this machine. */
enum { CLAIM_MOST_DEVICES = 8 };

struct claim_device {
    const char *sets; /* as hy_op_case_run_within() takes them */
    char name[32];
    bool is_reference;
    double worst;   /* the largest distance seen */
    uint64_t wrong; /* elements that were further away than they may be */
};

struct claim {
    bool is_whole;
    uint64_t seed, elements, seen;
    struct hy_random random;
    struct claim_device devices[CLAIM_MOST_DEVICES];
    uint32_t device_count;
    char first[512]; /* what was wrong first */
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

/* Runs the case on every device and calls `check` after each. A failed run is a failed claim. */
typedef void claim_check_fn(struct claim *claim, struct claim_device *device, void *context);

void claim_run(struct claim *claim, struct hy_op_case *test, claim_check_fn *check, void *context);

/* An element is wrong on a device; the words of the first one are kept. */
void claim_wrong(struct claim *claim, struct claim_device *device, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes how far an element is away; whether that is near enough. NaN is never near. */
static inline bool claim_near(struct claim_device *device, double distance, double most)
{
    if (distance > device->worst)
        device->worst = distance;
    return distance <= most;
}

/* How many elements a case of one dimension has. */
enum { CLAIM_BLOCK = 1 << 16 };

#endif
