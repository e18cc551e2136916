/* Operations with arguments drawn at random, compared with the scalar reference kernels. XNNPACK is
 * built with its assertions on: what it cannot do has to be refused, or the process ends. */
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "guarded.h"
#include "random_case.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <math.h>
#include <stdlib.h>

#define SEEDS    (1200 / HY_SLOWNESS)
#define CAPACITY (1u << 20) /* bytes of an argument */

/* Both devices, and memory for their arguments that ends at a page nobody can touch. */
struct comparison {
    struct hy_runner reference, xnnpack;
    struct guarded inputs[RANDOM_CASE_INPUTS], outputs[RANDOM_CASE_OUTPUTS];
    uint8_t *wanted[RANDOM_CASE_OUTPUTS], *got[RANDOM_CASE_OUTPUTS];
    uint32_t served; /* cases that both have run */
};

static bool open_comparison(struct comparison *comparison)
{
    bool ok = true;
    *comparison = (struct comparison){0};
    for (uint32_t i = 0; ok && i < RANDOM_CASE_INPUTS; i++)
        ok = guarded_init(&comparison->inputs[i], CAPACITY);
    for (uint32_t i = 0; ok && i < RANDOM_CASE_OUTPUTS; i++) {
        comparison->wanted[i] = malloc(CAPACITY);
        ok = comparison->wanted[i] && guarded_init(&comparison->outputs[i], CAPACITY);
    }
    return ok && xnnpack_open(&comparison->xnnpack) &&
           hy_runner_open(&comparison->reference, hy_cpu_driver(), 1) == HY_STATUS_OK;
}

static void close_comparison(struct comparison *comparison)
{
    hy_runner_close(&comparison->xnnpack);
    hy_runner_close(&comparison->reference);
    for (uint32_t i = 0; i < RANDOM_CASE_INPUTS; i++)
        guarded_finish(&comparison->inputs[i]);
    for (uint32_t i = 0; i < RANDOM_CASE_OUTPUTS; i++) {
        guarded_finish(&comparison->outputs[i]);
        free(comparison->wanted[i]);
    }
}

static int32_t run_reference(struct comparison *comparison, const struct random_case *random)
{
    hy_runner_clear(&comparison->reference);
    for (uint32_t i = 0; i < random->input_count; i++)
        hy_runner_input(&comparison->reference, random->inputs[i], random->lengths[i], 0, NULL);
    for (uint32_t i = 0; i < random->output_count; i++)
        hy_runner_output(&comparison->reference, comparison->wanted[i], CAPACITY, 0, NULL);
    return hy_runner_execute(&comparison->reference);
}

static uint64_t length_of_output(const struct hy_runner *reference, uint32_t index, int32_t type)
{
    uint64_t length = type == F32 ? 4 : 1;
    for (uint32_t i = 0; i < reference->shapes[index].rank; i++)
        length *= reference->shapes[index].dims[i];
    return length;
}

/* Inputs end at the guard or a little before it, aligned or not; outputs end at it. */
static int32_t run_xnnpack(struct comparison *comparison, struct random_case *random)
{
    hy_runner_clear(&comparison->xnnpack);
    for (uint32_t i = 0; i < random->input_count; i++) {
        const uint64_t length = random->lengths[i];
        uint8_t *at =
            guarded_end(&comparison->inputs[i], length, hy_random_below(&random->numbers, 40));
        memcpy(at, random->inputs[i], length);
        hy_runner_input(&comparison->xnnpack, at, length, 0, NULL);
    }
    for (uint32_t i = 0; i < random->output_count; i++) {
        const uint64_t length =
            length_of_output(&comparison->reference, i, random->output_types[i]);
        comparison->got[i] = guarded_end(&comparison->outputs[i], length, 0);
        memset(comparison->got[i], 0x5a, length);
        hy_runner_output(&comparison->xnnpack, comparison->got[i], length, 0, NULL);
    }
    return hy_runner_execute(&comparison->xnnpack);
}

/* Where a pixel of a resized image comes from is rounded to float, on either side. Activations may
 * hide how large the sums of a convolution were. */
static float tolerance_of(int32_t operation)
{
    return operation == ANEURALNETWORKS_RESIZE_BILINEAR ? 1e-4f : 2e-5f;
}

/* The index of the first element that is not as it should be; `count` if there is none. */
static size_t first_difference(int32_t type, float tolerance, const uint8_t *wanted,
                               const uint8_t *got, size_t count)
{
    const float *a = (const float *)wanted, *b = (const float *)got;
    float largest = 1;
    size_t i = 0;
    for (; type == F32 && i < count; i++)
        largest = fmaxf(largest, fabsf(a[i]));
    for (i = 0; i < count; i++) {
        const int step = type == QS8 ? (int8_t)wanted[i] - (int8_t)got[i] : wanted[i] - got[i];
        const bool is_close =
            type == F32 ? isnan(a[i]) || fabsf(a[i] - b[i]) <= tolerance * largest : abs(step) <= 1;
        if (!is_close)
            break;
    }
    return i;
}

static void compare(const struct comparison *comparison, const struct random_case *random,
                    const char *name, uint64_t seed)
{
    for (uint32_t i = 0; i < random->output_count; i++) {
        const struct hy_output_shape *a = &comparison->reference.shapes[i];
        const struct hy_output_shape *b = &comparison->xnnpack.shapes[i];
        const int32_t type = random->output_types[i];
        size_t count = 1;
        EXPECT_INT(b->rank, a->rank);
        for (uint32_t k = 0; k < a->rank; k++) {
            EXPECT_INT(b->dims[k], a->dims[k]);
            count *= a->dims[k];
        }
        const size_t at = first_difference(type, tolerance_of(random->operation),
                                           comparison->wanted[i], comparison->got[i], count);
        if (at < count && type == F32)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: output %u, element %zu is %g, not %g",
                         name, (unsigned long long)seed, i, at,
                         (double)((float *)comparison->got[i])[at],
                         (double)((float *)comparison->wanted[i])[at]);
        else if (at < count)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: output %u, byte %zu is %u, not %u",
                         name, (unsigned long long)seed, i, at, comparison->got[i][at],
                         comparison->wanted[i][at]);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
}

static void try_one(struct comparison *comparison, uint32_t operation, uint64_t seed)
{
    struct random_case random;
    random_case_init(&random, operation, seed);
    const char *name = hy_operation_name(random.operation);
    const struct hy_model *model = hy_builder_model(&random.builder);
    const bool is_valid = hy_runner_prepare(&comparison->reference, model) == HY_STATUS_OK &&
                          run_reference(comparison, &random) == HY_STATUS_OK;
    const bool is_served = xnnpack_refusal(&comparison->xnnpack, model)[0] == '\0';
    if (is_valid && is_served) {
        const int32_t status = run_xnnpack(comparison, &random);
        if (status != HY_STATUS_OK)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: status %d, %s", name,
                         (unsigned long long)seed, status, comparison->xnnpack.message);
        else
            compare(comparison, &random, name, seed);
    }
    comparison->served += is_valid && is_served;
    random_case_finish(&random);
}

TEST(xnnpack_random, answers_are_those_of_the_reference)
{
    struct comparison comparison;
    REQUIRE(open_comparison(&comparison));
    for (uint32_t operation = 0; operation < random_case_operations(); operation++) {
        comparison.served = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            try_one(&comparison, operation, seed);
        EXPECT(comparison.served > SEEDS / 20);
    }
    close_comparison(&comparison);
}
