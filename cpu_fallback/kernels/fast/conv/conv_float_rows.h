#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_ROWS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_ROWS_H

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"

/*
 * The addresses of the rows of a float tile. A patch inside the image is read in the input, one
 * filter line after the other. Other patches are gathered, with zeros for the padding.
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

#include "cpu_fallback/kernels/fast/conv/conv_gather.h"

/* One patch: runs of inputs, `step` elements apart. */
struct patch_row {
    const float *from;
    size_t step;
};

/* The patches of a tile. Each patch has `lines` runs of `run` inputs. */
struct patches {
    size_t lines, run;
    const struct patch_row *rows; /* NULL: patches are at constant distances, as follows */
    const float *from;            /* the first patch */
    size_t row_step, step;        /* distance of patches, distance of runs */
    bool contiguous;
};

/* Constants of all tiles of a convolution. */
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

/* Whether the patches of `pixels` neighbours from output pixel (y, x) on are inside the image, with
 * contiguous lines. */
static inline bool are_direct(const struct hy_conv_params *p, uint32_t y, uint32_t x, size_t pixels)
{
    const int64_t in_y = (int64_t)y * p->stride_h - p->pad_top;
    const int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    const int64_t height = (int64_t)(p->filter_h - 1) * p->dilation_h + 1;
    const int64_t width = (int64_t)(pixels - 1) * p->stride_w + p->filter_w;

    return (p->dilation_w == 1 || p->filter_w == 1) && x + pixels <= p->out_w && in_y >= 0 &&
           in_y + height <= p->in_h && in_x >= 0 && in_x + width <= p->in_w;
}

/* An output pixel, and the input of its image. Walking from tile to tile needs no division. */
struct pixel_position {
    const float *image;
    uint32_t y, x;
};

static inline struct pixel_position position_at(const struct hy_conv_params *p, const float *in,
                                                size_t pixel)
{
    const size_t line = pixel / p->out_w;

    return (struct pixel_position){.image = in + hy_conv_image(p, line) * p->in_c,
                                   .y = (uint32_t)(line % p->out_h),
                                   .x = (uint32_t)(pixel % p->out_w)};
}

/* Returns the place `pixels` pixels after `at`. */
static inline struct pixel_position position_after(const struct hy_conv_params *p,
                                                   struct pixel_position at, size_t pixels)
{
    at.x += (uint32_t)pixels;
    while (at.x >= p->out_w) {
        at.x -= p->out_w;
        if (++at.y < p->out_h)
            continue;
        at.y = 0;
        at.image += (size_t)p->in_h * p->in_w * p->in_c;
    }
    return at;
}

/* Places `count` rows one by one. */
static __attribute__((noinline)) void
gather_rows(const struct hy_conv_params *p, const struct patches *patches, struct pixel_position at,
            size_t count, float *scratch, struct patch_row rows[HY_TILE_ROWS])
{
    const struct patch_source source = {0};

    for (size_t r = 0; r < count; r++, at = position_after(p, at, 1)) {
        if (are_direct(p, at.y, at.x, 1)) {
            const size_t pixel = hy_conv_tap_pixel(p, at.y, at.x, 0, 0);
            rows[r] = (struct patch_row){at.image + pixel * p->in_c, patches->step};
        } else {
            gather_patch(p, &source, at.image, at.y, at.x, patches->run, scratch);
            rows[r] = (struct patch_row){scratch, patches->run};
            scratch += patches->lines * patches->run;
        }
    }
}

/* Places the patches of a tile of `count` rows. `scratch` has capacity for HY_TILE_ROWS patches. */
static inline void gather_patches(const struct hy_conv_params *p, struct pixel_position at,
                                  size_t count, float *scratch, struct patch_row rows[HY_TILE_ROWS],
                                  struct patches *patches)
{
    if (are_direct(p, at.y, at.x, count)) {
        patches->rows = NULL;
        patches->from = at.image + hy_conv_tap_pixel(p, at.y, at.x, 0, 0) * p->in_c;
    } else {
        gather_rows(p, patches, at, count, scratch, rows);
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
