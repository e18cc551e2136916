#ifndef HY_CPU_FALLBACK_PROGRAM_IMAGE_TENSOR_H
#define HY_CPU_FALLBACK_PROGRAM_IMAGE_TENSOR_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "halyard/driver.h"

/*
 * An image as a tensor, where its bytes are one already, in place: nothing lies between its rows
 * (or there is but one), and
 *   R8, S8, R8G8B8, R8G8B8A8, R8G8B8X8   are TENSOR_QUANT8_ASYMM with 1, 1, 3, 4, 4 channels
 *   R16_UINT, R16G16_UINT                are TENSOR_QUANT16_ASYMM with 1, 2
 *   R16G16B16A16_FLOAT                   is TENSOR_FLOAT16 with 4
 *   D32_FLOAT                            is TENSOR_FLOAT32 with 1
 * of shape [layers, height, width, channels], where layers and channels may be left out if they are
 * 1. Anything else would need a copy that the app can make better: HY_UNMAPPABLE. A tensor with
 * more bytes than the pool has: HY_BAD_DATA, whoever has made the pool. `ret`: bytes of the tensor.
 */
HY_MUST_CHECK enum hy_code hy_cpu_image_tensor(const struct hy_pool *pool, int32_t type,
                                               const struct hy_shape *shape, uint64_t *ret,
                                               struct hy_error *err);

#endif
