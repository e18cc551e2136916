/* Whether runs share their work with other threads, by what that was seen to gain. */
#include "cpu_fallback/run/thread_policy.h"
#include "tests/kit/test.h"

#define TIMED_RUNS 7u /* of a trial */

/* Goes through the next trial, in which a run takes so long in each way; tells what follows. */
static bool is_alone_after(struct hy_cpu_thread_policy *thread_policy, uint64_t alone,
                           uint64_t together)
{
    bool is_alone;

    for (unsigned timed = 0; timed < TIMED_RUNS;) {
        if (!hy_cpu_thread_policy_next(thread_policy, &is_alone))
            continue;
        hy_cpu_thread_policy_record(thread_policy, is_alone, is_alone ? alone : together);
        timed++;
    }
    (void)hy_cpu_thread_policy_next(thread_policy, &is_alone);
    return is_alone;
}

TEST(cpu_thread_policy, what_was_faster_is_done_until_the_next_trial)
{
    struct hy_cpu_thread_policy thread_policy = {0};

    EXPECT(!is_alone_after(&thread_policy, 100000, 60000));
    EXPECT(is_alone_after(&thread_policy, 100000, 130000));
    EXPECT(is_alone_after(&thread_policy, 100000, 99000)); /* too little for two processors */
    EXPECT(!is_alone_after(&thread_policy, 100000, 60000));
}

TEST(cpu_thread_policy, one_slow_run_decides_nothing)
{
    struct hy_cpu_thread_policy thread_policy = {0};
    bool is_alone, was_slow = false;

    for (unsigned i = 0; i < HY_CPU_THREAD_POLICY_PERIOD; i++) {
        if (!hy_cpu_thread_policy_next(&thread_policy, &is_alone))
            continue;
        const uint64_t time = !is_alone && !was_slow ? 9000000 : is_alone ? 100000 : 60000;
        was_slow |= time == 9000000;
        hy_cpu_thread_policy_record(&thread_policy, is_alone, time);
    }
    EXPECT(was_slow && !is_alone);
}

TEST(cpu_thread_policy, few_runs_are_made_in_the_other_way)
{
    struct hy_cpu_thread_policy thread_policy = {0};
    unsigned alone = 0, timed = 0;
    bool is_alone;

    for (unsigned i = 0; i < HY_CPU_THREAD_POLICY_PERIOD; i++) {
        timed += hy_cpu_thread_policy_next(&thread_policy, &is_alone);
        alone += is_alone;
    }
    EXPECT_INT(alone, HY_CPU_THREAD_POLICY_SINGLE);
    EXPECT_INT(timed, TIMED_RUNS);
}

TEST(cpu_thread_policy, being_alone_is_put_to_the_test_sooner)
{
    struct hy_cpu_thread_policy thread_policy = {0};
    unsigned runs = 0;
    bool is_alone;

    EXPECT(is_alone_after(&thread_policy, 100000, 130000));
    while (!hy_cpu_thread_policy_next(&thread_policy, &is_alone))
        runs++;
    EXPECT(runs < HY_CPU_THREAD_POLICY_SHORT);
}

TEST(cpu_thread_policy, runs_that_fail_in_a_trial_leave_it_undecided)
{
    struct hy_cpu_thread_policy thread_policy = {0};
    bool is_alone;

    EXPECT(is_alone_after(&thread_policy, 100000, 130000));
    for (unsigned i = 0; i < HY_CPU_THREAD_POLICY_PERIOD; i++)
        (void)hy_cpu_thread_policy_next(&thread_policy, &is_alone); /* and none is noted */
    EXPECT(is_alone);
}
