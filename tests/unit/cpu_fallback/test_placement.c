#include <stdbool.h>
#include <stdlib.h>

#include "common/memory/span_layout.h"
#include "cpu_fallback/kernels/types.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#define MOST 200

static bool live_together(const struct hy_span *a, const struct hy_span *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static bool overlap(const struct hy_span *a, const struct hy_span *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void check(uint32_t seed, const struct hy_span *spans, uint32_t count, size_t total)
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
static size_t lower_bound(const struct hy_span *spans, uint32_t count, uint32_t steps)
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

static enum hy_code position(struct hy_span *spans, uint32_t count,
                             struct hy_span_layout *span_layout, struct hy_error *err)
{
    struct hy_arena memory = {0};

    enum hy_code code = hy_lay_out_spans(&memory, spans, count, span_layout, err);
    hy_arena_finish(&memory);
    return code;
}

TEST(span_layout, spans_that_live_together_never_overlap)
{
    struct hy_span spans[MOST];
    struct hy_span_layout span_layout;
    size_t sum = 0, least = 0;

    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t state = seed, count = hy_sample_random(&state) % MOST;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t first = hy_sample_random(&state) % 100;
            spans[i] = (struct hy_span){
                .size = hy_sample_random(&state) % 5000,
                .first = first,
                .last = first + hy_sample_random(&state) % (i % 10 == 0 ? 50 : 4),
            };
        }
        EXPECT_INT(position(spans, count, &span_layout, NULL), HY_OK);
        check(seed, spans, count, span_layout.total);
        EXPECT_INT(span_layout.least, lower_bound(spans, count, 150));
        sum += span_layout.total;
        least += span_layout.least;
    }
    EXPECT(sum < least + least / 20);
}

TEST(span_layout, chain_needs_two_neighbours_at_most)
{
    struct hy_span spans[MOST];
    struct hy_span_layout span_layout;
    uint32_t state = 1;

    for (uint32_t i = 0; i < MOST; i++)
        spans[i] = (struct hy_span){
            .size = 1 + hy_sample_random(&state) % 100000, .first = i, .last = i + 1};
    EXPECT_INT(position(spans, MOST, &span_layout, NULL), HY_OK);
    EXPECT_INT(span_layout.total, span_layout.least);
}

/* A random graph: each step reads two tensors of any earlier steps, so that many live long. */
static uint64_t work_of_graph(uint32_t steps)
{
    struct hy_span *spans = calloc(steps, sizeof *spans);
    struct hy_span_layout span_layout;
    uint32_t state = steps;

    for (uint32_t i = 0; i < steps; i++) {
        spans[i] =
            (struct hy_span){.size = 1 + hy_sample_random(&state) % 5000, .first = i, .last = i};
        for (uint32_t k = 0; k < 2 && i > 0; k++)
            spans[hy_sample_random(&state) % i].last = i;
    }
    EXPECT_INT(position(spans, steps, &span_layout, NULL), HY_OK);
    check(steps, spans, steps, span_layout.total);
    printf("\n  %u spans: %.3f of the least, work %llu ", steps,
           (double)span_layout.total / (double)span_layout.least,
           (unsigned long long)span_layout.work);
    EXPECT(span_layout.total < span_layout.least + span_layout.least / 5);
    free(spans);
    return span_layout.work;
}

TEST(span_layout, work_grows_about_as_the_number_of_spans)
{
    uint64_t small = work_of_graph(1350), large = work_of_graph(13500);

    EXPECT(large <= 15 * small); /* 10 * log(13500) / log(1350) is 13.2; the square is 100 */
}

TEST(span_layout, sizes_that_do_not_fit_fail)
{
    struct hy_span spans[] = {{.size = SIZE_MAX / 2}, {.size = SIZE_MAX / 2 + 10}};
    struct hy_error err;
    struct hy_span_layout span_layout;

    EXPECT_INT(position(spans, 2, &span_layout, &err), HY_OUT_OF_MEMORY);
}
