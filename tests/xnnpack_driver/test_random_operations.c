/* Operations with arguments drawn at random, compared with the scalar reference kernels. XNNPACK is
 * built with its assertions on: what it cannot do has to be refused, or the process ends. */
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "guarded.h"
#include "random_case.h"
#include "support/threads.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define SEEDS (1200 / HY_SLOWNESS)
#define ROOM  (1u << 20) /* bytes of an argument */

/* Both devices, and memory for their arguments that ends at a page nobody can touch. */
struct contest {
    struct hy_runner reference, xnnpack;
    struct guarded inputs[RANDOM_CASE_INPUTS], outputs[RANDOM_CASE_OUTPUTS];
    uint8_t *wanted[RANDOM_CASE_OUTPUTS], *got[RANDOM_CASE_OUTPUTS];
    uint32_t served; /* cases that both have run */
};

static bool open_contest(struct contest *contest)
{
    bool ok = true;
    *contest = (struct contest){0};
    for (uint32_t i = 0; ok && i < RANDOM_CASE_INPUTS; i++)
        ok = guarded_init(&contest->inputs[i], ROOM);
    for (uint32_t i = 0; ok && i < RANDOM_CASE_OUTPUTS; i++) {
        contest->wanted[i] = malloc(ROOM);
        ok = contest->wanted[i] && guarded_init(&contest->outputs[i], ROOM);
    }
    return ok && xnnpack_open(&contest->xnnpack) &&
           hy_runner_open(&contest->reference, hy_cpu_driver(), 1) == HY_STATUS_OK;
}

static void close_contest(struct contest *contest)
{
    hy_runner_close(&contest->xnnpack);
    hy_runner_close(&contest->reference);
    for (uint32_t i = 0; i < RANDOM_CASE_INPUTS; i++)
        guarded_finish(&contest->inputs[i]);
    for (uint32_t i = 0; i < RANDOM_CASE_OUTPUTS; i++) {
        guarded_finish(&contest->outputs[i]);
        free(contest->wanted[i]);
    }
}

static int32_t run_reference(struct contest *contest, const struct random_case *random)
{
    hy_runner_clear(&contest->reference);
    for (uint32_t i = 0; i < random->input_count; i++)
        hy_runner_input(&contest->reference, random->inputs[i], random->lengths[i], 0, NULL);
    for (uint32_t i = 0; i < random->output_count; i++)
        hy_runner_output(&contest->reference, contest->wanted[i], ROOM, 0, NULL);
    return hy_runner_execute(&contest->reference);
}

static uint64_t length_of_output(const struct hy_runner *reference, uint32_t index, int32_t type)
{
    uint64_t length = type == F32 ? 4 : 1;
    for (uint32_t i = 0; i < reference->shapes[index].rank; i++)
        length *= reference->shapes[index].dims[i];
    return length;
}

/* Inputs end at the guard or a little before it, aligned or not; outputs end at it. */
static int32_t run_xnnpack(struct contest *contest, struct random_case *random)
{
    hy_runner_clear(&contest->xnnpack);
    for (uint32_t i = 0; i < random->input_count; i++) {
        const uint64_t length = random->lengths[i];
        uint8_t *at =
            guarded_end(&contest->inputs[i], length, hy_random_below(&random->numbers, 40));
        memcpy(at, random->inputs[i], length);
        hy_runner_input(&contest->xnnpack, at, length, 0, NULL);
    }
    for (uint32_t i = 0; i < random->output_count; i++) {
        const uint64_t length = length_of_output(&contest->reference, i, random->output_types[i]);
        contest->got[i] = guarded_end(&contest->outputs[i], length, 0);
        memset(contest->got[i], 0x5a, length);
        hy_runner_output(&contest->xnnpack, contest->got[i], length, 0, NULL);
    }
    return hy_runner_execute(&contest->xnnpack);
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

static void compare(const struct contest *contest, const struct random_case *random,
                    const char *name, uint64_t seed)
{
    for (uint32_t i = 0; i < random->output_count; i++) {
        const struct hy_output_shape *a = &contest->reference.shapes[i];
        const struct hy_output_shape *b = &contest->xnnpack.shapes[i];
        const int32_t type = random->output_types[i];
        size_t count = 1;
        EXPECT_INT(b->rank, a->rank);
        for (uint32_t k = 0; k < a->rank; k++) {
            EXPECT_INT(b->dims[k], a->dims[k]);
            count *= a->dims[k];
        }
        const size_t at = first_difference(type, tolerance_of(random->operation),
                                           contest->wanted[i], contest->got[i], count);
        if (at < count && type == F32)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: output %u, element %zu is %g, not %g",
                         name, (unsigned long long)seed, i, at,
                         (double)((float *)contest->got[i])[at],
                         (double)((float *)contest->wanted[i])[at]);
        else if (at < count)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: output %u, byte %zu is %u, not %u",
                         name, (unsigned long long)seed, i, at, contest->got[i][at],
                         contest->wanted[i][at]);
        else
            hy_test_pass(__FILE__, __LINE__);
    }
}

static void try_one(struct contest *contest, uint32_t operation, uint64_t seed)
{
    struct random_case random;
    random_case_init(&random, operation, seed);
    const char *name = hy_operation_name(random.operation);
    const struct hy_model *model = hy_builder_model(&random.builder);
    const bool is_valid = hy_runner_prepare(&contest->reference, model) == HY_STATUS_OK &&
                          run_reference(contest, &random) == HY_STATUS_OK;
    const bool is_served = xnnpack_refusal(&contest->xnnpack, model)[0] == '\0';
    if (is_valid && is_served) {
        const int32_t status = run_xnnpack(contest, &random);
        if (status != HY_STATUS_OK)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: status %d, %s", name,
                         (unsigned long long)seed, status, contest->xnnpack.message);
        else
            compare(contest, &random, name, seed);
    }
    contest->served += is_valid && is_served;
    random_case_finish(&random);
}

TEST(xnnpack_random, answers_are_those_of_the_reference)
{
    struct contest contest;
    REQUIRE(open_contest(&contest));
    for (uint32_t operation = 0; operation < random_case_operations(); operation++) {
        contest.served = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            try_one(&contest, operation, seed);
        EXPECT(contest.served > SEEDS / 20);
    }
    close_contest(&contest);
}
