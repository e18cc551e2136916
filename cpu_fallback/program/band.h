#ifndef HY_CPU_FALLBACK_PROGRAM_BAND_H
#define HY_CPU_FALLBACK_PROGRAM_BAND_H

#include <stdbool.h>

#include "common/call.h"

/*
 * An output computed in bands: a few lines of pixels at a time, so that the operation that reads
 * them (chain.h) finds them in the cache. A pixel is the elements of one place of an image, or of
 * one index in all dimensions but the last; pixels and lines are numbered through the whole batch.
 */
struct hy_cpu_lines {
    size_t count;    /* of the whole output */
    size_t of_image; /* no band has lines of two images */
    size_t pixels;   /* of a line */
    size_t multiple; /* bands begin at a multiple of as many lines of their image */
};

static inline size_t hy_cpu_lines_pixels(const struct hy_cpu_lines *lines)
{
    return lines->count * lines->pixels;
}

/* Elements of each pixel of `value`. */
static inline size_t hy_cpu_pixel_elements(const struct hy_value *value,
                                           const struct hy_cpu_lines *lines)
{
    return hy_shape_span(&value->shape, 0, value->shape.rank) / hy_cpu_lines_pixels(lines);
}

static inline bool hy_cpu_has_elements_of(const struct hy_value *a, const struct hy_value *b)
{
    return hy_shape_span(&a->shape, 0, a->shape.rank) == hy_shape_span(&b->shape, 0, b->shape.rank);
}

/* The pixels of an operation on single elements, each a line. False: the output is a vector. */
static inline bool hy_cpu_lines_of_elements(const struct hy_call *call, struct hy_cpu_lines *lines)
{
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;

    if (out->rank < 2)
        return false;
    const size_t pixels = hy_shape_span(out, 0, out->rank - 1);
    *lines = (struct hy_cpu_lines){pixels, pixels, 1, 1};
    return true;
}

/* No input comes in bands. */
#define HY_CPU_NO_INPUT UINT32_MAX

/* One band of one operation. */
struct hy_cpu_band {
    const struct hy_call *call;
    const void *params; /* of the resolved step */
    uint32_t input;     /* the input that comes in bands, or HY_CPU_NO_INPUT */
    const void *in; /* its pixels from `in_first` on; other inputs have their data in the call */
    size_t in_first;
    void *out;             /* pixels of this band */
    size_t first, count;   /* these pixels */
    size_t pixel_elements; /* of the output */
    uint8_t *scratch;
};

/*
 * What an operation that can be computed in bands adds to its row. Every band gives the bytes that
 * `run` gives. `band.in` and `band.out` do not overlap.
 */
struct hy_cpu_banded {
    /* Whether the operation can be the first of a chain, with all inputs whole; sets the lines. */
    bool (*begin)(const void *params, const struct hy_call *call, struct hy_cpu_lines *lines);
    /* Whether it can come behind another one: each pixel of the output depends on one pixel of
     * input `input`, the one in the same place. May ask for a larger multiple. */
    bool (*follow)(const void *params, const struct hy_call *call, uint32_t input,
                   struct hy_cpu_lines *lines);
    /* Whether it can come behind another one with windows: each line of the output depends on lines
     * of input `input` around it. Sets the lines of the output, and gives the input such that are
     * lines of its images. NULL: it cannot. */
    bool (*follow_window)(const void *params, const struct hy_call *call, uint32_t input,
                          struct hy_cpu_lines *in, struct hy_cpu_lines *out);
    /* The lines [*begin, *end) of an image of that input that lines [first, first + count) of an
     * image of the output depend on. */
    void (*window)(const void *params, size_t first, size_t count, size_t *begin, size_t *end);
    /* Bytes of weights, which each band reads; NULL: it has none. */
    size_t (*weight_bytes)(const void *params);
    /* Bytes of scratch; NULL: it needs none. Looks at `params`, `input`, `first` and `count`. */
    size_t (*scratch_bytes)(const struct hy_cpu_band *band);
    void (*run)(const struct hy_cpu_band *band);
};

/* conv.c, binary.c, unary.c */
extern const struct hy_cpu_banded hy_cpu_conv_banded, hy_cpu_binary_banded, hy_cpu_unary_banded;

#endif
