/*
 * Depthwise convolution in float32 with filters of three columns and up to three rows, not dilated
 * along the line: nearly all there are. All weights of a vector of channels stay in registers while
 * it goes along one line after the other. Included by depthwise_conv_float.c.
 */

/* Output lines that use the same tap rows, and one vector of channels. */
struct lines {
    const struct hy_conv_params *p;
    size_t count, rows;       /* of lines, of tap rows */
    const float *in;          /* pixel 0 of the first line's first tap row, at the channel */
    const float *bias, *taps; /* of those rows */
    float *out;               /* pixel 0 of the first line, at the channel */
    size_t row_step;          /* from tap row to tap row of the input */
    struct hy_window inner;
};

/* What is the same for all pixels of a vector of channels. */
struct three {
    vf weights[3][3], bias, min, max;
    size_t row_step, tap_step;
};

HY_ALWAYS_INLINE struct three three_of(const struct lines *l, int rows)
{
    struct three t = {.bias = vf_load(l->bias),
                      .min = vf_set1(l->p->activation.min),
                      .max = vf_set1(l->p->activation.max),
                      .row_step = l->row_step,
                      .tap_step = l->p->in_c};

    HY_UNROLL(4)
    for (int i = 0; i < rows; i++) {
        HY_UNROLL(4)
        for (int j = 0; j < 3; j++)
            t.weights[i][j] = vf_load(l->taps + (i * 3 + j) * HY_LANES);
    }
    return t;
}

/*
 * `pixels` neighbours, `stride` pixels of the input apart, by their taps [begin, end); `from` is
 * under tap `begin` of the first.
 */
HY_ALWAYS_INLINE void convolve_pixels(const struct three *t, int rows, int begin, int end,
                                      int pixels, int stride, size_t lanes, const float *from,
                                      float *out, size_t out_step)
{
    vf sums[HY_GROUP_PIXELS], values[2 * HY_GROUP_PIXELS + 1];
    const int columns = (pixels - 1) * stride + end - begin;

    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        sums[q] = t->bias;
    HY_UNROLL(4)
    for (int i = 0; i < rows; i++) {
        HY_UNROLL(16)
        for (int k = 0; k < columns; k++)
            values[k] =
                vf_load_part(from + (size_t)i * t->row_step + (size_t)k * t->tap_step, lanes);
        HY_UNROLL(4)
        for (int j = begin; j < end; j++) {
            HY_UNROLL(4)
            for (int q = 0; q < pixels; q++)
                sums[q] =
                    vf_multiply_add(values[q * stride + j - begin], t->weights[i][j], sums[q]);
        }
    }
    HY_UNROLL(4)
    for (int q = 0; q < pixels; q++)
        vf_store_part(out + (size_t)q * out_step, vf_clamp(sums[q], t->min, t->max), lanes);
}

/* A pixel whose taps left or right of the image are not the usual one. */
static __attribute__((noinline)) void convolve_odd(const struct lines *l, const float *line,
                                                   int64_t x, size_t lanes, float *out)
{
    const struct hy_conv_params *p = l->p;
    vf sum = vf_load(l->bias);

    for (size_t i = 0; i < l->rows; i++)
        for (size_t j = 0; j < 3; j++) {
            const int64_t at = x + (int64_t)j;
            if (at < 0 || at >= p->in_w)
                continue;
            const float *from = line + i * l->row_step + (size_t)at * p->in_c;
            sum = vf_multiply_add(vf_load_part(from, lanes),
                                  vf_load(l->taps + (i * 3 + j) * HY_LANES), sum);
        }
    vf_store_part(out, vf_clamp(sum, vf_set1(p->activation.min), vf_set1(p->activation.max)),
                  lanes);
}

/* A pixel with taps left or right of the image: its first lies at input column x. */
HY_ALWAYS_INLINE void convolve_border(const struct lines *l, const struct three *t, int rows,
                                      size_t lanes, const float *line, int64_t x, float *out)
{
    const int64_t left = (int64_t)l->p->in_w - x; /* columns from there on */

    if (x == -1 && left >= 3)
        convolve_pixels(t, rows, 1, 3, 1, 1, lanes, line, out, 0);
    else if (x >= 0 && left == 2)
        convolve_pixels(t, rows, 0, 2, 1, 1, lanes, line + (size_t)x * t->tap_step, out, 0);
    else
        convolve_odd(l, line, x, lanes, out);
}

/* The pixels without such taps; `line` is under the first tap of the first. */
HY_ALWAYS_INLINE void convolve_inner(const struct lines *l, const struct three *t, int rows,
                                     int stride, size_t lanes, const float *from, float *out)
{
    const size_t step = (size_t)stride * t->tap_step, out_step = l->p->out_c;
    const int group = HY_GROUP_PIXELS / stride;
    size_t left = l->inner.end - l->inner.begin;

    for (; left >= (size_t)group; left -= (size_t)group) {
        convolve_pixels(t, rows, 0, 3, group, stride, lanes, from, out, out_step);
        from += (size_t)group * step;
        out += (size_t)group * out_step;
    }
    for (; left > 0; left--, from += step, out += out_step)
        convolve_pixels(t, rows, 0, 3, 1, 1, lanes, from, out, 0);
}

