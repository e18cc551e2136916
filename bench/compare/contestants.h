#ifndef HY_BENCH_COMPARE_CONTESTANTS_H
#define HY_BENCH_COMPARE_CONTESTANTS_H

#include "bench/race.h"

#include <stdbool.h>
#include <stdint.h>

/* The contestants. */
enum hy_contestant {
    HY_HALYARD,   /* halyard-cpu through the public API: one execution, `compute` */
    HY_BURST,     /* as HY_HALYARD, in a burst */
    HY_ISOLATED,  /* as HY_HALYARD, with the device in a separate process */
    HY_BUILT_IN,  /* TensorFlow Lite's own kernels */
    HY_XNNPACK,   /* its XNNPACK delegate, int8 included */
    HY_ONNX,      /* ONNX Runtime, if the model also exists as .onnx */
    HY_CLIENT,    /* TensorFlow Lite as a client of the installed libneuralnetworks.so */
    HY_REFERENCE, /* nnapi-reference */
    HY_CONTESTANT_COUNT
};

/* The display name of a contestant, and its name on the command line. */
const char *hy_contestant_name(enum hy_contestant who);
const char *hy_contestant_word(enum hy_contestant who);
bool hy_contestant_find(const char *word, enum hy_contestant *who);

/* True for a contestant that does not use Halyard. */
bool hy_contestant_is_peer(enum hy_contestant who);

struct hy_contest_model {
    const char *tflite; /* path of libtensorflowlite_c.so */
    const char *onnx;   /* path of libonnxruntime.so.1, or NULL */
    const char *path;   /* the model; ONNX Runtime uses the same path with the extension .onnx */
    int32_t threads;
};

/* The .onnx file of a model; false if the file does not exist. */
bool hy_contestant_find_onnx(const char *path, char *out, size_t size);

/* A contestant in this process, with its model ready to run. */
struct hy_entrant;

/* Does the work that a process needs only once, before the measurement: loads libraries, lists
 * devices. */
HY_MUST_CHECK enum hy_code hy_entrant_prepare(enum hy_contestant who,
                                              const struct hy_contest_model *model,
                                              struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_entrant_open(enum hy_contestant who,
                                           const struct hy_contest_model *model,
                                           struct hy_entrant **out, struct hy_error *err);
/* NULL is ignored. */
void hy_entrant_close(struct hy_entrant *entrant);

/* `bytes` is the length in the .tflite model. FAILED: the tensor has another length. */
HY_MUST_CHECK enum hy_code hy_entrant_set_input(struct hy_entrant *entrant, uint32_t index,
                                                const void *values, size_t bytes,
                                                struct hy_error *err);

/* Called after a run: the length of an output in bytes; `in_file` is the length in the .tflite
 * model. */
size_t hy_entrant_output_bytes(const struct hy_entrant *entrant, uint32_t index, size_t in_file);
HY_MUST_CHECK enum hy_code hy_entrant_get_output(const struct hy_entrant *entrant, uint32_t index,
                                                 void *values, size_t bytes, struct hy_error *err);

/* Runs an inference; a function for struct hy_racer. */
HY_MUST_CHECK enum hy_code hy_entrant_run(void *entrant, struct hy_error *err);

#endif
