#ifndef HY_CPU_FALLBACK_PROGRAM_IMAGE_TENSOR_H
#define HY_CPU_FALLBACK_PROGRAM_IMAGE_TENSOR_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "halyard/driver.h"

/*
 * Uses an image in place as a tensor, if its bytes have the layout of a tensor: no gap between rows
 * (or only one row), and one of the formats
 *   R8, S8, R8G8B8, R8G8B8A8, R8G8B8X8   TENSOR_QUANT8_ASYMM with 1, 1, 3, 4, 4 channels
 *   R16_UINT, R16G16_UINT                TENSOR_QUANT16_ASYMM with 1, 2 channels
 *   R16G16B16A16_FLOAT                   TENSOR_FLOAT16 with 4 channels
 *   D32_FLOAT                            TENSOR_FLOAT32 with 1 channel
 * The shape is [layers, height, width, channels]; layers and channels may be omitted if they are 1.
 * `ret`: bytes of the tensor. Errors: HY_UNMAPPABLE (any other image needs a copy, which the app
 * makes better), HY_BAD_DATA (the tensor is larger than the pool).
 */
HY_MUST_CHECK enum hy_code hy_cpu_image_tensor(const struct hy_pool *pool, int32_t type,
                                               const struct hy_shape *shape, uint64_t *ret,
                                               struct hy_error *err);

#endif
