#ifndef HY_BENCH_COMPARE_ROWS_H
#define HY_BENCH_COMPARE_ROWS_H

#include "bench/compare/contest.h"

/* What of the result is compared, and with whom. */
struct hy_row {
    const char *kind; /* "in-process", "burst", "isolated", "client": times of an inference.
                         "compile": from the file to a model that can run. "memory": what that and
                         the first run take at most */
    bool is_bytes;    /* else the figures are microseconds */
    double halyard, halyard_spread; /* the latter 0 where it is not known */
    enum hy_contestant best_peer;   /* the fastest; for "compile" and "memory": XNNPACK;
                                       HY_CONTESTANT_COUNT: none took part */
    double peer;                    /* 0 without a peer */
    double ratio;                   /* of Halyard to the peer: below 1 is less; 0 without a peer */
    double target;                  /* that we want to stay below; 0: none is set */
};

#define HY_ROWS_MOST 6

/* Those of the rows that Halyard has figures for; returns how many. */
uint32_t hy_rows_of(const struct hy_contest_result *result, struct hy_row rows[HY_ROWS_MOST]);

/* The fastest of the others; HY_CONTESTANT_COUNT: nobody else was there. */
enum hy_contestant hy_best_peer(const struct hy_contest_result *result);

#endif
