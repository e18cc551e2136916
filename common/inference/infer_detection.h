#ifndef HY_COMMON_INFERENCE_INFER_DETECTION_H
#define HY_COMMON_INFERENCE_INFER_DETECTION_H

#include "common/call.h"
#include "common/image/image.h"

/*
 * Operations that find boxes in images. What they read besides shapes are limits and thresholds;
 * what the boxes and scores allow is checked when they run.
 */

/* AXIS_ALIGNED_BBOX_TRANSFORM */
struct hy_bbox_transform {
    uint32_t regions;
    uint32_t classes;
    uint32_t images;
};
HY_MUST_CHECK enum hy_code hy_bbox_transform_read(const struct hy_call *call,
                                                  struct hy_bbox_transform *transform,
                                                  struct hy_error *err);

/* BOX_WITH_NMS_LIMIT */
struct hy_box_limit {
    uint32_t regions;
    uint32_t classes; /* 2 or more: class 0 is the background */
    uint32_t limit;   /* boxes per image; UINT32_MAX: all */
    int32_t kernel;   /* 0 hard, 1 linear, 2 gaussian */
    float score_threshold, iou_threshold, sigma, nms_score_threshold;
    uint32_t most; /* boxes in all */
};
HY_MUST_CHECK enum hy_code hy_box_limit_read(const struct hy_call *call, struct hy_box_limit *limit,
                                             struct hy_error *err);

/* GENERATE_PROPOSALS */
struct hy_proposals {
    bool nchw;
    struct hy_image_size scores; /* one channel per anchor; of deltas, four */
    float ratio_h, ratio_w;
    uint32_t before_nms, after_nms; /* the most per image; UINT32_MAX: all */
    float iou_threshold, min_size;
    uint32_t most; /* boxes in all */
};
HY_MUST_CHECK enum hy_code hy_proposals_read(const struct hy_call *call,
                                             struct hy_proposals *proposals, struct hy_error *err);

/* DETECTION_POSTPROCESSING */
struct hy_postprocessing {
    uint32_t images, anchors;
    uint32_t classes;      /* with the background, class 0 */
    uint32_t delta_length; /* numbers per anchor, 4 or more, of which 4 are read */
    float scale_y, scale_x, scale_h, scale_w;
    bool regular; /* one suppression per class, else one over the best class of each anchor */
    bool counts_background;
    uint32_t limit;           /* detections, in each of which the fast way finds several classes */
    uint32_t classes_each;    /* fast only: most per detection */
    uint32_t limit_per_class; /* regular only */
    float score_threshold, iou_threshold;
    uint32_t rows; /* of the outputs, per image */
};
HY_MUST_CHECK enum hy_code hy_postprocessing_read(const struct hy_call *call,
                                                  struct hy_postprocessing *post,
                                                  struct hy_error *err);

/* NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION: input 0 has corners, input 1 scores. */
struct hy_selection {
    uint32_t boxes, most; /* 1 at least */
    float iou_threshold, score_threshold;
    float sigma; /* 0 of the first */
};
HY_MUST_CHECK enum hy_code hy_selection_read(const struct hy_call *call,
                                             struct hy_selection *selection, struct hy_error *err);

#endif
