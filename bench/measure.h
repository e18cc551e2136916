#ifndef HY_BENCH_MEASURE_H
#define HY_BENCH_MEASURE_H

#include <stdint.h>

#include "common/error.h"

/*
 * Measures several subjects against each other. The subjects run in turns, A B C A B C: the load of
 * the machine affects all subjects alike. The figure of a subject is the median of its rounds.
 */
struct hy_bench_subject {
    const char *name;
    enum hy_code (*run)(void *self, struct hy_error *err); /* runs once */
    /* For runs in another process, instead of `run`: as hy_bench_subject_time_runs. */
    enum hy_code (*time_runs)(void *self, uint64_t repeats, double *seconds, struct hy_error *err);
    void *self;
    double median_us; /* set by the race: microseconds of a run */
    /* set by the race: the range of the middle half of the rounds, as a fraction of the median */
    double spread;
};

struct hy_bench_rules {
    uint32_t rounds;   /* 1 to HY_BENCH_MAX_ROUNDS */
    double round_time; /* seconds that each subject runs in a round, at least */
    /* seconds before each subject: threads of the previous subject go to sleep */
    double pause;
};

#define HY_BENCH_MAX_ROUNDS 1000

/* Runs each subject first to warm up and to find the number of runs in a round. */
HY_MUST_CHECK enum hy_code hy_bench_measure(struct hy_bench_subject *subjects, uint32_t count,
                                            const struct hy_bench_rules *rules,
                                            struct hy_error *err);

/* Runs a subject `repeats` times and measures the total time in seconds. */
HY_MUST_CHECK enum hy_code hy_bench_subject_time_runs(const struct hy_bench_subject *subject,
                                                      uint64_t repeats, double *seconds,
                                                      struct hy_error *err);

#endif
