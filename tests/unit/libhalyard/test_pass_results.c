/* Random graphs compute the same with passes and without. */
#include "tests/kit/test.h"

#include <math.h>

#include "libhalyard/graph/passes/passes.h"
#include "libhalyard/graph/propagate.h"
#include "tests/unit/libhalyard/kit/graph_run.h"
#include "tests/unit/libhalyard/kit/random_image_graph.h"

enum { SEEDS = 300 };

/* A fused batch normalisation rounds each product once where two were rounded before; sums of 27
 * products, through 14 nodes, differ by less than this part of the largest element. */
#define FLOAT_PART 1e-5f

static float largest(const float *numbers, uint64_t count)
{
    float most = 0.0f;
    for (uint64_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(numbers[i]));
    return most;
}

static void compare_floats(uint64_t seed, uint32_t output, uint64_t count, const float *want,
                           const float *got)
{
    const float allowed = FLOAT_PART * fmaxf(1.0f, largest(want, count));
    for (uint64_t i = 0; i < count; i++) {
        if (!(fabsf(want[i] - got[i]) <= allowed)) {
            hy_test_fail(__FILE__, __LINE__, "seed %llu, output %u, element %llu: %g became %g",
                         (unsigned long long)seed, output, (unsigned long long)i, (double)want[i],
                         (double)got[i]);
            return;
        }
    }
    hy_test_pass(__FILE__, __LINE__);
}

static void compare_bytes(uint64_t seed, uint32_t output, uint64_t count, const uint8_t *want,
                          const uint8_t *got)
{
    for (uint64_t i = 0; i < count; i++) {
        if (want[i] != got[i]) {
            hy_test_fail(__FILE__, __LINE__, "seed %llu, output %u, element %llu: %u became %u",
                         (unsigned long long)seed, output, (unsigned long long)i, want[i], got[i]);
            return;
        }
    }
    hy_test_pass(__FILE__, __LINE__);
}

static void compare(uint64_t seed, const struct hy_graph_result *want,
                    const struct hy_graph_result *got)
{
    EXPECT_INT(got->count, want->count);
    for (uint32_t i = 0; i < want->count && i < got->count; i++) {
        EXPECT_INT(got->outputs[i].length, want->outputs[i].length);
        if (want->outputs[i].element == HY_ELEMENT_FLOAT32)
            compare_floats(seed, i, want->outputs[i].length / sizeof(float), want->outputs[i].bytes,
                           got->outputs[i].bytes);
        else
            compare_bytes(seed, i, want->outputs[i].length, want->outputs[i].bytes,
                          got->outputs[i].bytes);
    }
}

/* Returns how many operations fewer there are with passes. */
static uint32_t compare_seed(enum hy_element element, uint64_t seed)
{
    struct hy_drawn_graph plain = {0}, passed = {0};
    struct hy_graph_result want, got;

    hy_draw_random_images(&plain, element, seed);
    EXPECT_INT(hy_graph_propagate(&plain.graph, NULL), HY_OK);
    hy_graph_run(&plain.graph, seed, &want);
    hy_draw_random_images(&passed, element, seed);
    EXPECT_INT(hy_graph_run_passes(&passed.graph, NULL), HY_OK);
    hy_graph_run(&passed.graph, seed, &got);
    compare(seed, &want, &got);
    EXPECT(got.operations <= want.operations);
    const uint32_t fewer = want.operations - got.operations;
    hy_graph_result_finish(&want);
    hy_graph_result_finish(&got);
    hy_draw_finish(&plain);
    hy_draw_finish(&passed);
    return fewer;
}

TEST(pass_results, random_graphs_of_floats_differ_by_their_rounding)
{
    uint32_t fewer = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        fewer += compare_seed(HY_ELEMENT_FLOAT32, seed);
    EXPECT(fewer > SEEDS); /* passes have something to do */
}

TEST(pass_results, random_graphs_of_bytes_are_equal)
{
    uint32_t fewer = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        fewer += compare_seed(HY_ELEMENT_UINT8, seed);
    EXPECT(fewer > SEEDS);
}
