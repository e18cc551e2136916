#include <math.h>

#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"

static struct hy_box decode(const struct hy_postprocessing *post, const float *anchor,
                            const float *delta)
{
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

uint64_t hy_detection_postprocessing_room(const struct hy_postprocessing *post)
{
    const uint64_t anchors = post->anchors, classes = post->classes;

    /* The candidates of the last class lie behind what was chosen of the classes before. */
    if (post->regular)
        return classes > 1 ? anchors + (classes - 2) * least(anchors, post->limit_per_class) : 0;
    const uint64_t each = least(classes > 1 ? classes - 1 : 0, post->classes_each);
    const uint64_t chosen = least(anchors, post->limit) * each;
    return anchors > chosen ? anchors : chosen;
}

/* Suppression within each class. */
static size_t find_regular(const struct hy_postprocessing *post, const float *scores,
                           const struct hy_box *boxes, struct hy_detection *found)
{
    const struct hy_nms nms = {
        .kernel = HY_NMS_CUT,
        .limit = post->limit_per_class,
        .overlap_threshold = post->iou_threshold,
    };
    struct hy_stop_watch *watch = hy_stop_here();
    size_t count = 0;

    for (uint32_t label = 1; label < post->classes && !hy_stop_after(watch, post->anchors);
         label++) {
        struct hy_detection *list = found + count;
        size_t candidates = 0;
        for (uint32_t a = 0; a < post->anchors; a++) {
            float score = scores[(size_t)a * post->classes + label];
            if (score > post->score_threshold)
                list[candidates++] = (struct hy_detection){score, a, label};
        }
        count += hy_nms_choose(&nms, boxes, list, candidates);
    }
    hy_detections_sort_by_score(found, count);
    return count < post->limit ? count : post->limit;
}

/* Ranks the classes of an anchor, without the background. */
static void rank_classes(const struct hy_postprocessing *post, const float *scores, uint32_t anchor,
                         struct hy_detection *ranking)
{
    for (uint32_t label = 1; label < post->classes; label++)
        ranking[label - 1] =
            (struct hy_detection){scores[(size_t)anchor * post->classes + label], anchor, label};
    hy_detections_sort_by_score(ranking, post->classes - 1);
}

static size_t choose_anchors(const struct hy_postprocessing *post, const float *scores,
                             const struct hy_box *boxes, struct hy_detection *found)
{
    const struct hy_nms nms = {
        .kernel = HY_NMS_CUT,
        .limit = post->limit,
        .overlap_threshold = post->iou_threshold,
    };
    struct hy_stop_watch *watch = hy_stop_here();
    size_t candidates = 0;

    for (uint32_t a = 0; a < post->anchors && !hy_stop_after(watch, post->classes); a++) {
        const float *classes = scores + (size_t)a * post->classes;
        float best = -INFINITY;
        for (uint32_t label = 1; label < post->classes; label++)
            best = fmaxf(best, classes[label]);
        if (best > post->score_threshold)
            found[candidates++] = (struct hy_detection){.score = best, .box = a};
    }
    return hy_nms_choose(&nms, boxes, found, candidates);
}

/* Suppression over the best class of each anchor, then the best classes of those that remain. */
static size_t find_fast(const struct hy_postprocessing *post, const float *scores,
                        const struct hy_box *boxes, struct hy_detection *found,
                        struct hy_detection *ranking)
{
    uint32_t each = post->classes - 1 < post->classes_each ? post->classes - 1 : post->classes_each;
    size_t chosen = choose_anchors(post, scores, boxes, found);

    /* From the last to the first: each anchor makes room for all its classes. */
    for (size_t i = chosen; i-- > 0;) {
        if (hy_stop_after(hy_stop_here(), 8 * (size_t)post->classes))
            return 0; /* those before it have no room yet */
        rank_classes(post, scores, found[i].box, ranking);
        for (uint32_t k = each; k-- > 0;)
            found[i * each + k] = ranking[k];
    }
    return chosen * each;
}

size_t hy_detection_postprocessing(const struct hy_postprocessing *post, const float *scores,
                                   const float *deltas, const float *anchors, struct hy_box *boxes,
                                   struct hy_detection *found, struct hy_detection *ranking)
{
    for (size_t a = 0; a < post->anchors; a++) {
        if (hy_stop_after(hy_stop_here(), 8))
            return 0;
        boxes[a] = decode(post, anchors + 4 * a, deltas + a * post->delta_length);
    }
    return post->regular ? find_regular(post, scores, boxes, found)
                         : find_fast(post, scores, boxes, found, ranking);
}
