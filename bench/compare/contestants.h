#ifndef HY_BENCH_COMPARE_CONTESTANTS_H
#define HY_BENCH_COMPARE_CONTESTANTS_H

#include "bench/race.h"

#include <stdbool.h>
#include <stdint.h>

/* Who takes part. */
enum hy_contestant {
    HY_HALYARD,   /* halyard-cpu through the public API: one execution, `compute` */
    HY_BURST,     /* the same in a burst */
    HY_ISOLATED,  /* the same, and the device in a process of its own */
    HY_BUILT_IN,  /* TensorFlow Lite's own kernels */
    HY_XNNPACK,   /* its XNNPACK delegate, int8 included */
    HY_ONNX,      /* ONNX Runtime, where there is the same model as .onnx */
    HY_CLIENT,    /* TensorFlow Lite as a client of the libneuralnetworks.so that it finds */
    HY_REFERENCE, /* nnapi-reference */
    HY_CONTESTANT_COUNT
};

/* How people know a contestant, and how it is named on a command line. */
const char *hy_contestant_name(enum hy_contestant who);
const char *hy_contestant_word(enum hy_contestant who);
bool hy_contestant_find(const char *word, enum hy_contestant *who);

/* One that is neither Halyard nor has it behind. */
bool hy_contestant_is_peer(enum hy_contestant who);

struct hy_contest_model {
    const char *tflite; /* path of libtensorflowlite_c.so */
    const char *onnx;   /* path of libonnxruntime.so.1, or NULL */
    const char *path;   /* the model; ONNX Runtime takes that with .onnx at its end */
    int32_t threads;
};

/* The .onnx file of a model; false where there is none. */
bool hy_contestant_find_onnx(const char *path, char *out, size_t size);

/* One contestant in this process, with its model ready to run. */
struct hy_entrant;

/* What takes time only once in a process is done before: libraries are loaded, devices are known.
 */
HY_MUST_CHECK enum hy_code hy_entrant_prepare(enum hy_contestant who,
                                              const struct hy_contest_model *model,
                                              struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_entrant_open(enum hy_contestant who,
                                           const struct hy_contest_model *model,
                                           struct hy_entrant **out, struct hy_error *err);
void hy_entrant_close(struct hy_entrant *entrant); /* takes NULL */

/* `bytes` as the .tflite model has them. FAILED: the tensor has another length. */
HY_MUST_CHECK enum hy_code hy_entrant_set_input(struct hy_entrant *entrant, uint32_t index,
                                                const void *values, size_t bytes,
                                                struct hy_error *err);

/* After a run: what an output has, `in_file` being what the .tflite model says of it. */
size_t hy_entrant_output_bytes(const struct hy_entrant *entrant, uint32_t index, size_t in_file);
HY_MUST_CHECK enum hy_code hy_entrant_get_output(const struct hy_entrant *entrant, uint32_t index,
                                                 void *values, size_t bytes, struct hy_error *err);

/* One inference; a function for struct hy_racer. */
HY_MUST_CHECK enum hy_code hy_entrant_run(void *entrant, struct hy_error *err);

#endif
