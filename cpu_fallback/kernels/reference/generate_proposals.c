#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"

/* All boxes of an image, in the order (row, column, anchor) of the scores. */
static void make_boxes(const struct hy_proposals *proposals, const struct hy_image_extent *image,
                       const struct hy_box *anchors, const struct hy_box_delta *deltas,
                       struct hy_box *boxes)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (uint32_t h = 0; h < proposals->scores.height; h++) {
        float y = (float)h * proposals->ratio_h;
        for (uint32_t w = 0; w < proposals->scores.width; w++) {
            float x = (float)w * proposals->ratio_w;
            if (hy_stop_after(watch, proposals->scores.channels))
                return;
            for (uint32_t a = 0; a < proposals->scores.channels; a++) {
                const struct hy_box *at = &anchors[a];
                struct hy_box anchor = {at->x1 + x, at->y1 + y, at->x2 + x, at->y2 + y};
                *boxes++ = hy_box_transform(&anchor, deltas++, image);
            }
        }
    }
}

/* Whether the box is large enough and has its centre in the image. */
static int is_wanted(const struct hy_proposals *proposals, const struct hy_image_extent *image,
                     const struct hy_box *box)
{
    float width = box->x2 - box->x1, height = box->y2 - box->y1;

    return width > proposals->min_size && height > proposals->min_size &&
           box->x1 + width / 2 < image->width && box->y1 + height / 2 < image->height;
}

size_t hy_generate_proposals(const struct hy_proposals *proposals,
                             const struct hy_image_extent *image, const struct hy_box *anchors,
                             const float *scores, const struct hy_box_delta *deltas,
                             struct hy_box *boxes, struct hy_detection *found)
{
    const struct hy_image_size *size = &proposals->scores;
    const struct hy_nms nms = {
        .kernel = HY_NMS_CUT,
        .limit = proposals->after_nms == UINT32_MAX ? SIZE_MAX : proposals->after_nms,
        .overlap_threshold = proposals->iou_threshold,
    };
    size_t count = (size_t)size->height * size->width * size->channels, found_count = 0;

    make_boxes(proposals, image, anchors, deltas, boxes);
    if (hy_stop_after(hy_stop_here(), count)) /* some boxes may be missing */
        return 0;
    for (size_t i = 0; i < count; i++)
        found[i] = (struct hy_detection){.score = scores[i], .box = (uint32_t)i};
    if (count > proposals->before_nms) {
        hy_detections_sort_by_score(found, count);
        count = proposals->before_nms;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_wanted(proposals, image, &boxes[found[i].box]))
            found[found_count++] = found[i];
    }
    return hy_nms_choose(&nms, boxes, found, found_count);
}
