/*
 * The layout that LSTM computes in: eight rows of a tensor lie side by side, so that one
 * instruction works on all of them. A tensor [rows, columns] of float32 becomes tiles of eight
 * rows, each [columns, 8]; what stands for the rows that the last tile has too many means nothing.
 *
 * Nobody outside of this driver knows the layout. Tensors in shared memory are converted on their
 * way, those in buffers of the device (buffer.h) stay as they are from one execution to the next.
 */
#ifndef SAMPLE_LANES_H
#define SAMPLE_LANES_H

#include <stdint.h>

#define SAMPLE_LANES 8u

/* How the bytes of a tensor are ordered. */
enum sample_layout {
    SAMPLE_PLAIN,    /* as the API has it: row by row */
    SAMPLE_IN_LANES, /* tensors of rank 2 alone */
};

/* Bytes of a tensor in a layout, tiles in full; `plain_bytes` in SAMPLE_PLAIN. */
uint64_t sample_layout_bytes(uint32_t layout, const uint32_t *dims, uint64_t plain_bytes);

/* Both ways. `lanes` is aligned for floats, `plain` at any address. */
void sample_lanes_pack(uint32_t rows, uint32_t columns, const uint8_t *plain, uint8_t *lanes);
void sample_lanes_unpack(uint32_t rows, uint32_t columns, const uint8_t *lanes, uint8_t *plain);

#endif
