#ifndef HY_BENCH_PEERS_TFLITE_PEER_H
#define HY_BENCH_PEERS_TFLITE_PEER_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * TensorFlow Lite's C library, opened at run time, with a model: the peer of comparisons.
 */
struct hy_tflite_peer;

enum hy_tflite_kernels {
    HY_TFLITE_BUILT_IN, /* its own kernels, no delegate */
    /* its XNNPACK delegate, int8 included, for operations that XNNPACK supports */
    HY_TFLITE_XNNPACK,
    HY_TFLITE_NNAPI, /* the installed libneuralnetworks.so; built-in kernels without NNAPI */
};

/* `library`: path of libtensorflowlite_c.so; `threads`: at least 1. Errors: FAILED, with the failed
 * step of the loader or the peer. */
HY_MUST_CHECK enum hy_code hy_tflite_peer_open(const char *library, const char *model,
                                               enum hy_tflite_kernels kernels, int32_t threads,
                                               struct hy_tflite_peer **out, struct hy_error *err);

/* As hy_tflite_peer_open, on a single thread for a model in memory, which must outlive the peer. */
HY_MUST_CHECK enum hy_code hy_tflite_peer_open_bytes(const char *library, const void *bytes,
                                                     size_t length, enum hy_tflite_kernels kernels,
                                                     struct hy_tflite_peer **out,
                                                     struct hy_error *err);
/* NULL is ignored. */
void hy_tflite_peer_close(struct hy_tflite_peer *peer);

/* Number of inputs, and the memory of an input for the caller to fill. */
int hy_tflite_peer_input_count(const struct hy_tflite_peer *peer);
void *hy_tflite_peer_input(const struct hy_tflite_peer *peer, int index, size_t *bytes);

/* An output and its bytes; valid until the next run. */
const void *hy_tflite_peer_output(const struct hy_tflite_peer *peer, int index, size_t *bytes);

/* Runs an inference. */
HY_MUST_CHECK enum hy_code hy_tflite_peer_run(struct hy_tflite_peer *peer, struct hy_error *err);

#endif
