#ifndef HY_COMMON_INFERENCE_INFER_PAD_H
#define HY_COMMON_INFERENCE_INFER_PAD_H

#include "common/call.h"

/* A tensor padded at its edges: `before` and `after` elements along each dimension. */
struct hy_pad {
    struct hy_shape in, out;
    uint32_t before[HY_MAX_RANK], after[HY_MAX_RANK];
    bool is_mirror;
    uint32_t skip; /* mirrored: 1 excludes the edge (REFLECT), 0 repeats the edge (SYMMETRIC) */
};

/* Computes the extents from `in`, `before` and `after`; HY_FAILED for an extent that is too
 * large. */
HY_MUST_CHECK enum hy_code hy_pad_grow(struct hy_pad *pad, struct hy_error *err);

/* PAD, PAD_V2 and MIRROR_PAD, decoded and checked. */
HY_MUST_CHECK enum hy_code hy_pad_read(const struct hy_call *call, struct hy_pad *pad,
                                       struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_mirror_pad_read(const struct hy_call *call, struct hy_pad *pad,
                                              struct hy_error *err);

/* DILATE: the shape of the output. Adjacent elements of the input have a distance of `steps` in the
 * output. */
HY_MUST_CHECK enum hy_code hy_dilate_read(const struct hy_call *call, struct hy_shape *out,
                                          uint32_t steps[HY_MAX_RANK], struct hy_error *err);

#endif
