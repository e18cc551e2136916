#ifndef HY_BENCH_COMPARE_COMPARISON_H
#define HY_BENCH_COMPARE_COMPARISON_H

#include "bench/compare/engines.h"

struct hy_comparison_rules {
    const char *program; /* path of this program, started again for each contestant */
    const char *dir;     /* directory for tensors, see tensor_files.h */
    const char *tflite;  /* path of libtensorflowlite_c.so */
    const char *onnx;    /* path of libonnxruntime.so.1, or NULL */
    struct hy_bench_rules race;
    uint32_t starts; /* starts of each contestant for the start-up time; at least 1 */
    int32_t threads;
    bool is_included[HY_ENGINE_COUNT];
};

struct hy_comparison_result {
    const char *model; /* name of the model's file */
    bool is_float;
    /* false also for a contestant that could not load the model */
    bool has_result[HY_ENGINE_COUNT];
    double us[HY_ENGINE_COUNT];
    double spread[HY_ENGINE_COUNT];
    /* microseconds from the file to a model that can run, median */
    double ready_us[HY_ENGINE_COUNT];
    /* peak memory in bytes for loading and the first run, median */
    double peak_bytes[HY_ENGINE_COUNT];
    /* The difference of all outputs between halyard-cpu and TensorFlow Lite (its built-in kernels,
     * or XNNPACK if the built-in kernels cannot run the model): steps for quantised models, else a
     * fraction of the largest output. And between halyard-cpu and ONNX Runtime. NAN: a side did not
     * take part. */
    double difference, onnx_difference;
};

/* Runs the model on the same noise with every contestant, in turns, each in a separate process. The
 * files are `path` and, for ONNX Runtime, the same path with the extension .onnx, if the file
 * exists. A contestant that cannot load the model is reported on stderr and omitted; FAILED if no
 * contestant remains. */
HY_MUST_CHECK enum hy_code hy_comparison_run(const struct hy_comparison_rules *rules,
                                             const char *path, struct hy_comparison_result *result,
                                             struct hy_error *err);

#endif
