/*
 * Gathering inputs: a template, included once by each matrix-product convolution, after the
 * definition of
 *   struct patch_source                 constants for the conversion of inputs to patches
 *   source_type, patch_type             elements of the input and of a patch
 *   copy_run(s, count, from, to)        inputs to patch
 *   fill_run(s, count, to)              padding to patch: real zero
 */

/* The input line under line i of the filter, for output line y of an image; NULL: padding. */
static inline const source_type *line_under(const struct hy_conv_params *p,
                                            const source_type *image, uint32_t y, uint32_t i)
{
    const int64_t in_y = (int64_t)y * p->stride_h - p->pad_top + (int64_t)i * p->dilation_h;

    return in_y < 0 || in_y >= p->in_h ? NULL : image + (size_t)in_y * p->in_w * p->in_c;
}

/* Neighbouring pixels of a line, in elements: `size` from `first` on; `image` of the elements
 * exist. */
struct run {
    int64_t first;
    size_t size;
    struct hy_window image;
};

/* `width` pixels from column x on. */
static inline struct run run_at(const struct hy_conv_params *p, int64_t x, size_t width)
{
    const int64_t end = x + (int64_t)width;
    const int64_t from = x < 0 ? 0 : x, to = end < p->in_w ? end : p->in_w;
    struct run run = {.first = x * (int64_t)p->in_c, .size = width * p->in_c};

    if (from < to)
        run.image = (struct hy_window){(size_t)(from - x) * p->in_c, (size_t)(to - x) * p->in_c};
    return run;
}

/* Gathers a run: padding, inputs, padding. */
static inline void gather_run(const struct patch_source *source, const source_type *line,
                              const struct run *run, patch_type *to)
{
    const size_t begin = line ? run->image.begin : 0, end = line ? run->image.end : 0;

    if (begin > 0)
        fill_run(source, begin, to);
    if (begin < end)
        copy_run(source, end - begin, line + (run->first + (int64_t)begin), to + begin);
    if (end < run->size)
        fill_run(source, run->size - end, to + end);
}

/* Gathers the patch under output pixel (y, x) of an image; lines of the patch are `step` elements
 * apart. */
static inline void gather_patch(const struct hy_conv_params *p, const struct patch_source *source,
                                const source_type *image, uint32_t y, uint32_t x, size_t step,
                                patch_type *to)
{
    const bool is_dilated = p->dilation_w > 1;
    const uint32_t runs = is_dilated ? p->filter_w : 1;
    const int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    const struct run run = run_at(p, in_x, is_dilated ? 1 : p->filter_w);

    for (uint32_t i = 0; i < p->filter_h; i++, to += step) {
        const source_type *line = line_under(p, image, y, i);
        gather_run(source, line, &run, to);
        for (uint32_t j = 1; j < runs; j++) {
            const struct run tap = run_at(p, in_x + (int64_t)j * p->dilation_w, 1);
            gather_run(source, line, &tap, to + j * tap.size);
        }
    }
}
