#ifndef HY_BENCH_IMAGE_NETWORK_H
#define HY_BENCH_IMAGE_NETWORK_H

#include <stdint.h>

#include "common/error.h"

/*
 * A network for pictures of 224 x 224 pixels, 602,112 bytes of floats, similar to MobileNet v1. The
 * network uses the public API alone, is compiled for halyard-cpu, and has picture and result in a
 * memory object made from a descriptor.
 */
struct image_network;

#define IMAGE_NETWORK_BLOCKS 13u /* blocks of the whole network, at a quarter of its width */

/* Makes a network of the first `blocks` >= 1 separable blocks, followed by a pooling and a
 * classifier. Runs on a burst if `in_burst`. Errors: the code and the text of the failed API
 * call. */
HY_MUST_CHECK enum hy_code image_network_create(uint32_t blocks, uint32_t in_burst,
                                                struct image_network **ret, struct hy_error *err);
/* NULL is ignored. */
void image_network_destroy(struct image_network *network);

/* The process id of the network's device; 0: this process. */
int32_t image_network_process(const struct image_network *network);

/* hy_bench_subject.run, with the network as `self`. */
HY_MUST_CHECK enum hy_code image_network_run(void *self, struct hy_error *err);

/* The tensor bytes that the runtime has copied in all runs, and the number of runs. */
HY_MUST_CHECK enum hy_code image_network_copied(const struct image_network *network,
                                                uint64_t *bytes, uint64_t *runs,
                                                struct hy_error *err);

#endif
