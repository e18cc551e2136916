/*
 * FULLY_CONNECTED over the weights as they come, and over packed ones. All forms of packing give
 * the same answers, bit for bit: a sum is added up in the same order in all of them.
 */
#ifndef SAMPLE_FULLY_CONNECTED_H
#define SAMPLE_FULLY_CONNECTED_H

#include "kernels.h"

#define SAMPLE_MAX_PANEL 16u /* panels have 1, 2, 4, 8 or 16 units */

void sample_fully_connected_f32(const struct sample_step *step, const uint8_t *const *inputs,
                                uint8_t *output);
void sample_fully_connected_q8(const struct sample_step *step, const uint8_t *const *inputs,
                               uint8_t *output);
void sample_packed_f32(const struct sample_step *step, const uint8_t *const *inputs,
                       uint8_t *output);
void sample_packed_q8(const struct sample_step *step, const uint8_t *const *inputs,
                      uint8_t *output);

/* Bytes of the weights of elements of `size` bytes, packed in panels of this width. */
uint64_t sample_packed_bytes(const struct sample_fully_connected *fc, uint32_t panel,
                             uint64_t size);

/* Packs weights [units, depth] into zeroed memory. */
void sample_pack(const struct sample_fully_connected *fc, uint32_t panel, uint64_t size,
                 const uint8_t *weights, uint8_t *packed);

#endif
