/* Sliding windows over images, with XNNPACK's limits. */
#ifndef XD_WINDOW_H
#define XD_WINDOW_H

#include "driver_kit/window.h"
#include "xnnpack_driver/xd_operands.h"

/* True if XNNPACK's tables can hold the window's filter over its output. False: build->reader has
 * the reason. */
bool xd_window_fits(struct xd_build *build, const struct hy_window *window);

/* The window in the form of a node. */
struct xd_plane xd_window_plane(const struct hy_window *window);

#endif
