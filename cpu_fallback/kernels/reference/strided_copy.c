#include "cpu_fallback/kernels/reference/strided_copy.h"

#include <stdbool.h>
#include <string.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/* The number of rows of 4-byte elements that stay in the first-level cache. */
#define TILE ((size_t)16)

static void move_row(size_t count, ptrdiff_t in_stride, ptrdiff_t out_stride, const HY_T *in,
                     HY_T *out)
{
    if (in_stride == 1 && out_stride == 1) {
        memcpy(out, in, count * sizeof *out);
    } else if (in_stride == 0 && out_stride == 1) {
        HY_T value = *in;
        for (size_t i = 0; i < count; i++)
            out[i] = value;
    } else {
        for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++)
            out[i * out_stride] = in[i * in_stride];
    }
}

/* Copies the two innermost dimensions, by tiles if the input runs across the output. */
static void move_plane(const struct hy_strided_copy_params *params, const HY_T *in, HY_T *out)
{
    uint32_t row = params->rank - 2, column = params->rank - 1;
    size_t rows = params->dims[row], columns = params->dims[column];
    ptrdiff_t in_stride = params->in_strides[column], out_stride = params->out_strides[column];
    bool is_across = params->in_strides[row] == 1 && in_stride != 1;
    size_t tile = is_across ? TILE : columns;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t first = 0; first < columns; first += tile) {
        size_t end = columns - first < tile ? columns : first + tile;
        for (size_t r = 0; r < rows; r++) {
            for (size_t at = first, count; at < end; at += count) {
                count = end - at < (size_t)HY_STOP_UNITS ? end - at : (size_t)HY_STOP_UNITS;
                if (hy_stop_after(watch, count))
                    return;
                move_row(count, in_stride, out_stride,
                         in + (ptrdiff_t)r * params->in_strides[row] + (ptrdiff_t)at * in_stride,
                         out + (ptrdiff_t)r * params->out_strides[row] +
                             (ptrdiff_t)at * out_stride);
            }
        }
    }
}

/* Steps through the outer dimensions like an odometer; false after the last plane. */
static bool next_plane(const struct hy_strided_copy_params *params, size_t *index, ptrdiff_t *in_at,
                       ptrdiff_t *out_at)
{
    for (uint32_t d = params->rank - 2; d-- > 0;) {
        *in_at += params->in_strides[d];
        *out_at += params->out_strides[d];
        if (++index[d] < params->dims[d])
            return true;
        index[d] = 0;
        *in_at -= (ptrdiff_t)params->dims[d] * params->in_strides[d];
        *out_at -= (ptrdiff_t)params->dims[d] * params->out_strides[d];
    }
    return false;
}

void HY_FN(strided_copy)(const struct hy_strided_copy_params *params, const void *in, void *out)
{
    size_t index[HY_STRIDED_COPY_RANK] = {0};
    ptrdiff_t in_at = 0, out_at = 0;

    do {
        if (hy_stop_after(hy_stop_here(), 1))
            return;
        move_plane(params, (const HY_T *)in + in_at, (HY_T *)out + out_at);
    } while (next_plane(params, index, &in_at, &out_at));
}
