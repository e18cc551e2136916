#ifndef HY_BENCH_PEERS_ONNX_PEER_H
#define HY_BENCH_PEERS_ONNX_PEER_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * ONNX Runtime's C library, opened at run time, with a model on its CPU provider: the second peer
 * of comparisons. Tensors of float32 and of 8 bits.
 */
struct hy_onnx_peer;

/* `library`: path of libonnxruntime.so.1; `threads`: at least 1. Errors: FAILED, with the text of
 * the loader or the peer. */
HY_MUST_CHECK enum hy_code hy_onnx_peer_open(const char *library, const char *model,
                                             int32_t threads, struct hy_onnx_peer **out,
                                             struct hy_error *err);
/* NULL is ignored. */
void hy_onnx_peer_close(struct hy_onnx_peer *peer);

/*
 * Sets the contents of an input, or gets the contents of an output, `bytes` long, in the form of
 * the .tflite model of the same network: images (tensors of rank 4) with all channels of a pixel
 * together, and int8 for uint8 of the peer. Errors: FAILED (another length).
 */
HY_MUST_CHECK enum hy_code hy_onnx_peer_set_input(struct hy_onnx_peer *peer, uint32_t index,
                                                  const void *values, size_t bytes,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_onnx_peer_get_output(const struct hy_onnx_peer *peer, uint32_t index,
                                                   void *values, size_t bytes,
                                                   struct hy_error *err);

/* Runs an inference. */
HY_MUST_CHECK enum hy_code hy_onnx_peer_run(struct hy_onnx_peer *peer, struct hy_error *err);

#endif
