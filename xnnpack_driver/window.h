/* Windows that walk over images: the scalars of both argument forms, pads and output sizes. */
#ifndef XD_WINDOW_H
#define XD_WINDOW_H

#include "operands.h"

/* One of the two directions. */
struct xd_extent {
    int64_t size; /* of the input */
    int64_t filter, stride, dilation;
    int64_t head, tail; /* pads */
    int64_t out;
};

struct xd_window {
    struct xd_extent height, width;
    int32_t scheme; /* ANEURALNETWORKS_PADDING_*, or 0: the pads are given */
};

/*
 * Reads the padding scheme (implicit form) or the four pads, then the strides, from operand
 * `*position` on, and moves it behind them. Dilations become 1.
 */
bool xd_window_read(struct xd_build *build, const struct hy_operation *operation, bool implicit,
                    uint32_t *position, struct xd_window *window);

/* Two scalars, of the width and of the height, each at least 1. */
bool xd_window_read_pair(struct xd_build *build, const struct hy_operation *operation,
                         uint32_t position, int64_t *width, int64_t *height);

/* From sizes, filters, strides and dilations to pads and output sizes. */
bool xd_window_solve(struct xd_build *build, struct xd_window *window);

/* Whether the window's filter over its output is of a size that XNNPACK's tables can have. */
bool xd_window_fits(struct xd_build *build, const struct xd_window *window);

/* As a node has it. */
struct xd_plane xd_window_plane(const struct xd_window *window);

#endif
