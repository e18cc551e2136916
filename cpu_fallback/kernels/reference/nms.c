#include "cpu_fallback/kernels/nms.h"
#include "cpu_fallback/kernels/stop.h"

#include <math.h>
#include <stdbool.h>

typedef bool before_fn(const struct hy_detection *a, const struct hy_detection *b);

static bool by_score(const struct hy_detection *a, const struct hy_detection *b)
{
    if (a->score > b->score || a->score < b->score)
        return a->score > b->score;
    if (isnan(a->score) != isnan(b->score))
        return isnan(b->score);
    return a->label != b->label ? a->label < b->label : a->box < b->box;
}

static bool by_label(const struct hy_detection *a, const struct hy_detection *b)
{
    return a->label != b->label ? a->label < b->label : by_score(a, b);
}

/* Order of a heap with the best at the top. */
static bool by_falling_rank(const struct hy_detection *a, const struct hy_detection *b)
{
    return by_score(b, a);
}

static void swap(struct hy_detection *a, struct hy_detection *b)
{
    struct hy_detection saved = *a;

    *a = *b;
    *b = saved;
}

/* Moves the entry at `at` down in a heap with the last at the top. */
static void sink(struct hy_detection *heap, size_t at, size_t count, before_fn *before)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

/* If stopped early, the list is not a heap yet. */
static void make_heap(struct hy_detection *list, size_t count, before_fn *before)
{
    for (size_t i = count / 2; i-- > 0 && !hy_stop_after(hy_stop_here(), 8);)
        sink(list, i, count, before);
}

/* Sorts in place: kernels do not allocate, and qsort may. */
static void sort(struct hy_detection *list, size_t count, before_fn *before)
{
    struct hy_stop_watch *watch = hy_stop_here();

    make_heap(list, count, before);
    for (size_t end = count; end > 1 && !hy_stop_after(watch, 32);) {
        swap(&list[0], &list[--end]);
        sink(list, 0, end, before);
    }
}

void hy_detections_sort_by_score(struct hy_detection *list, size_t count)
{
    sort(list, count, by_score);
}

void hy_detections_sort_by_label(struct hy_detection *list, size_t count)
{
    sort(list, count, by_label);
}

void hy_detections_make_heap(struct hy_detection *list, size_t count)
{
    make_heap(list, count, by_falling_rank);
}

struct hy_detection hy_detections_pop_best(struct hy_detection *heap, size_t count)
{
    const struct hy_detection best = heap[0];

    heap[0] = heap[count - 1];
    sink(heap, 0, count - 1, by_falling_rank);
    return best;
}

static float factor(const struct hy_nms *nms, float overlap)
{
    if (nms->kernel == HY_NMS_GAUSSIAN)
        return expf(-overlap * overlap / nms->sigma);
    if (overlap < nms->overlap_threshold)
        return 1;
    return nms->kernel == HY_NMS_LINEAR ? 1 - overlap : 0;
}

/* True if the candidate does not survive its overlap with a chosen box. */
static bool suppress(const struct hy_nms *nms, float overlap, struct hy_detection *candidate)
{
    if (nms->kernel == HY_NMS_CUT)
        return overlap >= nms->overlap_threshold;
    candidate->score *= factor(nms, overlap);
    return candidate->score < nms->score_threshold;
}

static struct hy_detection *find_best(struct hy_detection *list, size_t count)
{
    struct hy_detection *best = list;

    for (size_t i = 1; i < count; i++) {
        if (list[i].score > best->score)
            best = &list[i];
    }
    return best;
}

size_t hy_nms_choose(const struct hy_nms *nms, const struct hy_box *boxes,
                     struct hy_detection *list, size_t count)
{
    struct hy_stop_watch *watch = hy_stop_here();
    size_t chosen = 0;

    while (chosen < count && chosen < nms->limit && !hy_stop_after(watch, 4 * (count - chosen))) {
        swap(&list[chosen], find_best(list + chosen, count - chosen));
        const struct hy_box *box = &boxes[list[chosen].box];
        chosen++;
        for (size_t i = chosen; i < count;) {
            if (suppress(nms, hy_box_overlap(box, &boxes[list[i].box]), &list[i]))
                swap(&list[i], &list[--count]);
            else
                i++;
        }
    }
    return chosen;
}
