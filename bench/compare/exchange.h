#ifndef HY_BENCH_COMPARE_EXCHANGE_H
#define HY_BENCH_COMPARE_EXCHANGE_H

#include "bench/compare/contestants.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * The tensors of a model in files of a directory: contestants in different processes read the same
 * inputs, and the comparison reads their outputs.
 */
struct hy_exchange {
    const char *folder; /* owned by the caller */
    struct hy_file file;
    struct hy_tflite_model *model;
};

/* The directory exists. Files of another model are overwritten. */
HY_MUST_CHECK enum hy_code hy_exchange_open(const char *folder, const char *model,
                                            struct hy_exchange *out, struct hy_error *err);
void hy_exchange_close(struct hy_exchange *exchange);

/* Makes waves with noise, of both signs: floats from -1 to 1, int8 and uint8 over their range,
 * int32 and int64 from 0 to 7, bool 0 and 1, arbitrary bytes for the other types. Every call makes
 * the same data. */
HY_MUST_CHECK enum hy_code hy_exchange_make_inputs(const struct hy_exchange *exchange,
                                                   struct hy_error *err);

/* Copies the inputs to a contestant; copies its outputs to the directory. */
HY_MUST_CHECK enum hy_code hy_exchange_give(const struct hy_exchange *exchange,
                                            struct hy_entrant *entrant, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_exchange_take(const struct hy_exchange *exchange,
                                            const struct hy_entrant *entrant,
                                            enum hy_contestant who, struct hy_error *err);

/* The difference between the outputs of two contestants: steps for quantised models, else a
 * fraction of the largest output. */
HY_MUST_CHECK enum hy_code hy_exchange_compare(const struct hy_exchange *exchange,
                                               enum hy_contestant own, enum hy_contestant other,
                                               double *difference, struct hy_error *err);

/* True if the first output is of floats. */
bool hy_exchange_is_float(const struct hy_exchange *exchange);

#endif
