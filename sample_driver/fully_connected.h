/*
 * Weights of FULLY_CONNECTED in panels of 1, 2, 4, 8 or 16 units. Panels of one unit have the same
 * order as the weights in the model. All widths give bit-identical results, because every width
 * adds in the same order.
 */
#ifndef SAMPLE_FULLY_CONNECTED_H
#define SAMPLE_FULLY_CONNECTED_H

#include "kernels.h"

#define SAMPLE_MAX_PANEL 16u

/* The size in bytes of the packed weights. `size`: bytes of an element, `panel`: units of a panel.
 */
uint64_t sample_packed_bytes(const struct sample_fully_connected *fc, uint32_t panel,
                             uint64_t size);

/* Packs weights [units, depth] into `packed`, which must be zeroed. */
void sample_pack(const struct sample_fully_connected *fc, uint32_t panel, uint64_t size,
                 const uint8_t *weights, uint8_t *packed);

#endif
