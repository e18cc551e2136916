#ifndef HY_CPU_FALLBACK_PROGRAM_CHAIN_PARTS_H
#define HY_CPU_FALLBACK_PROGRAM_CHAIN_PARTS_H

#include "cpu_fallback/ops/conv/conv_turns.h"
#include "cpu_fallback/program/band.h"
#include "cpu_fallback/program/op.h"

/*
 * The inside of a chain, for chain.c, which finds chains, chain_cut.c, which cuts them to bands,
 * and chain_run.c, which runs them.
 */

#define HY_CHAIN_SEGMENTS 4u

struct hy_chain_member {
    const struct hy_cpu_banded *banded;
    const void *params; /* of its own step */
    uint32_t operation;
    uint32_t input; /* that the member before writes; HY_CPU_NO_INPUT for the first */
    size_t pixel_elements, pixel_bytes;
};

/*
 * Members whose outputs have the same pixels. The first one of each segment but the first segment
 * has a window: it reads lines around its own of what the segment before writes. A task keeps these
 * lines in a buffer, and of one band the last ones for the next.
 */
struct hy_chain_segment {
    struct hy_cpu_lines lines;
    uint32_t first, end;  /* members */
    size_t line_bytes;    /* of its last member */
    size_t buffer_offset; /* in the scratch of a task; the last segment has none */
};

struct hy_chain {
    struct hy_conv_turns turns; /* its units are bands */
    size_t band;                /* lines of the last segment */
    size_t bands_of_image;
    size_t stop_units;        /* of a band */
    size_t turns_offset;      /* in the scratch of the step */
    size_t tasks_offset;      /* of the scratch of the first task */
    size_t task_bytes;        /* from task to task */
    size_t buffer_offsets[2]; /* in the scratch of a task: members within a segment write to these
                                 in turn */
    size_t scratch_offset;    /* for the kernels, after the buffers */
    uint32_t segment_count;
    struct hy_chain_segment segments[HY_CHAIN_SEGMENTS];
    uint32_t count;
    struct hy_chain_member members[];
};

/* Lines of an image that a segment has for a band: [first, end), of which those before `from` are
 * there from the band before. */
struct hy_chain_lines {
    size_t first, from, end;
};

static inline const struct hy_chain_segment *hy_chain_last(const struct hy_chain *chain)
{
    return &chain->segments[chain->segment_count - 1];
}

/* The lines of each segment for band `index`. `before`: those of the band before, which is of the
 * same image; NULL: nothing is there. */
void hy_chain_find_lines(const struct hy_chain *chain, size_t index,
                         const struct hy_chain_lines *before, struct hy_chain_lines *lines);

/* The pixels of segment `segment` that are computed for band `index`. */
struct hy_cpu_band hy_chain_band(const struct hy_chain *chain, uint32_t segment, size_t index,
                                 const struct hy_chain_lines *lines);

/* Cuts the lines of a chain that takes one thread `us`, for so many threads at most. False: there
 * is one band, or the second cache does not have room for any. */
bool hy_chain_cut(struct hy_chain *chain, double us, uint32_t threads, uint64_t l2_bytes);

/* Takes scratch for the chain; `calls` has the call of each member. False when it does not fit. */
bool hy_chain_take_scratch(struct hy_chain *chain, const struct hy_call *calls, size_t *scratch);

/* `params`: the chain. */
enum hy_code hy_chain_run(const struct hy_cpu_work *work, struct hy_error *err);

/* The next multiple of lines, or of bands. */
static inline size_t hy_chain_round_up(size_t number, size_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

#endif
