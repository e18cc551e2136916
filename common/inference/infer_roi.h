#ifndef HY_COMMON_INFERENCE_INFER_ROI_H
#define HY_COMMON_INFERENCE_INFER_ROI_H

#include "common/call.h"
#include "common/image/image.h"

/*
 * Operations on regions of interest: boxes (x1, y1, x2, y2) of shape [regions, 4]. ROI_ALIGN and
 * ROI_POOLING extract the boxes from a feature map; HEATMAP_MAX_KEYPOINT finds points in the boxes.
 * The values of the boxes are checked at run time.
 */
struct hy_roi {
    bool nchw; /* layout of feature map and output */
    struct hy_image_size in;
    struct hy_image_size out;      /* an image per region */
    float ratio_h, ratio_w;        /* pixels of the image per pixel of the feature map */
    uint32_t samples_h, samples_w; /* per pixel of the output; ROI_ALIGN only, 0: adaptive */
};
HY_MUST_CHECK enum hy_code hy_roi_read(const struct hy_call *call, struct hy_roi *roi,
                                       struct hy_error *err);

struct hy_keypoints {
    bool nchw;
    struct hy_image_size heatmaps; /* an image per region, a channel per keypoint; square */
};
HY_MUST_CHECK enum hy_code hy_keypoints_read(const struct hy_call *call,
                                             struct hy_keypoints *keypoints, struct hy_error *err);

#endif
