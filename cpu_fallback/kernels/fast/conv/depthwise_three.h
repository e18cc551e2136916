/*
 * Depthwise convolution in float32 with filters of three columns and up to three rows, which nearly
 * all filters have. A few neighbouring pixels of one or two lines are computed together, for all
 * channels before the next pixels. Inputs and outputs then pass as streams. Computing one vector of
 * channels at a time would miss the cache pixel by pixel, or use few of its sets if pixels are a
 * power of two apart. Included by depthwise_conv_float.c.
 *
 * If a filter is dilated by d, its columns meet every d-th pixel of a line. The line is treated as
 * d lines with filters that are not dilated: the pixels 0, d, 2 d, ..., the pixels 1, d + 1, ...
 * and so on.
 */

/* Output lines with the same tap rows (all pixels, or every d-th pixel), and a block of
 * channels. */
struct lines {
    const struct hy_conv_params *p; /* widths and padding count only these pixels; not dilated */
    size_t count, rows, channels;   /* number of lines, of tap rows, of channels */
    const float *in;                /* pixel 0 of the first tap row of the first line */
    const float *bias;              /* biases of the first vector of channels */
    size_t first_tap;               /* offset from `bias` to the weights of the first tap row */
    float *out;                     /* pixel 0 of the first line */
    size_t in_step, out_step;       /* distance of pixels */
    size_t in_line, out_line;       /* distance of lines */
    size_t row_step;                /* distance of the input lines of tap rows */
    size_t vector_step;             /* distance of biases */
    struct hy_window inner;
};

#define MOST_TAPS 9

/* Constants of all pixels of a block, in registers as far as possible. With `kept`, the weights
 * of the block's only vector of channels are in registers too; otherwise weights are read from
 * memory. */
struct block {
    bool in_registers;
    vf register_bias, register_taps[MOST_TAPS];
    vf min, max;
};

HY_ALWAYS_INLINE vf bias_of(const struct block *b, const float *bias)
{
    return b->in_registers ? b->register_bias : vf_load(bias);
}

HY_ALWAYS_INLINE vf tap_of(const struct block *b, const float *taps, int tap)
{
    return b->in_registers ? b->register_taps[tap] : vf_load(taps + tap * HY_LANES);
}

HY_ALWAYS_INLINE struct block block_of(const struct lines *l, int rows, bool in_registers)
{
    struct block b = {
        .in_registers = in_registers,
        .min = vf_set1(l->p->activation.min),
        .max = vf_set1(l->p->activation.max),
    };

    if (!in_registers)
        return b;
    b.register_bias = vf_load(l->bias);
    HY_UNROLL(16)
    for (int tap = 0; tap < 3 * rows; tap++)
        b.register_taps[tap] = vf_load(l->bias + l->first_tap + tap * HY_LANES);
    return b;
}

/* The outputs computed together: `pixels` neighbours in each of `lines` lines, with the taps
 * [begin, end) of each of `rows` tap rows. Neighbouring pixels are `stride` input pixels apart, and
 * neighbouring lines one tap row. */
struct piece {
    int rows, begin, end, lines, pixels, stride;
};

#define MOST_LINES 2

/* Adds the products of one input row to the sums of one line. `values` holds the pixels under the
 * taps of the piece. */
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

/* Computes one vector of channels; `from` is under the first tap of the first pixel. */
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

/* Computes all channels of the block. */
HY_ALWAYS_INLINE void convolve_piece(const struct lines *l, const struct block *b,
                                     struct piece piece, const float *from, float *out)
{
    const float *bias = l->bias;
    size_t left = l->channels;

    for (; left >= HY_LANES; left -= HY_LANES, from += HY_LANES, out += HY_LANES) {
        convolve_vector(l, b, piece, bias, HY_LANES, from, out);
        if (b->in_registers)
            return;
        bias += l->vector_step;
    }
    if (left > 0)
        convolve_vector(l, b, piece, bias, left, from, out);
}

/* Computes a border pixel with unusual taps outside the image. */
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

/* Computes a pixel with taps left or right of the image; its first tap is at input column x. */
HY_ALWAYS_INLINE void convolve_border(const struct lines *l, int rows, const struct block *b,
                                      const float *line, int64_t x, float *out)
{
    const int64_t left = (int64_t)l->p->in_w - x; /* input columns from x on */

    if (x == -1 && left >= 3)
        convolve_piece(l, b, (struct piece){rows, 1, 3, 1, 1, 1}, line, out);
    else if (x >= 0 && left == 2)
        convolve_piece(l, b, (struct piece){rows, 0, 2, 1, 1, 1}, line + (size_t)x * l->in_step,
                       out);
    else
        convolve_odd(l, line, x, out);
}

/* Computes the pixels with all taps in a row; `from` is under the first tap of the first pixel. */
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

/* Computes the same pixels with stride 1 if a vector holds the channels of several pixels; see
 * depthwise_repeats(). */
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

/* Computes `lines` lines at once; stride 0: packed. */
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
                                     bool in_registers)
{
    const struct block b = block_of(l, rows, in_registers);
    size_t y = 0;

    for (; lines > 1 && y + (size_t)lines <= l->count; y += (size_t)lines)
        convolve_at_once(l, rows, lines, stride, &b, l->in + y * l->in_line,
                         l->out + y * l->out_line);
    for (; y < l->count; y++)
        convolve_at_once(l, rows, 1, stride, &b, l->in + y * l->in_line, l->out + y * l->out_line);
}

/* Instances for each number of tap rows, with the weights in registers or in memory. */
#define CONVOLVE_ROWS(name, rows, at_once, in_registers) \
    static void name(const struct lines *l) \
    { \
        const struct hy_conv_params *p = l->p; \
        if (l->in_step == p->in_c && p->stride_w == 1 && depthwise_repeats(p) > 1) \
            convolve_lines(l, rows, 1, 0, in_registers); \
        else if (p->stride_w == 2) \
            convolve_lines(l, rows, 1, 2, in_registers); \
        else if (p->stride_h == p->dilation_h) \
            convolve_lines(l, rows, at_once, 1, in_registers); \
        else \
            convolve_lines(l, rows, 1, 1, in_registers); \
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

#if HY_LANES == 16 /* enough registers for the weights of a vector of channels */
CONVOLVE_ROWS(convolve_vector_1, 1, 1, true)
CONVOLVE_ROWS(convolve_vector_2, 2, 1, true)
CONVOLVE_ROWS(convolve_vector_3, 3, MOST_LINES, true)

/*
 * Vectors of channels are computed one after the other if neighbouring pixels are at most
 * FEW_VECTORS vectors apart. Pixels farther apart would use few sets of the first-level cache.
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

/* The number of output lines from `line` on with the same tap rows in the same image, at most
 * `most`. */
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

/* The parameters of a line of every dilation_w-th output pixel from `first` on. The input pixels of
 * its taps are every dilation_w-th pixel from `in_first` on. */
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

/* Computes every dilation_w-th pixel from `first` on in `count` lines with the same tap rows, all
 * channels; `in` and `out` point to the first pixels of the lines. */
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

/* Computes `count` lines with the same tap rows, all channels; `out` points to the first line. */
static void convolve_alike(const struct depthwise_line *line, size_t count, const float *in,
                           const float *weights, float *out)
{
    const struct hy_conv_params *p = line->p;
    const size_t row = hy_conv_tap_row(p, line->y, line->rows.begin);

    in += (line->image + row * p->in_w) * p->in_c;
    for (uint32_t first = 0; first < p->dilation_w && first < p->out_w; first++)
        convolve_pixels(line, first, count, in, weights, out);
}
