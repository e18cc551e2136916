#ifndef HY_COMMON_MEMORY_SPAN_LAYOUT_H
#define HY_COMMON_MEMORY_SPAN_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/memory/arena.h"

/* The alignment of every span's size and offset. */
#define HY_SPAN_ALIGNMENT 64u

/* A tensor or other block of memory of `size` bytes, used from step `first` to step `last`
 * inclusive. */
struct hy_span {
    size_t size; /* rounded up to HY_SPAN_ALIGNMENT */
    uint32_t first, last;
    size_t offset; /* result, aligned likewise */
};

struct hy_span_layout {
    size_t total;  /* size in bytes of the block with all spans */
    size_t least;  /* lower bound: bytes in use at the busiest step */
    uint64_t work; /* search steps, independent of the machine */
};

/*
 * Assigns offsets in a block to all spans, without overlap of spans used at the same step. Steps
 * are numbered from 0 and need memory, so steps must be few. The work grows with count *
 * log(count); for a few hundred spans a quadratic method may be tried too. A chain, with overlaps
 * only between neighbors, gets the minimum size; branches may leave gaps. The search allocates in
 * the arena and does not free. HY_OUT_OF_MEMORY, also if the sum of sizes overflows.
 */
HY_MUST_CHECK enum hy_code hy_lay_out_spans(struct hy_arena *memory, struct hy_span *spans,
                                            uint32_t count, struct hy_span_layout *span_layout,
                                            struct hy_error *err);

#endif
