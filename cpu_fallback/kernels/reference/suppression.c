#include "cpu_fallback/kernels/suppression.h"

#include <math.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/stop.h"

/* Candidates are a heap with the best on top: the highest score, and among equal scores the lowest
 * box. */
struct heap {
    struct hy_candidate *entries;
    size_t count;
};

static bool is_better(const struct hy_candidate *a, const struct hy_candidate *b)
{
    return a->score > b->score || (a->score == b->score && a->box < b->box);
}

static void sift_down(const struct heap *heap, size_t at)
{
    const struct hy_candidate moved = heap->entries[at];

    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_better(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!is_better(&heap->entries[child], &moved))
            break;
        heap->entries[at] = heap->entries[child];
    }
    heap->entries[at] = moved;
}

static void remove_top(struct heap *heap)
{
    heap->entries[0] = heap->entries[--heap->count];
    if (heap->count > 0)
        sift_down(heap, 0);
}

static float overlap(float a_begin, float a_end, float b_begin, float b_end)
{
    return fmaxf(fminf(a_end, b_end) - fmaxf(a_begin, b_begin), 0.0f);
}

static float intersection_over_union(const float *a, const float *b)
{
    const float a_y1 = fminf(a[0], a[2]), a_y2 = fmaxf(a[0], a[2]);
    const float a_x1 = fminf(a[1], a[3]), a_x2 = fmaxf(a[1], a[3]);
    const float b_y1 = fminf(b[0], b[2]), b_y2 = fmaxf(b[0], b[2]);
    const float b_x1 = fminf(b[1], b[3]), b_x2 = fmaxf(b[1], b[3]);
    const float a_area = (a_y2 - a_y1) * (a_x2 - a_x1), b_area = (b_y2 - b_y1) * (b_x2 - b_x1);

    if (!(a_area > 0 && b_area > 0))
        return 0;
    const float common = overlap(a_y1, a_y2, b_y1, b_y2) * overlap(a_x1, a_x2, b_x1, b_x2);
    return common / (a_area + b_area - common);
}

/* Compares the candidate with the boxes selected since its last comparison, the newest first.
 * Returns false if the candidate is suppressed. */
static bool survives(const struct hy_suppression *suppression, const float *boxes,
                     const int32_t *selected, size_t count, struct hy_candidate *candidate)
{
    for (size_t i = count; i-- > candidate->compared;) {
        const float iou = intersection_over_union(boxes + 4 * (size_t)candidate->box,
                                                  boxes + 4 * (size_t)selected[i]);
        if (iou >= suppression->iou_threshold)
            return false;
        if (suppression->sigma > 0)
            candidate->score *= expf(-0.5f / suppression->sigma * iou * iou);
        if (!(candidate->score > suppression->score_threshold))
            return false;
    }
    candidate->compared = (uint32_t)count;
    return true;
}

size_t hy_suppress(const struct hy_suppression *suppression, const float *boxes,
                   const float *scores, struct hy_candidate *candidates, int32_t *selected,
                   float *selected_scores)
{
    struct heap heap = {.entries = candidates};
    struct hy_stop_watch *watch = hy_stop_here();
    size_t count = 0;

    for (uint32_t i = 0; i < suppression->boxes; i++)
        if (scores[i] > suppression->score_threshold)
            heap.entries[heap.count++] = (struct hy_candidate){.score = scores[i], .box = i};
    for (size_t i = heap.count / 2; i-- > 0;)
        sift_down(&heap, i);
    while (heap.count > 0 && count < suppression->most && !hy_stop_after(watch, 16 + count)) {
        struct hy_candidate *top = &heap.entries[0];
        const float before = top->score;
        if (!survives(suppression, boxes, selected, count, top)) {
            remove_top(&heap);
        } else if (top->score == before) {
            selected[count] = (int32_t)top->box;
            selected_scores[count++] = before;
            remove_top(&heap);
        } else { /* its score fell: other candidates may be better now */
            sift_down(&heap, 0);
        }
    }
    return count;
}
