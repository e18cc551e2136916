/*
 * Depthwise convolution in float32 with filters of three columns and up to three rows: nearly all
 * there are. A few neighbouring pixels of one line, or of two, are computed together, for all
 * channels before the next: so inputs and outputs go by in streams, which neither miss the cache
 * one by one nor fall into few of its sets, as those of one vector of channels do whose pixels lie
 * a power of two apart. Included by depthwise_conv_float.c.
 *
 * Columns of a filter that is dilated by d meet every d-th pixel of a line: the line is d lines of
 * its pixels 0, d, 2 d, ..., of its pixels 1, d + 1, ... and so on, with filters that are not
 * dilated.
 */

/* Output lines that use the same tap rows, or every d-th pixel of them, and a block of channels. */
struct lines {
    const struct hy_conv_params *p; /* widths and padding: of these pixels; not dilated */
    size_t count, rows, channels;   /* of lines, of tap rows */
    const float *in;                /* pixel 0 of the first line's first tap row */
    const float *bias;              /* of the first vector of channels */
    size_t first_tap;               /* from there to the first of those rows' weights */
    float *out;                     /* pixel 0 of the first line */
    size_t in_step, out_step;       /* from pixel to pixel */
    size_t in_line, out_line;       /* from line to line */
    size_t row_step;                /* from tap row to tap row of the input */
    size_t vector_step;             /* from bias to bias */
    struct hy_window inner;
};

#define MOST_TAPS 9

/* What all pixels of a block have in common, in registers as far as there are enough: with `kept`
 * also the weights of its only vector of channels, else those are read from memory. */
struct block {
    bool kept;
    vf kept_bias, kept_taps[MOST_TAPS];
    vf min, max;
};

HY_ALWAYS_INLINE vf bias_of(const struct block *b, const float *bias)
{
    return b->kept ? b->kept_bias : vf_load(bias);
}

HY_ALWAYS_INLINE vf tap_of(const struct block *b, const float *taps, int tap)
{
    return b->kept ? b->kept_taps[tap] : vf_load(taps + tap * HY_LANES);
}

HY_ALWAYS_INLINE struct block block_of(const struct lines *l, int rows, bool kept)
{
    struct block b = {
        .kept = kept,
        .min = vf_set1(l->p->activation.min),
        .max = vf_set1(l->p->activation.max),
    };

    if (!kept)
        return b;
    b.kept_bias = vf_load(l->bias);
    HY_UNROLL(16)
    for (int tap = 0; tap < 3 * rows; tap++)
        b.kept_taps[tap] = vf_load(l->bias + l->first_tap + tap * HY_LANES);
    return b;
}

/* What is computed together: `pixels` neighbours, `stride` pixels of the input apart, of `lines`
 * lines, a tap row apart, by their taps [begin, end) of `rows` tap rows. */
struct piece {
    int rows, begin, end, lines, pixels, stride;
};

#define MOST_LINES 2

/* The pixels of one input row, as far as the taps of a piece reach, into the sums of one line. */
HY_ALWAYS_INLINE void add_row(struct piece piece, const vf *values, const struct block *b,
                              const float *taps, int row, vf *sums)
{
    HY_UNROLL(4)
    for (int j = piece.begin; j < piece.end; j++) {
        const vf weight = tap_of(b, taps, row * 3 + j);
        HY_UNROLL(4)
        for (int q = 0; q < piece.pixels; q++)
            sums[q] = vf_multiply_add(values[q * piece.stride + j - piece.begin], weight, sums[q]);
    }
}

