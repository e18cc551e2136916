#ifndef HY_BENCH_IMAGE_NETWORK_H
#define HY_BENCH_IMAGE_NETWORK_H

#include <stdint.h>

#include "common/error.h"

/*
 * A network for pictures of 224 x 224 pixels, 602,112 bytes of floats, in the manner of MobileNet
 * v1: through the public API alone, compiled for halyard-cpu, with the picture and the answer in
 * one memory object that was made from a descriptor.
 */
struct image_network;

#define IMAGE_NETWORK_BLOCKS 13u /* of the whole network, at a quarter of its width */

/* With the first `blocks` >= 1 separable blocks, then a pooling and a classifier. Runs on a burst
 * if `in_burst`. Errors: the code and words of the API call that failed. */
HY_MUST_CHECK enum hy_code image_network_create(uint32_t blocks, uint32_t in_burst,
                                                struct image_network **ret, struct hy_error *err);
void image_network_destroy(struct image_network *network); /* takes NULL */

/* The process of its device; 0: this one. */
int32_t image_network_process(const struct image_network *network);

/* hy_racer.run, with the network as `self`. */
HY_MUST_CHECK enum hy_code image_network_run(void *self, struct hy_error *err);

/* What the runtime has copied of tensors, in all runs. */
HY_MUST_CHECK enum hy_code image_network_copied(const struct image_network *network,
                                                uint64_t *bytes, uint64_t *runs,
                                                struct hy_error *err);

#endif
