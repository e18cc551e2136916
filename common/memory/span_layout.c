#include "common/memory/span_layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "common/memory/free_blocks.h"

/* A placement is accepted if it exceeds the lower bound by at most 1 / NEAR. */
#define NEAR 20

/* Limit of spans for placing by size, which is quadratic. */
#define MOST_BY_SIZE 512u

/* The spans ordered by start and by end. */
struct timeline {
    struct hy_span **starts, **ends;
    uint32_t count;
    struct hy_span **allocated;   /* in the order of offsets */
    struct hy_free_block *blocks; /* count + 1 */
    size_t *offsets;              /* of an alternative placement */
};

/* The end of the free memory for a span. */
enum ends {
    LOWER_END, /* all spans at the lower end */
    BOTH_ENDS, /* by the parity of the last step: adjacent spans of a chain at opposite ends */
};

/* Orders spans with the same start by descending size, then by index, for a deterministic
 * result. */
static int compare_starts(const void *left, const void *right)
{
    const struct hy_span *a = *(struct hy_span *const *)left;
    const struct hy_span *b = *(struct hy_span *const *)right;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return a < b ? -1 : a > b;
}

/* The last step of any span. */
static uint32_t last_step(const struct hy_span *spans, uint32_t count)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < count; i++)
        last = spans[i].last > last ? spans[i].last : last;
    return last;
}

/* Sorts by last step, then by index, with a counting sort as steps are few. `tally` has an entry
 * for each step and one more, all 0. */
static void sort_ends(struct hy_span *spans, uint32_t count, uint32_t *tally, struct hy_span **ends)
{
    const uint32_t last = last_step(spans, count);

    for (uint32_t i = 0; i < count; i++)
        tally[spans[i].last + 1]++;
    for (uint32_t step = 0; step < last; step++)
        tally[step + 1] += tally[step];
    for (uint32_t i = 0; i < count; i++)
        ends[tally[spans[i].last]++] = &spans[i];
}

/* Rounds all sizes; false if their sum overflows. */
static bool round_sizes(struct hy_span *spans, uint32_t count)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!hy_round_up_size(spans[i].size, HY_SPAN_ALIGNMENT, &spans[i].size) ||
            !hy_add_size(sum, spans[i].size, &sum))
            return false;
    }
    return true;
}

static size_t find_least(const struct timeline *timeline)
{
    size_t live = 0, most = 0;
    uint32_t ended = 0;

    for (uint32_t i = 0; i < timeline->count; i++) {
        for (; timeline->ends[ended]->last < timeline->starts[i]->first; ended++)
            live -= timeline->ends[ended]->size;
        live += timeline->starts[i]->size;
        if (live > most)
            most = live;
    }
    return most;
}

/* Processes spans in time order; each gets the first free space from one end. */
static void assign_by_time(const struct timeline *timeline, enum ends ends,
                           struct hy_span_layout *span_layout)
{
    struct hy_free_blocks memory;
    uint32_t ended = 0;

    hy_free_blocks_init(&memory, timeline->blocks, span_layout->least);
    for (uint32_t i = 0; i < timeline->count; i++) {
        struct hy_span *span = timeline->starts[i];
        for (; timeline->ends[ended]->last < span->first; ended++) {
            const struct hy_span *gone = timeline->ends[ended];
            if (gone->size > 0)
                hy_free_blocks_give(&memory, gone->offset, gone->size);
        }
        bool from_top = ends == BOTH_ENDS && span->last % 2 == 1;
        span->offset = span->size > 0 ? hy_free_blocks_alloc(&memory, span->size, from_top) : 0;
    }
    span_layout->total = memory.limit;
    span_layout->work += memory.visits + timeline->count;
}

/* The largest first; equal sizes by start. */
static int compare_sizes(const void *left, const void *right)
{
    const struct hy_span *a = *(struct hy_span *const *)left;
    const struct hy_span *b = *(struct hy_span *const *)right;

    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return compare_starts(left, right);
}

