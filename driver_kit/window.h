/* Sliding windows over images: reads the scalars of both argument forms, and computes pads and
 * output sizes. A function that returns false has refused the operation: the reader has the reason
 * (hy_refuse), and the window and `*position` are not valid. */
#ifndef HY_DRIVER_KIT_WINDOW_H
#define HY_DRIVER_KIT_WINDOW_H

#include "driver_kit/model_reader.h"

/* One direction of a window; sizes in pixels. */
struct hy_window_side {
    int64_t size; /* of the input */
    int64_t filter, stride, dilation;
    int64_t head, tail; /* pads */
    int64_t out;        /* of the output */
};

struct hy_window {
    struct hy_window_side height, width;
    int32_t scheme; /* ANEURALNETWORKS_PADDING_*; 0: the pads are given */
};

/*
 * Reads the padding scheme (implicit form) or the four pads (each at least 0), then the strides,
 * starting at input `*position`. Advances `*position` past the inputs. Dilations become 1: a caller
 * with dilations sets them afterwards. Sizes and filters are the caller's to set, too.
 */
bool hy_window_read(struct hy_model_reader *reader, const struct hy_operation *operation,
                    bool implicit, uint32_t *position, struct hy_window *window);

/* Reads two scalars, width and height, each at least 1. */
bool hy_window_read_pair(struct hy_model_reader *reader, const struct hy_operation *operation,
                         uint32_t position, int64_t *width, int64_t *height);

/* Computes pads and output sizes (above 0) from sizes, filters, strides, dilations and the scheme.
 * Refuses pads not smaller than the dilated filter, and dilated filters larger than the padded
 * image. */
bool hy_window_solve(struct hy_model_reader *reader, struct hy_window *window);

/*
 * Reads and solves the window of AVERAGE_POOL_2D, MAX_POOL_2D or L2_POOL_2D. `dims` are the extents
 * of the image in NHWC; an operation in NCHW is refused. The operation has 7 or 8 inputs (implicit
 * form), or 10 or 11. `*activation` receives the position of the fused activation.
 */
bool hy_window_read_pool(struct hy_model_reader *reader, const struct hy_operation *operation,
                         const uint32_t *dims, struct hy_window *window, uint32_t *activation);

#endif
