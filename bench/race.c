#include "bench/race.h"

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

enum hy_code hy_racer_time_runs(const struct hy_racer *racer, uint64_t repeats, double *seconds,
                                struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (racer->time_runs)
        return racer->time_runs(racer->self, repeats, seconds, err);
    const double start = now();
    for (uint64_t i = 0; code == HY_OK && i < repeats; i++)
        code = racer->run(racer->self, err);
    *seconds = now() - start;
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

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static enum hy_code run_rounds(struct hy_racer *racers, uint32_t count, uint32_t rounds,
                               const uint64_t *repeats, double *times, struct hy_error *err)
{
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < count; i++) {
            enum hy_code code =
                hy_racer_time_runs(&racers[i], repeats[i], &times[i * rounds + round], err);
            if (code != HY_OK)
                return code;
        }
    for (uint32_t i = 0; i < count; i++)
        racers[i].median_us = median(times + i * rounds, rounds) / (double)repeats[i] * 1e6;
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
    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = find_repeats(&racers[i], rules->round_time, &repeats[i], err);
    if (code == HY_OK)
        code = run_rounds(racers, count, rules->rounds, repeats, times, err);
    free(repeats);
    free(times);
    return code;
}
