#ifndef HY_BENCH_COMPARE_ROWS_JSON_H
#define HY_BENCH_COMPARE_ROWS_JSON_H

#include "bench/compare/rows.h"

/*
 * The results as JSON: {"rows": [...]}, each with model, kind (see rows.h), threads, halyard_us,
 * best_peer, best_peer_us, ratio and target. The last four are null without a peer or without a
 * target. Rows of kind "memory" have halyard_bytes and best_peer_bytes instead of the times.
 */
struct hy_rows_json;

struct hy_rows_json *hy_rows_json_create(void); /* NULL: no memory */
HY_MUST_CHECK enum hy_code hy_rows_json_add(struct hy_rows_json *rows, int32_t threads,
                                            const struct hy_comparison_result *result,
                                            struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_rows_json_write(const struct hy_rows_json *rows, const char *path,
                                              struct hy_error *err);
/* NULL is ignored. */
void hy_rows_json_destroy(struct hy_rows_json *rows);

#endif
