/*
 * Weights of FULLY_CONNECTED in panels of 1, 2, 4, 8 or 16 units; panels of one unit are the
 * weights as the model has them. All widths give the same answers, bit for bit: a sum is added up
 * in the same order in all of them.
 */
#ifndef SAMPLE_FULLY_CONNECTED_H
#define SAMPLE_FULLY_CONNECTED_H

#include "kernels.h"

#define SAMPLE_MAX_PANEL 16u

/* Bytes of the weights of elements of `size` bytes, packed in panels of this width. */
uint64_t sample_packed_bytes(const struct sample_fully_connected *fc, uint32_t panel,
                             uint64_t size);

/* Packs weights [units, depth] into zeroed memory. */
void sample_pack(const struct sample_fully_connected *fc, uint32_t panel, uint64_t size,
                 const uint8_t *weights, uint8_t *packed);

#endif
