#ifndef HY_BENCH_PEERS_ONNX_PEER_H
#define HY_BENCH_PEERS_ONNX_PEER_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * ONNX Runtime's C library, opened at run time, running one model on its CPU provider: the other
 * peer that figures are compared with. Tensors of float32 and of 8 bits.
 */
struct hy_onnx_peer;

/* `library`: path of libonnxruntime.so.1; `threads`: at least 1. Errors: FAILED, with the loader's
 * or the peer's words. */
HY_MUST_CHECK enum hy_code hy_onnx_peer_open(const char *library, const char *model,
                                             int32_t threads, struct hy_onnx_peer **out,
                                             struct hy_error *err);
void hy_onnx_peer_close(struct hy_onnx_peer *peer); /* takes NULL */

/*
 * What an input is to hold, and what an output holds, `bytes` long, as the .tflite model of the
 * same network has it: images (tensors of rank 4) channel after channel for each pixel, and int8
 * for what is uint8 in the peer. Errors: FAILED (another length).
 */
HY_MUST_CHECK enum hy_code hy_onnx_peer_set_input(struct hy_onnx_peer *peer, uint32_t index,
                                                  const void *values, size_t bytes,
                                                  struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_onnx_peer_get_output(const struct hy_onnx_peer *peer, uint32_t index,
                                                   void *values, size_t bytes,
                                                   struct hy_error *err);

/* One inference. */
HY_MUST_CHECK enum hy_code hy_onnx_peer_run(struct hy_onnx_peer *peer, struct hy_error *err);

#endif
