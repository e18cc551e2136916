#ifndef HY_BENCH_COMPARE_ENGINES_H
#define HY_BENCH_COMPARE_ENGINES_H

#include "bench/measure.h"

#include <stdbool.h>
#include <stdint.h>

/* The contestants. */
enum hy_engine {
    HY_HALYARD,   /* halyard-cpu through the public API: one execution, `compute` */
    HY_BURST,     /* as HY_HALYARD, in a burst */
    HY_ISOLATED,  /* as HY_HALYARD, with the device in a separate process */
    HY_BUILT_IN,  /* TensorFlow Lite's own kernels */
    HY_XNNPACK,   /* its XNNPACK delegate, int8 included */
    HY_ONNX,      /* ONNX Runtime, if the model also exists as .onnx */
    HY_CLIENT,    /* TensorFlow Lite as a client of the installed libneuralnetworks.so */
    HY_REFERENCE, /* nnapi-reference */
    HY_ENGINE_COUNT
};

/* The display name of a contestant, and its name on the command line. */
const char *hy_engine_name(enum hy_engine who);
const char *hy_engine_option(enum hy_engine who);
bool hy_engine_find(const char *word, enum hy_engine *who);

/* True for a contestant that does not use Halyard. */
bool hy_engine_is_peer(enum hy_engine who);

struct hy_engine_model {
    const char *tflite; /* path of libtensorflowlite_c.so */
    const char *onnx;   /* path of libonnxruntime.so.1, or NULL */
    const char *path;   /* the model; ONNX Runtime uses the same path with the extension .onnx */
    int32_t threads;
};

/* The .onnx file of a model; false if the file does not exist. */
bool hy_engine_find_onnx(const char *path, char *out, size_t size);

/* A contestant in this process, with its model ready to run. */
struct hy_engine_instance;

/* Does the work that a process needs only once, before the measurement: loads libraries, lists
 * devices. */
HY_MUST_CHECK enum hy_code
hy_engine_prepare(enum hy_engine who, const struct hy_engine_model *model, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_engine_instance_open(enum hy_engine who,
                                                   const struct hy_engine_model *model,
                                                   struct hy_engine_instance **out,
                                                   struct hy_error *err);
/* NULL is ignored. */
void hy_engine_instance_close(struct hy_engine_instance *instance);

/* `bytes` is the length in the .tflite model. FAILED: the tensor has another length. */
HY_MUST_CHECK enum hy_code hy_engine_instance_set_input(struct hy_engine_instance *instance,
                                                        uint32_t index, const void *values,
                                                        size_t bytes, struct hy_error *err);

/* Called after a run: the length of an output in bytes; `in_file` is the length in the .tflite
 * model. */
size_t hy_engine_instance_output_bytes(const struct hy_engine_instance *instance, uint32_t index,
                                       size_t in_file);
HY_MUST_CHECK enum hy_code hy_engine_instance_get_output(const struct hy_engine_instance *instance,
                                                         uint32_t index, void *values, size_t bytes,
                                                         struct hy_error *err);

/* Runs an inference; a function for struct hy_bench_subject. */
HY_MUST_CHECK enum hy_code hy_engine_instance_run(void *instance, struct hy_error *err);

#endif
