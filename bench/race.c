#include "bench/race.h"

#include "common/clock.h"

#include <stdlib.h>

enum hy_code hy_racer_time_runs(const struct hy_racer *racer, uint64_t repeats, double *seconds,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (racer->time_runs)
        return racer->time_runs(racer->self, repeats, seconds, err);
    const double start = hy_clock_seconds();
    for (uint64_t i = 0; code == HY_OK && i < repeats; i++)
        code = racer->run(racer->self, err);
    *seconds = hy_clock_seconds() - start;
    return code;
}

/* Doubles the number of runs until they fill the round; the runs before that are the warm-up. */
static enum hy_code find_repeats(const struct hy_racer *racer, double round_time, uint64_t *repeats,
                                 struct hy_error *err)
{
    double seconds = 0;
    enum hy_code code = hy_racer_time_runs(racer, 1, &seconds, err);
    for (*repeats = 1; code == HY_OK; *repeats *= 2) {
        code = hy_racer_time_runs(racer, *repeats, &seconds, err);
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

static void judge(struct hy_racer *racer, double *times, uint32_t count, uint64_t repeats)
{
    qsort(times, count, sizeof *times, compare_doubles);
    const double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    racer->median_us = median / (double)repeats * 1e6;
    racer->spread = (times[(count - 1) - count / 4] - times[count / 4]) / median;
}

static void rest(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (seconds > 0)
        nanosleep(&time, NULL);
}

static enum hy_code run_rounds(struct hy_racer *racers, uint32_t count,
                               const struct hy_race_rules *rules, const uint64_t *repeats,
                               double *times, struct hy_error *err)
{
    const uint32_t rounds = rules->rounds;

    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < count; i++) {
            rest(rules->pause);
            enum hy_code code =
                hy_racer_time_runs(&racers[i], repeats[i], &times[i * rounds + round], err);
            if (code != HY_OK)
                return code;
        }
    for (uint32_t i = 0; i < count; i++)
        judge(&racers[i], times + (size_t)i * rounds, rounds, repeats[i]);
    return HY_OK;
}

enum hy_code hy_race(struct hy_racer *racers, uint32_t count, const struct hy_race_rules *rules,
                     struct hy_error *err)
{
    if (rules->rounds < 1 || rules->rounds > HY_RACE_MAX_ROUNDS)
        return hy_fail(err, HY_BAD_DATA, "%u rounds, 1 to %d are possible", rules->rounds,
                       HY_RACE_MAX_ROUNDS);
    uint64_t *repeats = calloc(count, sizeof *repeats);
    double *times = calloc((size_t)count * rules->rounds, sizeof *times);
    enum hy_code code =
        repeats && times ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "race of %u", count);
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        rest(rules->pause);
        code = find_repeats(&racers[i], rules->round_time, &repeats[i], err);
    }
    if (code == HY_OK)
        code = run_rounds(racers, count, rules, repeats, times, err);
    free(repeats);
    free(times);
    return code;
}
