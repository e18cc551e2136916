#ifndef HY_BENCH_PEERS_TFLITE_PEER_H
#define HY_BENCH_PEERS_TFLITE_PEER_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * TensorFlow Lite's C library, opened at run time, running one model: the peer that figures are
 * compared with.
 */
struct hy_tflite_peer;

enum hy_tflite_kernels {
    HY_TFLITE_BUILT_IN, /* its own kernels, no delegate */
    HY_TFLITE_XNNPACK,  /* its XNNPACK delegate, int8 included, where that takes an operation */
    HY_TFLITE_NNAPI,    /* the libneuralnetworks.so that it finds; built-in where there is none */
};

/* `library`: path of libtensorflowlite_c.so; `threads`: at least 1. Errors: FAILED, with the
 * loader's or the peer's step.
 */
HY_MUST_CHECK enum hy_code hy_tflite_peer_open(const char *library, const char *model,
                                               enum hy_tflite_kernels kernels, int32_t threads,
                                               struct hy_tflite_peer **out, struct hy_error *err);

/* The same on one thread for a model in memory, which must outlive the peer. */
HY_MUST_CHECK enum hy_code hy_tflite_peer_open_bytes(const char *library, const void *bytes,
                                                     size_t length, enum hy_tflite_kernels kernels,
                                                     struct hy_tflite_peer **out,
                                                     struct hy_error *err);
void hy_tflite_peer_close(struct hy_tflite_peer *peer); /* takes NULL */

/* Number of inputs, and the bytes of each for the caller to fill. */
int hy_tflite_peer_input_count(const struct hy_tflite_peer *peer);
void *hy_tflite_peer_input(const struct hy_tflite_peer *peer, int index, size_t *bytes);

/* An output and its bytes; valid until the next run. */
const void *hy_tflite_peer_output(const struct hy_tflite_peer *peer, int index, size_t *bytes);

/* One inference. */
HY_MUST_CHECK enum hy_code hy_tflite_peer_run(struct hy_tflite_peer *peer, struct hy_error *err);

#endif
