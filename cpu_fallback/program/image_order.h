#ifndef HY_CPU_FALLBACK_PROGRAM_IMAGE_ORDER_H
#define HY_CPU_FALLBACK_PROGRAM_IMAGE_ORDER_H

#include <stdint.h>

#include "common/image/image.h"

/* Kernels support NHWC only. These functions permute [N, C, H, W] to [N, H, W, C] and back.
 * `element_size` is 1, 2 or 4 bytes. Both tensors are dense and do not overlap. */
void hy_cpu_nchw_to_nhwc(const struct hy_image_size *size, uint32_t element_size, const void *nchw,
                         void *nhwc);
void hy_cpu_nhwc_to_nchw(const struct hy_image_size *size, uint32_t element_size, const void *nhwc,
                         void *nchw);

#endif