/* The same with stride 1 where a vector holds the channels of several pixels: see repeats(). */
HY_ALWAYS_INLINE void convolve_packed(const struct lines *l, const struct three *t, int rows,
                                      const float *from, float *out)
{
    size_t left = (l->inner.end - l->inner.begin) * l->p->out_c;

    for (; left >= HY_LANES; left -= HY_LANES, from += HY_LANES, out += HY_LANES)
        convolve_pixels(t, rows, 0, 3, 1, 1, HY_LANES, from, out, 0);
    if (left > 0)
        convolve_pixels(t, rows, 0, 3, 1, 1, left, from, out, 0);
}

/* stride 0: packed. */
HY_ALWAYS_INLINE void convolve_lines(const struct lines *l, int rows, int stride, size_t lanes)
{
    const struct hy_conv_params *p = l->p;
    const struct three t = three_of(l, rows);
    const int64_t step = stride ? stride : 1, pad = p->pad_left;
    const float *line = l->in;
    float *out = l->out;

    for (size_t i = 0; i < l->count; i++) {
        const struct hy_window inner = l->inner;
        const float *from = line;
        if (inner.begin < inner.end)
            from += (size_t)((int64_t)inner.begin * step - pad) * t.tap_step;
        for (size_t x = 0; x < inner.begin; x++)
            convolve_border(l, &t, rows, lanes, line, (int64_t)x * step - pad, out + x * p->out_c);
        if (inner.begin < inner.end && stride)
            convolve_inner(l, &t, rows, stride, lanes, from, out + inner.begin * p->out_c);
        else if (inner.begin < inner.end)
            convolve_packed(l, &t, rows, from, out + inner.begin * p->out_c);
        for (size_t x = inner.end; x < p->out_w; x++)
            convolve_border(l, &t, rows, lanes, line, (int64_t)x * step - pad, out + x * p->out_c);
        line += (size_t)p->stride_h * p->in_w * p->in_c;
        out += (size_t)p->out_w * p->out_c;
    }
}

/* Compiled for each number of tap rows, so that all weights are named. */
#define CONVOLVE_ROWS(rows) \
    static void convolve_##rows(const struct lines *l, size_t lanes, bool packed) \
    { \
        if (packed) \
            convolve_lines(l, rows, 0, lanes); \
        else if (l->p->stride_w == 1 && lanes == HY_LANES) \
            convolve_lines(l, rows, 1, HY_LANES); \
        else if (l->p->stride_w == 1) \
            convolve_lines(l, rows, 1, lanes); \
        else if (lanes == HY_LANES) \
            convolve_lines(l, rows, 2, HY_LANES); \
        else \
            convolve_lines(l, rows, 2, lanes); \
    }

CONVOLVE_ROWS(1)
CONVOLVE_ROWS(2)
CONVOLVE_ROWS(3)

static inline bool is_three(const struct hy_conv_params *p)
{
    return p->filter_w == 3 && p->filter_h <= 3 && p->dilation_w == 1 && p->stride_w <= 2;
}

/* How many output lines from `line` on use the same tap rows of the same image, `most` at most. */
static size_t lines_alike(const struct depthwise_line *line, size_t most)
{
    const struct hy_conv_params *p = line->p;
    size_t count = 1;

    for (; count < most && line->y + count < p->out_h; count++) {
        const struct hy_window rows = hy_taps_at(line->y + (uint32_t)count, p->stride_h, p->pad_top,
                                                 p->filter_h, p->dilation_h, p->in_h);
        if (rows.begin != line->rows.begin || rows.end != line->rows.end)
            break;
    }
    return count;
}

/* `count` lines that are alike, all channels; `out` is the first of them. */
static void convolve_alike(const struct depthwise_line *line, size_t count, const float *in,
                           const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    const bool packed = p->stride_w == 1 && depthwise_repeats(p) > 1;
    struct lines l = {
        .p = p,
        .count = count,
        .rows = line->rows.end - line->rows.begin,
        .in =
            in + (line->image + hy_conv_tap_row(p, line->y, line->rows.begin) * p->in_w) * p->in_c,
        .bias = weights,
        .taps = weights + (HEADER_VECTORS + line->rows.begin * 3) * HY_LANES,
        .out = out,
        .row_step = depthwise_row_step(p),
        .inner = line->inner,
    };

    for (size_t c = 0; c < p->out_c; c += HY_LANES) {
        const size_t lanes = channels_at(p, c);
        if (l.rows == 3)
            convolve_3(&l, lanes, packed);
        else if (l.rows == 2)
            convolve_2(&l, lanes, packed);
        else
            convolve_1(&l, lanes, packed);
        l.in += HY_LANES;
        l.out += HY_LANES;
        l.bias += (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;
        l.taps += (HEADER_VECTORS + depthwise_taps(p)) * HY_LANES;
    }
}
