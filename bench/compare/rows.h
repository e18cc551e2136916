#ifndef HY_BENCH_COMPARE_ROWS_H
#define HY_BENCH_COMPARE_ROWS_H

#include "bench/compare/comparison.h"

/* A compared figure, and the peer of the comparison. */
struct hy_row {
    /* "in-process", "burst", "isolated", "client": times of an inference. "compile": from the file
     * to a model that can run. "memory": peak memory of loading and the first run */
    const char *kind;
    bool is_bytes;                  /* figures are bytes; else microseconds */
    double halyard, halyard_spread; /* halyard_spread is 0 if unknown */
    /* the fastest peer; for "compile" and "memory": XNNPACK; HY_ENGINE_COUNT: no peer took
     * part */
    enum hy_engine best_peer;
    double peer; /* 0 without a peer */
    /* Halyard's figure divided by the peer's: below 1 is better; 0 without a peer */
    double ratio;
    double target; /* upper limit of the ratio; 0: no target */
};

#define HY_ROWS_MOST 6

/* Fills the rows with figures of Halyard; returns the count. */
uint32_t hy_rows_of(const struct hy_comparison_result *result, struct hy_row rows[HY_ROWS_MOST]);

/* The fastest peer; HY_ENGINE_COUNT: no peer took part. */
enum hy_engine hy_best_peer(const struct hy_comparison_result *result);

#endif
