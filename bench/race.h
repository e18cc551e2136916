#ifndef HY_BENCH_RACE_H
#define HY_BENCH_RACE_H

#include <stdint.h>

#include "common/error.h"

/*
 * Measures several ways to do the same thing against each other. They take turns, A B C A B C, so
 * that what the machine does besides falls on all of them alike; the figure of each is the median
 * of its rounds.
 */
struct hy_racer {
    const char *name;
    enum hy_code (*run)(void *self, struct hy_error *err); /* once */
    /* Where the runs are elsewhere, instead of `run`: as hy_racer_time_runs. */
    enum hy_code (*time_runs)(void *self, uint64_t repeats, double *seconds, struct hy_error *err);
    void *self;
    double median_us; /* set by the race: of one run */
    double spread;    /* the same: half of the rounds lie so far apart, as a part of the median */
};

struct hy_race_rules {
    uint32_t rounds;   /* 1 to HY_RACE_MAX_ROUNDS */
    double round_time; /* seconds at least that each racer runs in a round */
    double pause;      /* seconds before each: threads of the one before go to sleep in it */
};

#define HY_RACE_MAX_ROUNDS 1000

/* Each racer first runs to warm up and to find how often it has to in a round. */
HY_MUST_CHECK enum hy_code hy_race(struct hy_racer *racers, uint32_t count,
                                   const struct hy_race_rules *rules, struct hy_error *err);

/* Runs a racer `repeats` times and tells the seconds that it took. */
HY_MUST_CHECK enum hy_code hy_racer_time_runs(const struct hy_racer *racer, uint64_t repeats,
                                              double *seconds, struct hy_error *err);

#endif