/* One vector of channels; `from` is under the first tap of the first pixel. */
HY_ALWAYS_INLINE void convolve_vector(const struct lines *l, const struct block *b,
                                      struct piece piece, const float *bias, size_t lanes,
                                      const float *from, float *out)
{
    vf sums[MOST_LINES][HY_GROUP_PIXELS], values[2 * HY_GROUP_PIXELS + 1];
    const int columns = (piece.pixels - 1) * piece.stride + piece.end - piece.begin;

    HY_UNROLL(2)
    for (int y = 0; y < piece.lines; y++) {
        HY_UNROLL(4)
        for (int q = 0; q < piece.pixels; q++)
            sums[y][q] = bias_of(b, bias);
    }
    HY_UNROLL(4)
    for (int i = 0; i < piece.rows + piece.lines - 1; i++) {
        HY_UNROLL(16)
        for (int k = 0; k < columns; k++)
            values[k] =
                vf_load_part(from + (size_t)i * l->row_step + (size_t)k * l->in_step, lanes);
        HY_UNROLL(2)
        for (int y = 0; y < piece.lines; y++)
            if (i >= y && i - y < piece.rows)
                add_row(piece, values, b, bias + l->first_tap, i - y, sums[y]);
    }
    HY_UNROLL(2)
    for (int y = 0; y < piece.lines; y++) {
        HY_UNROLL(4)
        for (int q = 0; q < piece.pixels; q++)
            vf_store_part(out + (size_t)y * l->out_line + (size_t)q * l->out_step,
                          vf_clamp(sums[y][q], b->min, b->max), lanes);
    }
}

/* All channels of the block. */
HY_ALWAYS_INLINE void convolve_piece(const struct lines *l, const struct block *b,
                                     struct piece piece, const float *from, float *out)
{
    const float *bias = l->bias;
    size_t left = l->channels;

    for (; left >= HY_LANES; left -= HY_LANES, from += HY_LANES, out += HY_LANES) {
        convolve_vector(l, b, piece, bias, HY_LANES, from, out);
        if (b->kept)
            return;
        bias += l->vector_step;
    }
    if (left > 0)
        convolve_vector(l, b, piece, bias, left, from, out);
}

/* A pixel whose taps left or right of the image are not the usual one. */
static __attribute__((noinline)) void convolve_odd(const struct lines *l, const float *line,
                                                   int64_t x, float *out)
{
    const struct hy_conv_params *p = l->p;
    const float *bias = l->bias;

    for (size_t c = 0; c < l->channels; c += HY_LANES, bias += l->vector_step) {
        const size_t lanes = l->channels - c < HY_LANES ? l->channels - c : HY_LANES;
        vf sum = vf_load(bias);
        for (size_t i = 0; i < l->rows; i++)
            for (size_t j = 0; j < 3; j++) {
                const int64_t at = x + (int64_t)j;
                if (at < 0 || at >= p->in_w)
                    continue;
                const float *from = line + i * l->row_step + (size_t)at * l->in_step + c;
                const float *tap = bias + l->first_tap + (i * 3 + j) * HY_LANES;
                sum = vf_multiply_add(vf_load_part(from, lanes), vf_load(tap), sum);
            }
        vf_store_part(out + c,
                      vf_clamp(sum, vf_set1(p->activation.min), vf_set1(p->activation.max)), lanes);
    }
}

/* A pixel with taps left or right of the image: its first lies at input column x. */
HY_ALWAYS_INLINE void convolve_border(const struct lines *l, int rows, const struct block *b,
                                      const float *line, int64_t x, float *out)
{
    const int64_t left = (int64_t)l->p->in_w - x; /* columns from there on */

    if (x == -1 && left >= 3)
        convolve_piece(l, b, (struct piece){rows, 1, 3, 1, 1, 1}, line, out);
    else if (x >= 0 && left == 2)
        convolve_piece(l, b, (struct piece){rows, 0, 2, 1, 1, 1}, line + (size_t)x * l->in_step,
                       out);
    else
        convolve_odd(l, line, x, out);
}

