#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_FLOAT_ROWS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_FLOAT_ROWS_H

#include "cpu_fallback/kernels/fast/conv_tiles.h"

/*
 * Where the rows of a float tile lie: a patch that is inside the image is read where it is, one
 * filter line after the other; others are gathered, with zeros for the padding.
 */
struct patch_source {
    char unused;
};
typedef float source_type, patch_type;

static inline void copy_run(const struct patch_source *source, size_t count, const float *from,
                            float *to)
{
    (void)source;
    for (; count >= HY_LANES; count -= HY_LANES, from += HY_LANES, to += HY_LANES)
        vf_store_part(to, vf_load(from), HY_LANES);
    vf_store_part(to, vf_load_part(from, count), count);
}

static inline void fill_run(const struct patch_source *source, size_t count, float *to)
{
    (void)source;
    for (; count >= HY_LANES; count -= HY_LANES, to += HY_LANES)
        vf_store_part(to, vf_set1(0), HY_LANES);
    vf_store_part(to, vf_set1(0), count);
}

#include "cpu_fallback/kernels/fast/conv_gather.h"

/* One patch: runs of inputs, each `step` elements after the last. */
struct patch_row {
    const float *from;
    size_t step;
};

/* The patches of a tile: each has `lines` runs of `run` inputs. */
struct patches {
    size_t lines, run;
    const struct patch_row *rows; /* NULL: they are alike, as follows */
    const float *from;            /* the first */
    size_t row_step, step;        /* from patch to patch, from run to run */
    bool contiguous;
};

/* What all tiles of a convolution have in common. */
static inline struct patches patches_of(const struct hy_conv_params *p)
{
    if (patches_are_contiguous(p) || conv_depth(p) == 0)
        return (struct patches){
            .lines = 1, .run = conv_depth(p), .row_step = conv_depth(p), .contiguous = true};
    return (struct patches){.lines = p->filter_h,
                            .run = (size_t)p->filter_w * p->in_c,
                            .row_step = (size_t)p->stride_w * p->in_c,
                            .step = (size_t)p->dilation_h * p->in_w * p->in_c};
}

/* Whether the patches of `pixels` neighbours from output pixel (y, x) on are all image, and their
 * lines are runs. */
static inline bool are_direct(const struct hy_conv_params *p, uint32_t y, uint32_t x, size_t pixels)
{
    const int64_t in_y = (int64_t)y * p->stride_h - p->pad_top;
    const int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    const int64_t height = (int64_t)(p->filter_h - 1) * p->dilation_h + 1;
    const int64_t width = (int64_t)(pixels - 1) * p->stride_w + p->filter_w;

    return (p->dilation_w == 1 || p->filter_w == 1) && x + pixels <= p->out_w && in_y >= 0 &&
           in_y + height <= p->in_h && in_x >= 0 && in_x + width <= p->in_w;
}

/* Places the rows of a unit one by one. */
static __attribute__((noinline)) void place_rows(const struct hy_conv_params *p,
                                                 const struct patches *patches, const float *in,
                                                 const struct conv_unit *u, float *scratch,
                                                 struct patch_row rows[HY_TILE_ROWS])
{
    const struct patch_source source = {0};
    size_t line = u->pixel / p->out_w;
    uint32_t x = (uint32_t)(u->pixel % p->out_w), y = (uint32_t)(line % p->out_h);

    for (size_t r = 0; r < u->rows; r++) {
        const float *image = in + hy_conv_image(p, line) * p->in_c;
        if (are_direct(p, y, x, 1)) {
            const size_t pixel = hy_conv_tap_pixel(p, y, x, 0, 0);
            rows[r] = (struct patch_row){image + pixel * p->in_c, patches->step};
        } else {
            gather_patch(p, &source, image, y, x, patches->run, scratch);
            rows[r] = (struct patch_row){scratch, patches->run};
            scratch += patches->lines * patches->run;
        }
        if (++x < p->out_w)
            continue;
        x = 0;
        y = (uint32_t)(++line % p->out_h);
    }
}

/* Places the patches of a unit; `scratch` has room for HY_TILE_ROWS of them. */
static inline void place_patches(const struct hy_conv_params *p, const float *in,
                                 const struct conv_unit *u, float *scratch,
                                 struct patch_row rows[HY_TILE_ROWS], struct patches *patches)
{
    if (patches->contiguous) {
        patches->from = in + u->pixel * patches->row_step;
        return;
    }
    const size_t line = u->pixel / p->out_w;
    const uint32_t x = (uint32_t)(u->pixel % p->out_w), y = (uint32_t)(line % p->out_h);
    if (are_direct(p, y, x, u->rows)) {
        patches->rows = NULL;
        patches->from = in + (hy_conv_image(p, line) + hy_conv_tap_pixel(p, y, x, 0, 0)) * p->in_c;
    } else {
        place_rows(p, patches, in, u, scratch, rows);
        patches->rows = rows;
    }
}

static inline void skip_rows(struct patches *patches, size_t count)
{
    if (patches->rows)
        patches->rows += count;
    else
        patches->from += count * patches->row_step;
}

#endif
