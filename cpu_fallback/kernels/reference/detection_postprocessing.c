#include <math.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/kernels/to_float.h"

/* The inputs and lists of one image. */
struct search {
    const struct hy_postprocessing *post;
    const float *scores;
    const struct hy_stored_rows *deltas, *anchors;
    const struct hy_postprocessing_lists *lists;
};

static const float *scores_of(const struct search *search, uint32_t anchor)
{
    return search->scores + (size_t)anchor * search->post->classes;
}

/* The first four numbers of a row. */
static void load_row(const struct hy_stored_rows *rows, uint32_t index, float numbers[4])
{
    const uint8_t *row =
        (const uint8_t *)rows->values + (size_t)index * rows->length * rows->element_size;

    hy_to_float_load(rows->element, rows->scale, rows->zero_point, 4, row, numbers);
}

static struct hy_box decode(const struct search *search, uint32_t index)
{
    const struct hy_postprocessing *post = search->post;
    float anchor[4], delta[4];

    load_row(search->anchors, index, anchor);
    load_row(search->deltas, index, delta);
    float y = anchor[0] + anchor[2] * delta[0] / post->scale_y;
    float x = anchor[1] + anchor[3] * delta[1] / post->scale_x;
    float half_height = anchor[2] * expf(delta[2] / post->scale_h) / 2;
    float half_width = anchor[3] * expf(delta[3] / post->scale_w) / 2;

    return (struct hy_box){y - half_height, x - half_width, y + half_height, x + half_width};
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t hy_detection_postprocessing_capacity(const struct hy_postprocessing *post)
{
    const uint64_t anchors = post->anchors, classes = post->classes > 1 ? post->classes - 1 : 0;

    return post->regular ? least(anchors, post->limit_per_class) * classes
                         : least(anchors, post->limit) * least(classes, post->classes_each);
}

static bool overlaps_any(const struct hy_postprocessing *post, const struct hy_box *box,
                         const struct hy_box *boxes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hy_box_overlap(&boxes[i], box) >= post->iou_threshold)
            return true;
    }
    return false;
}

/*
 * Suppression: repeatedly chooses the best candidate that does not overlap a chosen box by the
 * threshold or more, up to `limit` of them. The chosen candidates go behind the first `count`
 * detections found, each with its anchor as box, and their boxes to the same index of lists->boxes.
 * Returns the new number of detections found. A box is only decoded when its candidate is
 * considered, because few candidates are.
 */
static size_t choose(const struct search *search, size_t candidates, size_t limit, size_t count)
{
    const struct hy_postprocessing_lists *lists = search->lists;
    struct hy_stop_watch *watch = hy_stop_here();
    const size_t first = count;

    hy_detections_make_heap(lists->candidates, candidates);
    while (candidates > 0 && count - first < limit &&
           !hy_stop_after(watch, 32 + 4 * (count - first))) {
        struct hy_detection best = hy_detections_pop_best(lists->candidates, candidates--);
        lists->boxes[count] = decode(search, best.box);
        if (overlaps_any(search->post, &lists->boxes[count], lists->boxes + first, count - first))
            continue;
        lists->found[count++] = best;
    }
    return count;
}

/* Suppression within each class. */
static size_t find_regular(const struct search *search)
{
    const struct hy_postprocessing *post = search->post;
    const struct hy_postprocessing_lists *lists = search->lists;
    struct hy_stop_watch *watch = hy_stop_here();
    size_t count = 0;

    for (uint32_t label = 1; label < post->classes && !hy_stop_after(watch, post->anchors);
         label++) {
        size_t candidates = 0;
        for (uint32_t a = 0; a < post->anchors; a++) {
            const float score = scores_of(search, a)[label];
            if (score > post->score_threshold)
                lists->candidates[candidates++] = (struct hy_detection){score, a, label};
        }
        const size_t first = count;
        count = choose(search, candidates, post->limit_per_class, first);
        for (size_t i = first; i < count; i++)
            lists->found[i].box = (uint32_t)i;
    }
    hy_detections_sort_by_score(lists->found, count);
    return count < post->limit ? count : post->limit;
}

/* Suppression over the best class of each anchor. */
static size_t choose_anchors(const struct search *search)
{
    const struct hy_postprocessing *post = search->post;
    struct hy_stop_watch *watch = hy_stop_here();
    size_t candidates = 0;

    for (uint32_t a = 0; a < post->anchors && !hy_stop_after(watch, post->classes); a++) {
        const float *scores = scores_of(search, a);
        float best = -INFINITY;
        for (uint32_t label = 1; label < post->classes; label++)
            best = fmaxf(best, scores[label]);
        if (best > post->score_threshold)
            search->lists->candidates[candidates++] =
                (struct hy_detection){.score = best, .box = a};
    }
    return choose(search, candidates, post->limit, 0);
}

/* Ranks the classes of an anchor, without the background, for the box at index `place`. */
static void rank_classes(const struct search *search, uint32_t anchor, uint32_t position)
{
    struct hy_detection *ranking = search->lists->ranking;

    for (uint32_t label = 1; label < search->post->classes; label++)
        ranking[label - 1] =
            (struct hy_detection){scores_of(search, anchor)[label], position, label};
    hy_detections_sort_by_score(ranking, search->post->classes - 1);
}

/* The best classes of the anchors left by suppression. */
static size_t find_fast(const struct search *search)
{
    const uint32_t each = (uint32_t)least(search->post->classes - 1, search->post->classes_each);
    const struct hy_postprocessing_lists *lists = search->lists;
    const size_t chosen = choose_anchors(search);

    /* From the last to the first, because each anchor expands to several classes. */
    for (size_t i = chosen; i-- > 0;) {
        if (hy_stop_after(hy_stop_here(), 8 * (size_t)search->post->classes))
            return 0; /* detections before it are not yet expanded */
        rank_classes(search, lists->found[i].box, (uint32_t)i);
        for (uint32_t k = each; k-- > 0;)
            lists->found[i * each + k] = lists->ranking[k];
    }
    return chosen * each;
}

size_t hy_detection_postprocessing(const struct hy_postprocessing *post, const float *scores,
                                   const struct hy_stored_rows *deltas,
                                   const struct hy_stored_rows *anchors,
                                   const struct hy_postprocessing_lists *lists)
{
    const struct search search = {post, scores, deltas, anchors, lists};

    return post->regular ? find_regular(&search) : find_fast(&search);
}
