/*
 * Gathering patches: a template, included once by each matrix-product convolution after it defined
 *   struct patch_source                 what a run of inputs needs to become a run of a patch
 *   source_type, patch_type             elements of the input and of a patch
 *   copy_run(s, count, from, to)        inputs to patch
 *   fill_run(s, count, to)              padding to patch: real zero
 */

/* `taps` filter columns of one filter row, on input row `line`, the first at column `x`. */
static inline void gather_line(const struct hy_conv_params *p, const struct patch_source *source,
                               const source_type *line, int64_t x, patch_type *to)
{
    for (uint32_t j = 0; j < p->filter_w; j++, x += p->dilation_w, to += p->in_c) {
        if (x >= 0 && x < p->in_w)
            copy_run(source, p->in_c, line + (size_t)x * p->in_c, to);
        else
            fill_run(source, p->in_c, to);
    }
}

/* The patch under output pixel (y, x) of image `in`. */
static inline void gather_patch(const struct hy_conv_params *p, const struct patch_source *source,
                                const source_type *in, uint32_t y, uint32_t x, patch_type *to)
{
    size_t line_size = (size_t)p->filter_w * p->in_c;
    int64_t in_y = (int64_t)y * p->stride_h - p->pad_top;
    int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    bool whole = p->dilation_w == 1 && in_x >= 0 && in_x + p->filter_w <= p->in_w;

    for (uint32_t i = 0; i < p->filter_h; i++, in_y += p->dilation_h, to += line_size) {
        if (in_y < 0 || in_y >= p->in_h) {
            fill_run(source, line_size, to);
            continue;
        }
        const source_type *line = in + (size_t)in_y * p->in_w * p->in_c;
        if (whole)
            copy_run(source, line_size, line + (size_t)in_x * p->in_c, to);
        else
            gather_line(p, source, line, in_x, to);
    }
}

/* The patches of `rows` pixels from `pixel` on, `step` elements apart. */
static void gather_tile(const struct hy_conv_params *p, const struct patch_source *source,
                        const source_type *in, size_t pixel, size_t rows, size_t step,
                        patch_type *to)
{
    size_t row = pixel / p->out_w;
    uint32_t x = (uint32_t)(pixel % p->out_w), y = (uint32_t)(row % p->out_h);

    for (const source_type *image = in + hy_conv_image(p, row) * p->in_c; rows > 0; rows--) {
        gather_patch(p, source, image, y, x, to);
        to += step;
        if (++x < p->out_w)
            continue;
        x = 0;
        if (++y < p->out_h)
            continue;
        y = 0;
        image += (size_t)p->in_h * p->in_w * p->in_c;
    }
}
