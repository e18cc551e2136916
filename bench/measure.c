#include "bench/measure.h"

#include "common/clock.h"

#include <stdlib.h>

enum hy_code hy_bench_subject_time_runs(const struct hy_bench_subject *subject, uint64_t repeats,
                                        double *seconds, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (subject->time_runs)
        return subject->time_runs(subject->self, repeats, seconds, err);
    const double start = hy_clock_seconds();
    for (uint64_t i = 0; code == HY_OK && i < repeats; i++)
        code = subject->run(subject->self, err);
    *seconds = hy_clock_seconds() - start;
    return code;
}

/* Doubles the number of runs until they fill the round; the runs before that are the warm-up. */
static enum hy_code find_repeats(const struct hy_bench_subject *subject, double round_time,
                                 uint64_t *repeats, struct hy_error *err)
{
    double seconds = 0;
    enum hy_code code = hy_bench_subject_time_runs(subject, 1, &seconds, err);
    for (*repeats = 1; code == HY_OK; *repeats *= 2) {
        code = hy_bench_subject_time_runs(subject, *repeats, &seconds, err);
        if (seconds >= round_time)
            break;
    }
    return code;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(struct hy_bench_subject *subject, double *times, uint32_t count,
                      uint64_t repeats)
{
    qsort(times, count, sizeof *times, compare_doubles);
    const double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    subject->median_us = median / (double)repeats * 1e6;
    subject->spread = (times[(count - 1) - count / 4] - times[count / 4]) / median;
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (seconds > 0)
        nanosleep(&time, NULL);
}

static enum hy_code run_rounds(struct hy_bench_subject *subjects, uint32_t count,
                               const struct hy_bench_rules *rules, const uint64_t *repeats,
                               double *times, struct hy_error *err)
{
    const uint32_t rounds = rules->rounds;

    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < count; i++) {
            rest(rules->pause);
            enum hy_code code = hy_bench_subject_time_runs(&subjects[i], repeats[i],
                                                           &times[i * rounds + round], err);
            if (code != HY_OK)
                return code;
        }
    for (uint32_t i = 0; i < count; i++)
        summarize(&subjects[i], times + (size_t)i * rounds, rounds, repeats[i]);
    return HY_OK;
}

enum hy_code hy_bench_measure(struct hy_bench_subject *subjects, uint32_t count,
                              const struct hy_bench_rules *rules, struct hy_error *err)
{
    if (rules->rounds < 1 || rules->rounds > HY_BENCH_MAX_ROUNDS)
        return hy_fail(err, HY_BAD_DATA, "%u rounds, 1 to %d are possible", rules->rounds,
                       HY_BENCH_MAX_ROUNDS);
    uint64_t *repeats = calloc(count, sizeof *repeats);
    double *times = calloc((size_t)count * rules->rounds, sizeof *times);
    enum hy_code code =
        repeats && times ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "race of %u", count);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        rest(rules->pause);
        code = find_repeats(&subjects[i], rules->round_time, &repeats[i], err);
    }
    if (code == HY_OK)
        code = run_rounds(subjects, count, rules, repeats, times, err);
    free(repeats);
    free(times);
    return code;
}
