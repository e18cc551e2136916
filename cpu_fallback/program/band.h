#ifndef HY_CPU_FALLBACK_PROGRAM_BAND_H
#define HY_CPU_FALLBACK_PROGRAM_BAND_H

#include <stdbool.h>

#include "common/call.h"

/*
 * An output computed in bands of a few lines, so that the next operation of a chain (chain.h) finds
 * each band in the cache. A pixel is the elements at one position of an image, or at one index in
 * all dimensions but the last. Pixels and lines are numbered through the whole batch.
 */
struct hy_cpu_lines {
    size_t count;    /* in the whole output */
    size_t of_image; /* lines per image; a band never spans two images */
    size_t pixels;   /* pixels per line */
    size_t multiple; /* bands begin at a multiple of this number of lines */
};

static inline size_t hy_cpu_lines_pixels(const struct hy_cpu_lines *lines)
{
    return lines->count * lines->pixels;
}

/* Elements per pixel of `value`. */
static inline size_t hy_cpu_pixel_elements(const struct hy_value *value,
                                           const struct hy_cpu_lines *lines)
{
    return hy_shape_span(&value->shape, 0, value->shape.rank) / hy_cpu_lines_pixels(lines);
}

static inline bool hy_cpu_has_elements_of(const struct hy_value *a, const struct hy_value *b)
{
    return hy_shape_span(&a->shape, 0, a->shape.rank) == hy_shape_span(&b->shape, 0, b->shape.rank);
}

/* Describes the pixels of an elementwise operation; each pixel is a line. False: the output has
 * rank 0 or 1. */
static inline bool hy_cpu_lines_of_elements(const struct hy_call *call, struct hy_cpu_lines *lines)
{
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;

    if (out->rank < 2)
        return false;
    const size_t pixels = hy_shape_span(out, 0, out->rank - 1);
    *lines = (struct hy_cpu_lines){pixels, pixels, 1, 1};
    return true;
}

/* No input arrives in bands. */
#define HY_CPU_NO_INPUT UINT32_MAX

/* One band of one operation. */
struct hy_cpu_band {
    const struct hy_call *call;
    const void *params; /* hy_cpu_step.params */
    uint32_t input;     /* the input that arrives in bands, or HY_CPU_NO_INPUT */
    /* Pixels of `input` from pixel `in_first` on. Other inputs have their data in the call. */
    const void *in;
    size_t in_first;
    void *out;             /* pixels of this band only */
    size_t first, count;   /* the band: pixels [first, first + count) */
    size_t pixel_elements; /* per output pixel */
    uint8_t *scratch;
};

/*
 * The functions of an operation that can be computed in bands. Each band gives the same bytes as
 * hy_cpu_op.run. `band.in` and `band.out` do not overlap.
 */
struct hy_cpu_banded {
    /* True if the operation can be the first of a chain, with all inputs complete. Sets `lines`. */
    bool (*begin)(const void *params, const struct hy_call *call, struct hy_cpu_lines *lines);
    /* True if the operation can follow another operation pixel by pixel: each output pixel depends
     * only on the same pixel of input `input`. May increase lines->multiple. */
    bool (*follow)(const void *params, const struct hy_call *call, uint32_t input,
                   struct hy_cpu_lines *lines);
    /* True if the operation can follow another operation with a window: each output line depends on
     * several lines of input `input`. Sets the lines of the output, and regroups the lines of the
     * input by its images. NULL: windows are not supported. */
    bool (*follow_window)(const void *params, const struct hy_call *call, uint32_t input,
                          struct hy_cpu_lines *in, struct hy_cpu_lines *out);
    /* Gives the input lines [*begin, *end) that output lines [first, first + count) depend on; both
     * are numbered within one image. */
    void (*window)(const void *params, size_t first, size_t count, size_t *begin, size_t *end);
    /* Bytes of weights that every band reads; NULL: no weights. */
    size_t (*weight_bytes)(const void *params);
    /* Bytes of scratch for a band; NULL: none. Reads only `params`, `input`, `first` and
     * `count`. */
    size_t (*scratch_bytes)(const struct hy_cpu_band *band);
    void (*run)(const struct hy_cpu_band *band);
};

/* conv.c, binary.c, unary.c */
extern const struct hy_cpu_banded hy_cpu_conv_banded, hy_cpu_binary_banded, hy_cpu_unary_banded;

#endif
