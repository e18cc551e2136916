#ifndef HY_CPU_FALLBACK_PROGRAM_CHAIN_PARTS_H
#define HY_CPU_FALLBACK_PROGRAM_CHAIN_PARTS_H

#include "cpu_fallback/ops/conv/conv_chunk_queue.h"
#include "cpu_fallback/program/band.h"
#include "cpu_fallback/program/op.h"

/*
 * Internals of chains: chain.c finds chains, chain_cut.c divides chains into bands, chain_run.c
 * runs the bands.
 */

#define HY_CHAIN_SEGMENTS 4u

struct hy_chain_member {
    const struct hy_cpu_banded *banded;
    const void *params; /* of the member's own step */
    uint32_t operation;
    uint32_t
        input; /* the input that the previous member writes; HY_CPU_NO_INPUT for the first member */
    size_t pixel_elements, pixel_bytes;
};

/*
 * Consecutive members whose outputs have the same pixels. In every segment but the first, the first
 * member has a window: it reads several lines of the previous segment for each of its own lines.
 * Each task holds these lines in a buffer, and carries the last lines of a band over to the next
 * band.
 */
struct hy_chain_segment {
    struct hy_cpu_lines lines;
    uint32_t first, end;  /* members [first, end) */
    size_t line_bytes;    /* per line of the last member */
    size_t buffer_offset; /* in the scratch of a task; unused in the last segment */
};

struct hy_chain {
    struct hy_conv_chunk_queue chunk_queue; /* one unit is one band */
    size_t band;                            /* lines of the last segment per band */
    size_t bands_of_image;
    size_t stop_units;     /* work of a band, see stop.h */
    size_t cursors_offset; /* in the scratch of the step */
    size_t tasks_offset;   /* scratch of the first task, in the scratch of the step */
    size_t task_bytes;     /* scratch per task */
    /* Two buffers in the scratch of a task; members within a segment alternate between them. */
    size_t buffer_offsets[2];
    size_t scratch_offset; /* scratch of the kernels, behind the buffers */
    uint32_t segment_count;
    struct hy_chain_segment segments[HY_CHAIN_SEGMENTS];
    uint32_t count;
    struct hy_chain_member members[];
};

/* The lines [first, end) of an image in a segment for a band. Lines before `from` are left over
 * from the previous band. */
struct hy_chain_lines {
    size_t first, from, end;
};

static inline const struct hy_chain_segment *hy_chain_last(const struct hy_chain *chain)
{
    return &chain->segments[chain->segment_count - 1];
}

/* Gives the lines of each segment for band `index`. `before`: the lines of the previous band of the
 * same image; NULL: nothing is left over. */
void hy_chain_find_lines(const struct hy_chain *chain, size_t index,
                         const struct hy_chain_lines *before, struct hy_chain_lines *lines);

/* The band of pixels that segment `segment` computes for band `index`; only first and count are
 * set. */
struct hy_cpu_band hy_chain_band(const struct hy_chain *chain, uint32_t segment, size_t index,
                                 const struct hy_chain_lines *lines);

/* Divides a chain into bands. `us`: microseconds of the whole chain on one thread. `threads`: the
 * most threads to use. False: only one band results, or a band exceeds half of the L2 cache. */
bool hy_chain_cut(struct hy_chain *chain, double us, uint32_t threads, uint64_t l2_bytes);

/* Reserves scratch for the chain in *scratch. `calls`: the call of each member. False: overflow. */
bool hy_chain_alloc_scratch(struct hy_chain *chain, const struct hy_call *calls, size_t *scratch);

/* Runs the chain in work->params. */
enum hy_code hy_chain_run(const struct hy_cpu_work *work, struct hy_error *err);

/* Rounds `number` up to a multiple of `multiple`. */
static inline size_t hy_chain_round_up(size_t number, size_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

#endif
