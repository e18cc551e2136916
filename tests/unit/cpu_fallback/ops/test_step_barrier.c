/* Steps in parts: each begins when all parts of the step before are done, whoever does them. */
#include "cpu_fallback/ops/recurrent/step_barrier.h"

#include <stdlib.h>

#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/unit/cpu_fallback/kit/team.h"

enum { STEPS = 3000, PARTS = HY_CPU_STEP_BARRIER_PARTS };

/* Each part makes its number of all numbers of the step before: one that comes too early, or twice,
 * is seen to the end. Plain memory, so that sanitizers see it where nothing orders two threads. */
struct numbers {
    uint32_t parts;
    bool begins; /* parts begin a step with their own number of the step before */
    uint64_t buffers[2][PARTS], begun[PARTS]; /* begun: 0 between a step and the next beginning */
};

static uint64_t begun_of(const struct numbers *numbers, uint32_t step, uint32_t part)
{
    return (numbers->buffers[step % 2][part] ^ step) * UINT64_C(0x9e3779b97f4a7c15);
}

static void begin(const void *context, uint32_t step, uint32_t part)
{
    struct numbers *numbers = *(struct numbers *const *)context;
    numbers->begun[part] += begun_of(numbers, step, part); /* twice is seen */
}

static void mix(const void *context, uint32_t step, uint32_t part)
{
    struct numbers *numbers = *(struct numbers *const *)context;
    const uint64_t *from = numbers->buffers[step % 2];
    uint64_t sum = step + 1;

    for (uint32_t i = 0; i < numbers->parts; i++)
        sum = sum * UINT64_C(6364136223846793005) + from[i];
    if (numbers->begins && numbers->begun[part] != begun_of(numbers, step, part))
        sum++;
    numbers->begun[part] = 0;
    numbers->buffers[(step + 1) % 2][part] = sum ^ part;
}

static uint64_t run(const struct hy_host *host, bool is_alone, struct numbers *numbers,
                    uint32_t steps)
{
    const uint32_t parts = numbers->parts;
    const struct hy_cpu_work work = {.host = host, .is_alone = is_alone};
    const struct hy_cpu_step_barrier step_barrier = {.steps = steps,
                                                     .parts = parts,
                                                     .run = mix,
                                                     .begin = numbers->begins ? begin : NULL,
                                                     .context = &numbers};

    hy_cpu_step_barrier_run(&work, &step_barrier);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < parts; i++)
        sum = sum * 31 + numbers->buffers[steps % 2][i];
    return sum;
}

static uint64_t run_all(const struct hy_host *host, bool is_alone, uint32_t parts, uint32_t steps)
{
    struct numbers numbers = {.parts = parts};
    return run(host, is_alone, &numbers, steps);
}

static uint64_t expected(uint32_t parts, uint32_t steps)
{
    struct numbers numbers = {.parts = parts}, *context = &numbers;
    uint64_t sum = 0;

    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t part = 0; part < parts; part++)
            mix(&context, step, part);
    for (uint32_t i = 0; i < parts; i++)
        sum = sum * 31 + numbers.buffers[steps % 2][i];
    return sum;
}

TEST(cpu_step_barrier, every_step_sees_all_of_the_step_before)
{
    static const uint32_t threads[] = {1, 2, 3, 8};

    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (uint32_t parts = 1; parts <= PARTS; parts++) {
            struct team team = {.threads = threads[t]};
            const struct hy_host host = team_host(&team);
            const uint32_t steps = parts > 4 ? STEPS / 10 : STEPS; /* more than cores */

            EXPECT(run_all(&host, false, parts, steps) == expected(parts, steps));
            EXPECT_INT(team.calls, parts > 1);
        }
}

TEST(cpu_step_barrier, a_part_begins_each_step_once_with_what_it_made_of_the_step_before)
{
    static const uint32_t threads[] = {1, 2, 3, 8};

    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (uint32_t parts = 1; parts <= PARTS; parts++) {
            struct team team = {.threads = threads[t]};
            const struct hy_host host = team_host(&team);
            const uint32_t steps = parts > 4 ? STEPS / 10 : STEPS;
            struct numbers numbers = {.parts = parts, .begins = true};

            EXPECT(run(&host, false, &numbers, steps) == expected(parts, steps));
            EXPECT(run(&host, true, &(struct numbers){.parts = parts, .begins = true}, 10) ==
                   expected(parts, 10));
        }
}

TEST(cpu_step_barrier, few_steps_and_none_end)
{
    struct team team = {.threads = 4};
    const struct hy_host host = team_host(&team);

    for (uint32_t steps = 0; steps < 4; steps++)
        for (int i = 0; i < 50; i++)
            EXPECT(run_all(&host, false, 4, steps) == expected(4, steps));
}

TEST(cpu_step_barrier, an_execution_that_is_alone_asks_nobody)
{
    struct team team = {.threads = 4};
    const struct hy_host host = team_host(&team);

    EXPECT(run_all(&host, true, 4, 10) == expected(4, 10));
    EXPECT_INT(team.calls, 0);
}

static void last_first(void *context, uint32_t count, void (*task)(void *argument, uint32_t index),
                       void *argument)
{
    (void)context;
    while (count > 0)
        task(argument, --count);
}

TEST(cpu_step_barrier, one_thread_does_it_all_in_whatever_order_its_tasks_come)
{
    struct hy_host host = *hy_test_host();

    host.parallel = last_first;
    for (uint32_t parts = 2; parts <= PARTS; parts++)
        EXPECT(run_all(&host, false, parts, 20) == expected(parts, 20));
}
