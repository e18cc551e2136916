/*
 * Gathering patches: a template, included once by each matrix-product convolution after it defined
 *   struct patch_source                 what a run of inputs needs to become a run of a patch
 *   source_type, patch_type             elements of the input and of a patch
 *   copy_run(s, count, from, to)        inputs to patch
 *   fill_run(s, count, to)              padding to patch: real zero
 */

/* The filter columns of one filter row, on input row `line`, the first at column `x`. */
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

/* The same without dilation: what is image is one run, between two of padding. */
static inline void gather_run(const struct hy_conv_params *p, const struct patch_source *source,
                              const source_type *line, int64_t x, struct hy_window columns,
                              patch_type *to)
{
    size_t before = columns.begin * p->in_c, end = columns.end * p->in_c;

    if (columns.begin < columns.end)
        copy_run(source, end - before, line + (size_t)(x + (int64_t)columns.begin) * p->in_c,
                 to + before);
    else
        before = end = 0;
    fill_run(source, before, to);
    fill_run(source, (size_t)p->filter_w * p->in_c - end, to + end);
}

/* The patch under output pixel (y, x) of image `in`. */
static inline void gather_patch(const struct hy_conv_params *p, const struct patch_source *source,
                                const source_type *in, uint32_t y, uint32_t x, patch_type *to)
{
    size_t line_size = (size_t)p->filter_w * p->in_c;
    int64_t in_y = (int64_t)y * p->stride_h - p->pad_top;
    int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    struct hy_window columns =
        hy_taps_at(x, p->stride_w, p->pad_left, p->filter_w, p->dilation_w, p->in_w);

    for (uint32_t i = 0; i < p->filter_h; i++, in_y += p->dilation_h, to += line_size) {
        if (in_y < 0 || in_y >= p->in_h) {
            fill_run(source, line_size, to);
            continue;
        }
        const source_type *line = in + (size_t)in_y * p->in_w * p->in_c;
        if (p->dilation_w == 1)
            gather_run(p, source, line, in_x, columns, to);
        else
            gather_line(p, source, line, in_x, to);
    }
}
