#ifndef HY_COMMON_INFERENCE_INFER_DETECTION_H
#define HY_COMMON_INFERENCE_INFER_DETECTION_H

#include "common/call.h"
#include "common/image/image.h"

/*
 * Operations that find boxes in images. Besides shapes only limits and thresholds are read; the
 * values of boxes and scores are checked at run time.
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
    uint32_t classes; /* at least 2: class 0 is the background */
    uint32_t limit;   /* boxes per image; UINT32_MAX: all */
    int32_t kernel;   /* 0 hard, 1 linear, 2 gaussian */
    float score_threshold, iou_threshold, sigma, nms_score_threshold;
    uint32_t most; /* largest number of boxes */
};
HY_MUST_CHECK enum hy_code hy_box_limit_read(const struct hy_call *call, struct hy_box_limit *limit,
                                             struct hy_error *err);

/* GENERATE_PROPOSALS */
struct hy_proposals {
    bool nchw;
    struct hy_image_size scores; /* with a channel per anchor; deltas have four */
    float ratio_h, ratio_w;
    uint32_t before_nms, after_nms; /* limits per image; UINT32_MAX: all */
    float iou_threshold, min_size;
    uint32_t most; /* largest number of boxes */
};
HY_MUST_CHECK enum hy_code hy_proposals_read(const struct hy_call *call,
                                             struct hy_proposals *proposals, struct hy_error *err);

/* DETECTION_POSTPROCESSING */
struct hy_postprocessing {
    uint32_t images, anchors;
    uint32_t classes;      /* including the background, class 0 */
    uint32_t delta_length; /* numbers per anchor, at least 4; only 4 are read */
    float scale_y, scale_x, scale_h, scale_w;
    bool regular; /* a suppression per class; else over the best class of each anchor */
    bool counts_background;
    uint32_t limit;           /* detections; each has several classes in the fast mode */
    uint32_t classes_each;    /* only fast: classes per detection */
    uint32_t limit_per_class; /* only regular */
    float score_threshold, iou_threshold;
    uint32_t rows; /* rows of the outputs per image */
};
HY_MUST_CHECK enum hy_code hy_postprocessing_read(const struct hy_call *call,
                                                  struct hy_postprocessing *post,
                                                  struct hy_error *err);

/* NON_MAX_SUPPRESSION and SOFT_NON_MAX_SUPPRESSION: input 0 has corners, input 1 has scores. */
struct hy_selection {
    uint32_t boxes, most; /* at least 1 */
    float iou_threshold, score_threshold;
    float sigma; /* 0 for NON_MAX_SUPPRESSION */
};
HY_MUST_CHECK enum hy_code hy_selection_read(const struct hy_call *call,
                                             struct hy_selection *selection, struct hy_error *err);

#endif
