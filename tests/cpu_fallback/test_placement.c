#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"
#include "cpu_fallback/placement.h"
#include "samples.h"
#include "test.h"

#define MOST 200

static bool live_together(const struct hy_cpu_span *a, const struct hy_cpu_span *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static bool overlap(const struct hy_cpu_span *a, const struct hy_cpu_span *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void check(uint32_t seed, const struct hy_cpu_span *spans, uint32_t count, size_t total)
{
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].offset % HY_KERNEL_ALIGNMENT != 0 || spans[i].offset + spans[i].size > total)
            hy_test_fail(__FILE__, __LINE__, "seed %u: span %u lies at %zu of %zu", seed, i,
                         spans[i].offset, total);
        for (uint32_t k = 0; k < i; k++) {
            if (live_together(&spans[i], &spans[k]) && overlap(&spans[i], &spans[k]))
                hy_test_fail(__FILE__, __LINE__, "seed %u: spans %u and %u overlap", seed, i, k);
        }
    }
}

/* The least that any placement needs: what lives at the busiest step. */
static size_t lower_bound(const struct hy_cpu_span *spans, uint32_t count, uint32_t steps)
{
    size_t most = 0;

    for (uint32_t step = 0; step < steps; step++) {
        size_t sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += spans[i].first <= step && step <= spans[i].last ? spans[i].size : 0;
        if (sum > most)
            most = sum;
    }
    return most;
}

TEST(placement, spans_that_live_together_never_overlap)
{
    struct hy_cpu_span spans[MOST];
    size_t total, sum = 0, least = 0;

    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t state = seed, count = hy_sample_random(&state) % MOST;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t first = hy_sample_random(&state) % 100;
            spans[i] = (struct hy_cpu_span){
                .size = hy_sample_random(&state) % 5000,
                .first = first,
                .last = first + hy_sample_random(&state) % (i % 10 == 0 ? 50 : 4),
            };
        }
        EXPECT_INT(hy_cpu_place(spans, count, &total, NULL), HY_OK);
        check(seed, spans, count, total);
        sum += total;
        least += lower_bound(spans, count, 150);
    }
    EXPECT(sum < least + least / 10);
}

TEST(placement, chain_needs_two_neighbours_at_most)
{
    struct hy_cpu_span spans[MOST];
    size_t total;

    for (uint32_t i = 0; i < MOST; i++)
        spans[i] = (struct hy_cpu_span){.size = 64 * (i + 1), .first = i, .last = i + 1};
    EXPECT_INT(hy_cpu_place(spans, MOST, &total, NULL), HY_OK);
    EXPECT_INT(total, 64 * (MOST + MOST - 1));
}

TEST(placement, sizes_that_do_not_fit_fail)
{
    struct hy_cpu_span spans[] = {{.size = SIZE_MAX / 2}, {.size = SIZE_MAX / 2 + 10}};
    struct hy_error err;
    size_t total;

    EXPECT_INT(hy_cpu_place(spans, 2, &total, &err), HY_OUT_OF_MEMORY);
}
