#include "cpu_fallback/placement.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "cpu_fallback/kernels/types.h"

/* Larger first; among equals the earlier one, so that the answer depends on nothing else. */
static int compare(const void *left, const void *right)
{
    const struct hy_cpu_span *a = *(struct hy_cpu_span *const *)left;
    const struct hy_cpu_span *b = *(struct hy_cpu_span *const *)right;

    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return a < b ? -1 : a > b;
}

/* Where `span` goes, given those `placed` before in ascending order of offset. */
static size_t find_gap(const struct hy_cpu_span *span, struct hy_cpu_span *const *placed,
                       uint32_t count)
{
    size_t end = 0; /* of what lives at the same time, so far */
    size_t best = 0, best_size = SIZE_MAX;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_cpu_span *other = placed[i];
        if (other->last < span->first || other->first > span->last)
            continue;
        if (other->offset > end) {
            size_t gap = other->offset - end;
            if (gap >= span->size && gap < best_size) {
                best = end;
                best_size = gap;
            }
        }
        if (other->offset + other->size > end)
            end = other->offset + other->size;
    }
    return best_size == SIZE_MAX ? end : best;
}

/* Keeps the order of offsets. */
static void insert(struct hy_cpu_span **placed, uint32_t count, struct hy_cpu_span *span)
{
    uint32_t at = count;

    while (at > 0 && placed[at - 1]->offset > span->offset)
        at--;
    memmove(placed + at + 1, placed + at, (count - at) * sizeof(struct hy_cpu_span *));
    placed[at] = span;
}

/* Rounds all sizes; false when their sum does not fit. */
static bool round_sizes(struct hy_cpu_span *spans, uint32_t count)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!hy_round_up_size(spans[i].size, HY_KERNEL_ALIGNMENT, &spans[i].size) ||
            !hy_add_size(sum, spans[i].size, &sum))
            return false;
    }
    return true;
}

enum hy_code hy_cpu_place(struct hy_cpu_span *spans, uint32_t count, size_t *total,
                          struct hy_error *err)
{
    *total = 0;
    if (count == 0)
        return HY_OK;
    struct hy_cpu_span **order = calloc(count, sizeof(struct hy_cpu_span *));
    struct hy_cpu_span **placed = calloc(count, sizeof(struct hy_cpu_span *));
    bool fits = order && placed && round_sizes(spans, count);

    for (uint32_t i = 0; i < count && fits; i++)
        order[i] = &spans[i];
    if (fits)
        qsort(order, count, sizeof(struct hy_cpu_span *), compare);
    for (uint32_t i = 0; i < count && fits; i++) {
        struct hy_cpu_span *span = order[i];
        span->offset = find_gap(span, placed, i);
        insert(placed, i, span);
        if (span->offset + span->size > *total)
            *total = span->offset + span->size;
    }
    free(order);
    free(placed);
    return fits ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u tensors", count);
}
