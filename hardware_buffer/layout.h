#ifndef HY_HARDWARE_BUFFER_LAYOUT_H
#define HY_HARDWARE_BUFFER_LAYOUT_H

#include "common/image/image_layout.h"

#include <android/hardware_buffer.h>
#include <stdbool.h>

/* Row alignment in bytes of layouts chosen by Halyard. */
#define HY_LAYOUT_ROW_ALIGNMENT 64u

/*
 * Checks a description: known format, extents above 0, height and layers 1 for a BLOB, a supported
 * usage, reserved members 0. Does not check for a needed dma-buf. Errors: -EINVAL.
 */
HY_MUST_CHECK int hy_description_check(const AHardwareBuffer_Desc *desc, struct hy_error *err);

/* True if the usage names devices other than the CPU. Such devices can only access dma-bufs. */
bool hy_description_needs_dma_buf(const AHardwareBuffer_Desc *desc);

/*
 * Computes the layout of a checked description. `stride` is the row distance in pixels. 0 selects
 * the smallest stride with rows at multiples of 64 bytes, or the width of a BLOB. Chroma rows have
 * half the distance of rows in the first plane, rounded up. Errors: -EINVAL for a stride below the
 * width, for a BLOB with a stride other than the width, and for too many bytes.
 */
HY_MUST_CHECK int hy_layout_of(const AHardwareBuffer_Desc *desc, uint32_t stride,
                               struct hy_image_layout *ret, struct hy_error *err);

#endif
