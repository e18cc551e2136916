#ifndef HY_BENCH_COMPARE_CONTEST_H
#define HY_BENCH_COMPARE_CONTEST_H

#include "bench/compare/contestants.h"

struct hy_contest_rules {
    const char *program; /* this one, to be started for each contestant */
    const char *folder;  /* for tensors, see exchange.h */
    const char *tflite;  /* path of libtensorflowlite_c.so */
    const char *onnx;    /* path of libonnxruntime.so.1, or NULL */
    struct hy_race_rules race;
    uint32_t starts; /* of each contestant, to see what it takes to get ready; 1 at least */
    int32_t threads;
    bool takes_part[HY_CONTESTANT_COUNT];
};

struct hy_contest_result {
    const char *model; /* its file's name */
    bool is_float;
    bool took_part[HY_CONTESTANT_COUNT]; /* false, too, for who could not get ready for the model */
    double us[HY_CONTESTANT_COUNT];
    double spread[HY_CONTESTANT_COUNT];
    double ready_us[HY_CONTESTANT_COUNT];   /* from the file to a model that can run, median */
    double peak_bytes[HY_CONTESTANT_COUNT]; /* of memory, for that and the first run, median */
    /* Between halyard-cpu and TensorFlow Lite (its built-in kernels, or XNNPACK where these cannot
     * run the model) over all outputs: steps for quantised models, else a part of the largest
     * output. And between halyard-cpu and ONNX Runtime. NAN: one of the two did not take part. */
    double difference, onnx_difference;
};

/* Everybody runs the model on the same noise, in turns, each in a process of its own. The files are
 * `path` and, for ONNX Runtime, that with .onnx at its end, if there is one. A contestant that does
 * not get ready for the model is told of on stderr and left out; FAILED if nobody does. */
HY_MUST_CHECK enum hy_code hy_contest(const struct hy_contest_rules *rules, const char *path,
                                      struct hy_contest_result *result, struct hy_error *err);

#endif
