/* Windows that walk over images, as XNNPACK takes them. */
#ifndef XD_WINDOW_H
#define XD_WINDOW_H

#include "driver_kit/window.h"
#include "xnnpack_driver/xd_operands.h"

/* Whether the window's filter over its output is of a size that XNNPACK's tables can have. */
bool xd_window_fits(struct xd_build *build, const struct hy_window *window);

/* As a node has it. */
struct xd_plane xd_window_plane(const struct hy_window *window);

#endif
