#ifndef HY_BENCH_COMPARE_EXCHANGE_H
#define HY_BENCH_COMPARE_EXCHANGE_H

#include "bench/compare/contestants.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * The tensors of one model in files of a folder, so that contestants in different processes get the
 * same inputs, and their outputs can be compared.
 */
struct hy_exchange {
    const char *folder; /* the caller's */
    struct hy_file file;
    struct hy_tflite_model *model;
};

/* The folder exists. The files of another model that it holds are written over. */
HY_MUST_CHECK enum hy_code hy_exchange_open(const char *folder, const char *model,
                                            struct hy_exchange *out, struct hy_error *err);
void hy_exchange_close(struct hy_exchange *exchange);

/* Waves with noise, of both signs: floats from -1 to 1, int8 and uint8 over their range. int32 and
 * int64 from 0 to 7; bool 0 and 1; any byte for
 * the other types. Always the same. */
HY_MUST_CHECK enum hy_code hy_exchange_make_inputs(const struct hy_exchange *exchange,
                                                   struct hy_error *err);

/* Brings the inputs to a contestant; its outputs into the folder. */
HY_MUST_CHECK enum hy_code hy_exchange_give(const struct hy_exchange *exchange,
                                            struct hy_entrant *entrant, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_exchange_take(const struct hy_exchange *exchange,
                                            const struct hy_entrant *entrant,
                                            enum hy_contestant who, struct hy_error *err);

/* How far the outputs of two contestants lie apart: steps for quantised models, else a part of the
 * largest output. */
HY_MUST_CHECK enum hy_code hy_exchange_compare(const struct hy_exchange *exchange,
                                               enum hy_contestant own, enum hy_contestant other,
                                               double *difference, struct hy_error *err);

/* Whether the first output is of floats. */
bool hy_exchange_is_float(const struct hy_exchange *exchange);

#endif