/* The pixels without such taps; `from` is under the first tap of the first. */
HY_ALWAYS_INLINE void convolve_inner(const struct lines *l, int rows, int lines, int stride,
                                     const struct block *b, const float *from, float *out)
{
    const size_t step = (size_t)stride * l->in_step, out_step = l->out_step;
    size_t left = l->inner.end - l->inner.begin;

    for (; left >= HY_GROUP_PIXELS; left -= HY_GROUP_PIXELS) {
        convolve_piece(l, b, (struct piece){rows, 0, 3, lines, HY_GROUP_PIXELS, stride}, from, out);
        from += HY_GROUP_PIXELS * step;
        out += HY_GROUP_PIXELS * out_step;
    }
    for (; left > 0; left--, from += step, out += out_step)
        convolve_piece(l, b, (struct piece){rows, 0, 3, lines, 1, 1}, from, out);
}

/* The same with stride 1 where a vector holds the channels of several pixels: see repeats(). */
HY_ALWAYS_INLINE void convolve_packed(const struct lines *l, int rows, const struct block *b,
                                      const float *from, float *out)
{
    const struct piece piece = {rows, 0, 3, 1, 1, 1};
    size_t left = (l->inner.end - l->inner.begin) * l->p->out_c;

    for (; left >= HY_LANES; left -= HY_LANES, from += HY_LANES, out += HY_LANES)
        convolve_vector(l, b, piece, l->bias, HY_LANES, from, out);
    if (left > 0)
        convolve_vector(l, b, piece, l->bias, left, from, out);
}

/* `lines` lines at once; stride 0: packed. */
HY_ALWAYS_INLINE void convolve_at_once(const struct lines *l, int rows, int lines, int stride,
                                       const struct block *b, const float *line, float *out)
{
    const struct hy_conv_params *p = l->p;
    const int64_t step = stride ? stride : 1, pad = p->pad_left;
    const struct hy_window inner = l->inner;

    for (int y = 0; y < lines; y++) {
        const float *from = line + (size_t)y * l->row_step;
        float *to = out + (size_t)y * l->out_line;
        for (size_t x = 0; x < inner.begin; x++)
            convolve_border(l, rows, b, from, (int64_t)x * step - pad, to + x * l->out_step);
        for (size_t x = inner.end; x < p->out_w; x++)
            convolve_border(l, rows, b, from, (int64_t)x * step - pad, to + x * l->out_step);
    }
    if (inner.begin >= inner.end)
        return;
    line += (size_t)((int64_t)inner.begin * step - pad) * l->in_step;
    out += inner.begin * l->out_step;
    if (stride)
        convolve_inner(l, rows, lines, stride, b, line, out);
    else
        convolve_packed(l, rows, b, line, out);
}

HY_ALWAYS_INLINE void convolve_lines(const struct lines *l, int rows, int lines, int stride,
                                     bool kept)
{
    const struct block b = block_of(l, rows, kept);
    size_t y = 0;

    for (; lines > 1 && y + (size_t)lines <= l->count; y += (size_t)lines)
        convolve_at_once(l, rows, lines, stride, &b, l->in + y * l->in_line,
                         l->out + y * l->out_line);
    for (; y < l->count; y++)
        convolve_at_once(l, rows, 1, stride, &b, l->in + y * l->in_line, l->out + y * l->out_line);
}

/* Compiled for each number of tap rows, with the weights in registers and without. */
#define CONVOLVE_ROWS(name, rows, at_once, kept) \
    static void name(const struct lines *l) \
    { \
        const struct hy_conv_params *p = l->p; \
        if (l->in_step == p->in_c && p->stride_w == 1 && depthwise_repeats(p) > 1) \
            convolve_lines(l, rows, 1, 0, kept); \
        else if (p->stride_w == 2) \
            convolve_lines(l, rows, 1, 2, kept); \
        else if (p->stride_h == p->dilation_h) \
            convolve_lines(l, rows, at_once, 1, kept); \
        else \
            convolve_lines(l, rows, 1, 1, kept); \
    }

CONVOLVE_ROWS(convolve_block_1, 1, 1, false)
CONVOLVE_ROWS(convolve_block_2, 2, 1, false)
CONVOLVE_ROWS(convolve_block_3, 3, MOST_LINES, false)

typedef void convolve_fn(const struct lines *l);

