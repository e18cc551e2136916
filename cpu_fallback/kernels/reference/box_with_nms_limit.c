#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"

struct search {
    const struct hy_box_limit *limit;
    struct hy_nms nms;
    const float *scores;
    const struct hy_box *boxes;
};

/* The boxes of one class among the regions [begin, end). */
static size_t search_class(const struct search *search, uint32_t begin, uint32_t end,
                           uint32_t label, struct hy_detection *found)
{
    const struct hy_box_limit *limit = search->limit;
    size_t count = 0;

    for (uint32_t region = begin; region < end; region++) {
        uint32_t box = region * limit->classes + label;
        if (search->scores[box] > limit->score_threshold)
            found[count++] = (struct hy_detection){search->scores[box], box, label};
    }
    return hy_nms_choose(&search->nms, search->boxes, found, count);
}

static size_t search_image(const struct search *search, uint32_t begin, uint32_t end,
                           struct hy_detection *found)
{
    size_t count = 0;

    struct hy_stop_watch *watch = hy_stop_here();

    for (uint32_t label = 1; label < search->limit->classes && !hy_stop_after(watch, end - begin);
         label++)
        count += search_class(search, begin, end, label, found + count);
    hy_detections_sort_by_score(found, count);
    if (count > search->limit->limit)
        count = search->limit->limit;
    hy_detections_sort_by_label(found, count);
    return count;
}

size_t hy_box_with_nms_limit(const struct hy_box_limit *limit, const float *scores,
                             const struct hy_box *boxes, const int32_t *images,
                             struct hy_detection *found)
{
    const struct search search = {
        .limit = limit,
        .nms = {.kernel = (enum hy_nms_kernel)limit->kernel,
                .limit = limit->limit == UINT32_MAX ? SIZE_MAX : limit->limit,
                .overlap_threshold = limit->iou_threshold,
                .sigma = limit->sigma,
                .score_threshold = limit->nms_score_threshold},
        .scores = scores,
        .boxes = boxes,
    };
    size_t count = 0;

    for (uint32_t begin = 0, end; begin < limit->regions && !hy_stop_after(hy_stop_here(), 1);
         begin = end) {
        for (end = begin + 1; end < limit->regions && images[end] == images[begin];)
            end++;
        count += search_image(&search, begin, end, found + count);
    }
    return count;
}
