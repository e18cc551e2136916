#ifndef HY_HARDWARE_BUFFER_LAYOUT_H
#define HY_HARDWARE_BUFFER_LAYOUT_H

#include "common/image/image_layout.h"

#include <android/hardware_buffer.h>
#include <stdbool.h>

/* Rows that we lay out begin at multiples of this many bytes. */
#define HY_LAYOUT_ROW_ALIGNMENT 64u

/*
 * Whether there can be such a buffer: known format, extents above 0, a BLOB of height and layers 1,
 * a usage we can serve, reserved members 0. Whether the usage needs a dma-buf is not looked at.
 * -EINVAL.
 */
HY_MUST_CHECK int hy_description_check(const AHardwareBuffer_Desc *desc, struct hy_error *err);

/* The usage names other devices, which can reach nothing but a dma-buf. */
bool hy_description_needs_dma_buf(const AHardwareBuffer_Desc *desc);

/*
 * The layout of a description that has been checked. `stride` is the distance of rows in pixels, or
 * 0: the smallest that begins each row at a multiple of 64 bytes, and none between the bytes of a
 * BLOB. Chroma rows are half as far apart as those of the first plane, rounded up.
 * -EINVAL: the stride is below the width or, of a BLOB, not the width; too many bytes.
 */
HY_MUST_CHECK int hy_layout_of(const AHardwareBuffer_Desc *desc, uint32_t stride,
                               struct hy_image_layout *ret, struct hy_error *err);

#endif