/* The lowest free offset for `span` among the first `count` placed spans. */
static size_t find_gap(const struct timeline *timeline, uint32_t count, const struct hy_span *span)
{
    size_t offset = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_span *other = timeline->allocated[i];
        if (other->last < span->first || span->last < other->first)
            continue;
        if (offset + span->size <= other->offset)
            break;
        if (other->offset + other->size > offset)
            offset = other->offset + other->size;
    }
    return offset;
}

static void insert_sorted(const struct timeline *timeline, uint32_t count, struct hy_span *span)
{
    uint32_t i = count;

    for (; i > 0 && timeline->allocated[i - 1]->offset > span->offset; i--)
        timeline->allocated[i] = timeline->allocated[i - 1];
    timeline->allocated[i] = span;
}

/* Places the largest spans first, independent of time; `starts` is sorted by size here. */
static void assign_by_size(const struct timeline *timeline, struct hy_span_layout *span_layout)
{
    qsort(timeline->starts, timeline->count, sizeof(struct hy_span *), compare_sizes);
    span_layout->total = 0;
    for (uint32_t i = 0; i < timeline->count; i++) {
        struct hy_span *span = timeline->starts[i];
        span->offset = span->size > 0 ? find_gap(timeline, i, span) : 0;
        insert_sorted(timeline, i, span);
        if (span->offset + span->size > span_layout->total)
            span_layout->total = span->offset + span->size;
    }
    span_layout->work += (uint64_t)timeline->count * timeline->count;
}

static void save_offsets(const struct timeline *timeline, const struct hy_span *spans)
{
    for (uint32_t i = 0; i < timeline->count; i++)
        timeline->offsets[i] = spans[i].offset;
}

static bool is_near(const struct hy_span_layout *span_layout)
{
    return span_layout->total - span_layout->least <= span_layout->least / NEAR;
}

/* Both ends suit chains, the lower end suits branches, and by size suits few large among many small
 * spans. */
static void position(const struct timeline *timeline, struct hy_span *spans,
                     struct hy_span_layout *span_layout)
{
    *span_layout = (struct hy_span_layout){.least = find_least(timeline)};
    assign_by_time(timeline, BOTH_ENDS, span_layout);
    for (int way = 0; way < 2 && !is_near(span_layout); way++) {
        const size_t total = span_layout->total;
        if (way == 1 && timeline->count > MOST_BY_SIZE)
            break;
        save_offsets(timeline, spans);
        if (way == 0)
            assign_by_time(timeline, LOWER_END, span_layout);
        else
            assign_by_size(timeline, span_layout);
        if (span_layout->total <= total)
            continue;
        for (uint32_t i = 0; i < timeline->count; i++)
            spans[i].offset = timeline->offsets[i];
        span_layout->total = total;
    }
}

enum hy_code hy_lay_out_spans(struct hy_arena *memory, struct hy_span *spans, uint32_t count,
                              struct hy_span_layout *span_layout, struct hy_error *err)
{
    *span_layout = (struct hy_span_layout){0};
    if (count == 0)
        return HY_OK;
    const size_t steps = (size_t)last_step(spans, count) + 2;
    uint32_t *tally = hy_arena_alloc(memory, steps * sizeof *tally);
    struct timeline timeline = {
        .starts = hy_arena_alloc(memory, count * sizeof(struct hy_span *)),
        .ends = hy_arena_alloc(memory, count * sizeof(struct hy_span *)),
        .count = count,
        .allocated = hy_arena_alloc(memory, count * sizeof(struct hy_span *)),
        .blocks = hy_arena_alloc(memory, ((size_t)count + 1) * sizeof *timeline.blocks),
        .offsets = hy_arena_alloc(memory, count * sizeof *timeline.offsets),
    };
    bool fits = tally && timeline.starts && timeline.ends && timeline.allocated &&
                timeline.blocks && timeline.offsets && round_sizes(spans, count);

    if (fits) {
        memset(tally, 0, steps * sizeof *tally);
        for (uint32_t i = 0; i < count; i++)
            timeline.starts[i] = &spans[i];
        qsort(timeline.starts, count, sizeof(struct hy_span *), compare_starts);
        sort_ends(spans, count, tally, timeline.ends);
        position(&timeline, spans, span_layout);
    }
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u tensors", count);
}