static void convolve_block(const struct lines *l)
{
    static convolve_fn *const of_rows[] = {convolve_block_1, convolve_block_2, convolve_block_3};

    of_rows[l->rows - 1](l);
}

#if HY_LANES == 16 /* there are registers for the weights of a vector of channels, too */
CONVOLVE_ROWS(convolve_vector_1, 1, 1, true)
CONVOLVE_ROWS(convolve_vector_2, 2, 1, true)
CONVOLVE_ROWS(convolve_vector_3, 3, MOST_LINES, true)

/*
 * Vectors of channels are gone through one after the other where neighbouring pixels lie no more
 * than so many apart: others would fall into few sets of the first cache.
 */
#define FEW_VECTORS 4

static void convolve_vectors(struct lines l)
{
    static convolve_fn *const of_rows[] = {convolve_vector_1, convolve_vector_2, convolve_vector_3};

    for (size_t c = 0; c < l.p->out_c; c += HY_LANES) {
        l.channels = channels_at(l.p, c);
        of_rows[l.rows - 1](&l);
        l.in += HY_LANES;
        l.out += HY_LANES;
        l.bias += l.vector_step;
    }
}
#endif

static inline bool is_three(const struct hy_conv_params *p)
{
    return p->filter_w == 3 && p->filter_h <= 3 &&
           (p->dilation_w == 1 ? p->stride_w <= 2 : p->stride_w == 1);
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

/* Every dilation_w-th pixel of the output from `first` on, and of the input those that its taps
 * meet, from `in_first` on. */
static struct hy_conv_params every_pixel(const struct hy_conv_params *p, uint32_t first,
                                         uint32_t *in_first)
{
    struct hy_conv_params every = *p;
    const uint32_t step = p->dilation_w, before = p->pad_left > first ? p->pad_left - first : 0;

    every.pad_left = (uint32_t)hy_dilated(before, step);
    *in_first = first + every.pad_left * step - p->pad_left;
    every.in_w = *in_first < p->in_w ? (uint32_t)hy_dilated(p->in_w - *in_first, step) : 0;
    every.out_w = (uint32_t)hy_dilated(p->out_w - first, step);
    every.dilation_w = 1;
    return every;
}

/* `count` lines that are alike, all channels, every dilation_w-th pixel from `first` on; `in` and
 * `out` are the first pixels of those lines. */
static void convolve_pixels(const struct depthwise_line *line, uint32_t first, size_t count,
                            const float *in, const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    uint32_t in_first;
    const struct hy_conv_params every = every_pixel(p, first, &in_first);
    const struct lines l = {
        .p = &every,
        .count = count,
        .rows = line->rows.end - line->rows.begin,
        .channels = p->out_c,
        .in = in + (size_t)in_first * p->in_c,
        .bias = weights,
        .first_tap = (HEADER_VECTORS + line->rows.begin * 3) * HY_LANES,
        .out = out + (size_t)first * p->out_c,
        .in_step = depthwise_tap_step(p),
        .out_step = (size_t)p->dilation_w * p->out_c,
        .in_line = (size_t)p->stride_h * p->in_w * p->in_c,
        .out_line = (size_t)p->out_w * p->out_c,
        .row_step = depthwise_row_step(p),
        .vector_step = vector_step(p),
        .inner = inner_pixels(&every),
    };

#ifdef FEW_VECTORS
    if (depthwise_tap_step(p) <= FEW_VECTORS * HY_LANES) {
        convolve_vectors(l);
        return;
    }
#endif
    convolve_block(&l);
}

/* `count` lines that are alike, all channels; `out` is the first of them. */
static void convolve_alike(const struct depthwise_line *line, size_t count, const float *in,
                           const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    const size_t row = hy_conv_tap_row(p, line->y, line->rows.begin);

    in += (line->image + row * p->in_w) * p->in_c;
    for (uint32_t first = 0; first < p->dilation_w && first < p->out_w; first++)
        convolve_pixels(line, first, count, in, weights, out);
}
