#ifndef HY_COMMON_INFERENCE_INFER_SLICE_H
#define HY_COMMON_INFERENCE_INFER_SLICE_H

#include "common/call.h"

/* A part of a tensor: `size` elements of every dimension of `in`, starting at `begin`, with
 * distance `stride`. */
struct hy_slice {
    struct hy_shape in;
    uint32_t begin[HY_MAX_RANK], size[HY_MAX_RANK];
    int32_t stride[HY_MAX_RANK]; /* negative: backwards; used for sizes above 1 */
    struct hy_shape out;         /* the sizes, without removed dimensions */
};

/* SLICE, STRIDED_SLICE, and REVERSE (the whole tensor, with some dimensions backwards), decoded and
 * checked. */
HY_MUST_CHECK enum hy_code hy_slice_read(const struct hy_call *call, struct hy_slice *slice,
                                         struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_strided_slice_read(const struct hy_call *call, struct hy_slice *slice,
                                                 struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_reverse_read(const struct hy_call *call, struct hy_slice *slice,
                                           struct hy_error *err);

/* DYNAMIC_UPDATE_SLICE: HY_FAILED unless input 1 fits into input 0 at the start given by input 2.
 * The values of input 2 are used only at run time. */
HY_MUST_CHECK enum hy_code hy_update_slice_check(const struct hy_call *call, struct hy_error *err);

#endif
