/*
 * Depthwise convolution 3x3 in 8 bits without the copy of depthwise_bands.h, for sets with enough
 * registers for the image columns under the taps of neighbouring outputs. Included by
 * depthwise_conv_quant.c.
 *
 * The bytes of a band's input lines are interleaved when loaded, a vector of bytes of each line at
 * once. The result is in an order with separate quarters. Channels are packed in this order, and
 * the narrowing of sums to bytes restores the order of the output. Both lines of a band use the
 * result.
 *
 * A vector of bytes has COLUMN_BYTES channels of a pixel. If the channels do not fill the last
 * block, the block starts earlier and computes some channels again. If the channels fill half a
 * vector, a vector holds all channels of two neighbours (paired columns). A block is then two
 * outputs, and the last block starts earlier.
 */
#define COLUMN_BYTES   HY_BYTE_LANES
#define COLUMN_VECTORS (COLUMN_BYTES / HY_LANES)
#define COLUMN_LINES   2 /* output lines of a band, at most */
#define COLUMN_TAPS    3 /* taps in a line */

/*
 * A packed block of channels is a panel header of COLUMN_VECTORS vectors (rescale.h), followed by
 * the weights: for each possible line of a band and for each tap column, the weights of the tap
 * rows.
 */
#define COLUMN_STEP       ((size_t)COLUMN_VECTORS * HY_LANES)
#define COLUMN_BLOCK_SIZE ((HEADER_WORDS + COLUMN_LINES * COLUMN_TAPS) * COLUMN_STEP)

static inline bool columns_are_paired(const struct hy_conv_params *p)
{
    return p->out_c == COLUMN_BYTES / 2;
}

static inline size_t column_blocks(const struct hy_conv_params *p)
{
    return ((size_t)p->out_c + COLUMN_BYTES - 1) / COLUMN_BYTES;
}

/* Overlapping blocks may compute up to a third of the channels again; beyond that a copy is
 * cheaper. */
static inline bool has_column_blocks(const struct hy_conv_params *p)
{
    return columns_are_paired(p) ||
           (p->out_c >= COLUMN_BYTES && 3 * column_blocks(p) <= depthwise_vectors(p));
}

/* Whether weights are packed for columns in addition to bands. The result does not depend on
 * strides, dilations or the image, because packed weights serve any of these. */
static inline bool has_columns(const struct hy_conv_params *p)
{
    return p->filter_h == 3 && p->filter_w == 3 && has_column_blocks(p) && weight_rest(p) == 0;
}

static inline bool columns_suit(const struct hy_conv_params *p)
{
    const bool is_dense = p->dilation_h == 1 && p->dilation_w == 1;
    const bool is_stepped = columns_are_paired(p)
                                ? p->stride_w == 1 && p->out_w >= 2
                                : p->stride_w == 1 || (p->stride_w == 2 && p->stride_h >= 2);

    return has_columns(p) && is_dense && is_stepped;
}

/* The first channel of a block. */
static inline size_t column_block_at(const struct hy_conv_params *p, size_t block)
{
    const size_t end = (block + 1) * COLUMN_BYTES;

    if (columns_are_paired(p))
        return 0;
    return (end < p->out_c ? end : p->out_c) - COLUMN_BYTES;
}

static inline size_t columns_packed_words(const struct hy_conv_params *p)
{
    return has_columns(p) ? column_blocks(p) * COLUMN_BLOCK_SIZE : 0;
}

/* The channel in a lane of a block's vector, in the order of dot_weave(). */
static inline size_t column_channel(const struct hy_conv_params *p, size_t block, size_t vector,
                                    size_t lane)
{
    const size_t position = lane / 4 * HY_LANES + vector * 4 + lane % 4;

    return column_block_at(p, block) + position % p->out_c;
}

static void pack_columns(const struct hy_conv_params *p, const HY_FILTER_T *filter,
                         const int32_t *bias, int32_t *packed)
{
    struct rescale_packer packer =
        rescale_packer_of((struct rescale_layer){true, IN_IS_SIGNED, p->out_zero_point});

    memset(packed, 0, columns_packed_words(p) * sizeof *packed);
    for (size_t block = 0; block < column_blocks(p); block++, packed += COLUMN_BLOCK_SIZE) {
        struct rescale_channels channels[COLUMN_VECTORS];
        for (size_t i = 0; i < COLUMN_BYTES; i++) {
            const size_t v = i / HY_LANES, lane = i % HY_LANES;
            const size_t c = column_channel(p, block, v, lane);
            int32_t *taps = packed + HEADER_WORDS * COLUMN_STEP + i;
            describe_sums(p, filter, bias[c], c, lane, &channels[v]);
            for (size_t line = 0; line < COLUMN_LINES; line++)
                pack_taps(p, filter, c, line, COLUMN_STEP, taps + line * COLUMN_TAPS * COLUMN_STEP);
        }
        rescale_pack(&packer, channels, COLUMN_VECTORS, packed);
    }
}

/* One block of channels of one band. */
struct column_walk {
    const uint8_t *rows[HY_DOT_GROUP]; /* input lines, from the block's first channel on */
    size_t steps[HY_DOT_GROUP];        /* distance of pixels; 0 in a line of zeros */
    const uint8_t *zeros;              /* COLUMN_BYTES stored values of real zero */
    int64_t x, in_w;                   /* input column under the first tap; input width */
    int64_t pixels;                    /* pixels of a column: 2 if paired, otherwise 1 */
    const int32_t *packed;
    const struct rescale *to_bytes;
    size_t outputs, out_step, line_step;
    HY_T *out;
};

/* Loads a column that is outside the image, or a pair of pixels with at least one outside. */
static __attribute__((noinline)) void load_border(const struct column_walk *w, int64_t x,
                                                  vi rows[HY_DOT_GROUP])
{
    const int64_t size = COLUMN_BYTES / w->pixels;
    uint8_t bytes[COLUMN_BYTES];

    for (int g = 0; g < HY_DOT_GROUP; g++) {
        for (int64_t i = 0; i < w->pixels; i++) {
            const bool is_inside = x + i >= 0 && x + i < w->in_w;
            const uint8_t *from = is_inside ? w->rows[g] + (size_t)(x + i) * w->steps[g] : w->zeros;
            memcpy(bytes + i * size, from, (size_t)size);
        }
        rows[g] = vi_load(bytes);
    }
}

HY_ALWAYS_INLINE void load_column(const struct column_walk *w, int lines, int64_t x,
                                  vi acts[COLUMN_VECTORS])
{
    vi rows[HY_DOT_GROUP];

    if (x >= 0 && x + w->pixels <= w->in_w) {
        HY_UNROLL(4)
        for (int g = 0; g < HY_DOT_GROUP; g++)
            rows[g] = vi_load(w->rows[g] + (size_t)x * w->steps[g]);
    } else if (w->pixels == 1) {
        HY_UNROLL(4)
        for (int g = 0; g < HY_DOT_GROUP; g++)
            rows[g] = vi_load(w->zeros);
    } else {
        load_border(w, x, rows);
    }
    HY_UNROLL(4)
    for (int g = 0; g < HY_DOT_GROUP; g++)
        rows[g] = IN_IS_SIGNED ? dot_flip(rows[g]) : rows[g];
    if (lines == 1) /* the last row has weights of zero */
        rows[3] = rows[2];
    dot_weave(rows, acts);
}

/* Largest number of columns under the taps of COLUMN_OUTPUTS neighbours. */
#define COLUMN_OUTPUTS 2
#define MOST_COLUMNS   (2 * (COLUMN_OUTPUTS - 1) + COLUMN_TAPS)

/* Keeps a value with several uses in a register; gcc would read memory for each use. */
static inline vi in_register(vi x)
{
    __asm__("" : "+v"(x));
    return x;
}

/* Converts the sums of vector `v` of a block; the exact way converts later. */
HY_ALWAYS_INLINE vi finish_sums(const struct rescale_numbers *n, int v, vi sums,
                                enum rescale_way way)
{
    return way == RESCALE_EXACTLY ? sums : rescale_lanes(n, v, sums, way);
}

/* rescale(), with channels in the order of the output. */
HY_ALWAYS_INLINE vi finish_bytes(const struct rescale_numbers *n, const struct rescale *r,
                                 const struct rescale_headers *h, const vi x[COLUMN_VECTORS],
                                 enum rescale_way way)
{
    if (way == RESCALE_EXACTLY)
        return vb_exchange_quarters(rescale_exactly(r, h, x, IN_IS_SIGNED));
    const vi bytes = vb_narrow_quarters(x[0], x[1], x[2], x[3], IN_IS_SIGNED);
    return vb_min(n->max, vb_max(n->min, bytes, IN_IS_SIGNED), IN_IS_SIGNED);
}

/*
 * Computes `outputs` neighbours of each line. Constants of channels are loaded once for all
 * outputs, because registers cannot hold them longer.
 */
HY_ALWAYS_INLINE void convolve_columns(const struct column_walk *w, int stride, int lines,
                                       int outputs, enum rescale_way way,
                                       vi acts[MOST_COLUMNS][COLUMN_VECTORS], HY_T *out)
{
    struct rescale_headers headers = {.step = COLUMN_STEP};
    vi x[COLUMN_LINES][COLUMN_OUTPUTS][COLUMN_VECTORS];

    HY_UNROLL(4)
    for (int v = 0; v < COLUMN_VECTORS; v++)
        headers.of[v] = w->packed + v * HY_LANES;
    struct rescale_numbers numbers = {.min = w->to_bytes->min, .max = w->to_bytes->max};
    HY_UNROLL(4)
    for (int v = 0; v < COLUMN_VECTORS; v++) {
        const int32_t *taps = headers.of[v] + HEADER_WORDS * COLUMN_STEP;
        const vi start = in_register(rescale_word(&headers, v, START));
        rescale_read(&numbers, &headers, v);
        numbers.factor[v] = vf_of_bits(in_register(vi_of_bits(numbers.factor[v])));
        numbers.rest[v] = vf_of_bits(in_register(vi_of_bits(numbers.rest[v])));
        numbers.offset[v] = vf_of_bits(in_register(vi_of_bits(numbers.offset[v])));
        HY_UNROLL(2)
        for (int y = 0; y < lines; y++) {
            vi sums[COLUMN_OUTPUTS];
            HY_UNROLL(2)
            for (int q = 0; q < outputs; q++)
                sums[q] = start;
            HY_UNROLL(3)
            for (int j = 0; j < COLUMN_TAPS; j++, taps += COLUMN_STEP) {
                const vi weights = in_register(vi_load(taps));
                HY_UNROLL(2)
                for (int q = 0; q < outputs; q++)
                    sums[q] = vi_dot(sums[q], acts[q * stride + j][v], weights);
            }
            HY_UNROLL(2)
            for (int q = 0; q < outputs; q++)
                x[y][q][v] = finish_sums(&numbers, v, sums[q], way);
        }
    }
    HY_UNROLL(2)
    for (int y = 0; y < lines; y++) {
        HY_UNROLL(2)
        for (int q = 0; q < outputs; q++)
            vi_store(out + (size_t)y * w->line_step + (size_t)q * w->out_step,
                     finish_bytes(&numbers, w->to_bytes, &headers, x[y][q], way));
    }
}

/*
 * Loads columns `begin` to `end` from pixel x on; the last column must be an even one if columns
 * are paired. Odd columns of pairs are joined from halves of their neighbours.
 */
HY_ALWAYS_INLINE void load_columns(const struct column_walk *w, int lines, bool paired, int64_t x,
                                   int begin, int end, vi acts[MOST_COLUMNS][COLUMN_VECTORS])
{
    HY_UNROLL(4)
    for (int k = begin; k < end; k++)
        if (!paired || k % 2 == 0)
            load_column(w, lines, x + k, acts[k]);
    /* Counts from 0, because clang would take k + 1 below for the loop step and lose the constant
     * count. */
    HY_UNROLL(4)
    for (int i = 0; i < end - begin; i++) {
        const int k = begin + i;
        if (!paired || k % 2 == 0)
            continue;
        HY_UNROLL(4)
        for (int v = 0; v < COLUMN_VECTORS; v++)
            acts[k][v] = vb_halves_between(acts[k - 1][v], acts[k + 1][v]);
    }
}

HY_ALWAYS_INLINE void walk_columns(const struct column_walk *w, int stride, int lines, bool paired,
                                   enum rescale_way way)
{
    const int overlap = COLUMN_TAPS - stride, step = COLUMN_OUTPUTS * stride;
    vi acts[MOST_COLUMNS][COLUMN_VECTORS];
    int64_t x = w->x;
    size_t left = w->outputs;
    HY_T *out = w->out;

    load_columns(w, lines, paired, x, 0, overlap, acts);
    for (; left >= COLUMN_OUTPUTS; left -= COLUMN_OUTPUTS, x += step) {
        load_columns(w, lines, paired, x, overlap, overlap + step, acts);
        convolve_columns(w, stride, lines, COLUMN_OUTPUTS, way, acts, out);
        out += COLUMN_OUTPUTS * w->out_step;
        HY_UNROLL(2)
        for (int k = 0; k < overlap; k++) {
            HY_UNROLL(4)
            for (int v = 0; v < COLUMN_VECTORS; v++)
                acts[k][v] = acts[step + k][v];
        }
    }
    if (left > 0) {
        load_columns(w, lines, paired, x, overlap, COLUMN_TAPS, acts);
        convolve_columns(w, stride, lines, 1, way, acts, out);
    }
}

/* Instances for strides, numbers of lines, and pairs. Pairs have taps at the columns of stride
 * 2. */
#define WALK(name, stride, lines, paired) \
    static __attribute__((noinline)) void name(const struct column_walk *w, enum rescale_way way) \
    { \
        if (way == RESCALE_ONE_OFFSET) \
            walk_columns(w, stride, lines, paired, RESCALE_ONE_OFFSET); \
        else if (way == RESCALE_TWO_OFFSETS) \
            walk_columns(w, stride, lines, paired, RESCALE_TWO_OFFSETS); \
        else \
            walk_columns(w, stride, lines, paired, RESCALE_EXACTLY); \
    }

WALK(walk_line, 1, 1, false)
WALK(walk_lines, 1, 2, false)
WALK(walk_strided, 2, 1, false)
WALK(walk_paired_line, 2, 1, true)
WALK(walk_paired_lines, 2, 2, true)

static void walk(const struct column_walk *w, size_t stride, size_t lines, enum rescale_way way)
{
    if (w->pixels == 2 && lines == 2)
        walk_paired_lines(w, way);
    else if (w->pixels == 2)
        walk_paired_line(w, way);
    else if (stride == 2)
        walk_strided(w, way);
    else if (lines == 2)
        walk_lines(w, way);
    else
        walk_line(w, way);
}

static enum rescale_way column_way(const struct hy_conv_params *p, const int32_t *packed)
{
    if (!rescale_has_offsets(packed, COLUMN_STEP))
        return RESCALE_EXACTLY;
    return is_never_below(p) ? RESCALE_ONE_OFFSET : RESCALE_TWO_OFFSETS;
}

/* Computes band `unit` of one block of channels. */
static void walk_band(const struct hy_conv_params *p, const struct rescale *to_bytes,
                      const uint8_t *in, const int32_t *packed, HY_T *out, size_t unit,
                      size_t block)
{
    const size_t of_band = band_lines(p), bands = bands_of_image(p),
                 first = column_block_at(p, block);
    const size_t image = unit / bands, y = unit % bands * of_band;
    const size_t lines = p->out_h - y < of_band ? p->out_h - y : of_band;
    const int64_t top = (int64_t)y * p->stride_h - p->pad_top;
    const bool paired = columns_are_paired(p);
    uint8_t zeros[COLUMN_BYTES];
    struct column_walk w = {
        .zeros = zeros,
        .x = -(int64_t)p->pad_left,
        .in_w = p->in_w,
        .pixels = paired ? 2 : 1,
        .packed = packed + block * COLUMN_BLOCK_SIZE,
        .to_bytes = to_bytes,
        .outputs = paired ? p->out_w / 2 : p->out_w,
        .out_step = paired ? COLUMN_BYTES : p->out_c,
        .line_step = (size_t)p->out_w * p->out_c,
        .out = out + (image * p->out_h + y) * p->out_w * p->out_c + first,
    };
    const enum rescale_way way = column_way(p, w.packed);

    memset(zeros, p->in_zero_point, sizeof zeros);
    in += image * p->in_h * p->in_w * p->in_c + first;
    for (size_t g = 0; g < HY_DOT_GROUP; g++) {
        const int64_t row = top + (int64_t)(g < lines + 2 ? g : 0);
        const bool exists = row >= 0 && row < p->in_h;
        w.rows[g] = exists ? in + (size_t)row * p->in_w * p->in_c : zeros;
        w.steps[g] = exists ? p->in_c : 0;
    }
    walk(&w, p->stride_w, lines, way);
    if (paired && p->out_w % 2 != 0) {
        w.x += p->out_w - 2;
        w.out += (size_t)(p->out_w - 2) * p->out_c;
        w.outputs = 1;
        walk(&w, p->stride_w, lines, way);
    }
}

/* Weights stay in the first-level cache for at least 256 outputs, if the layer has 256. */
#define COLUMN_RUN 256

static void walk_bands(const struct hy_conv_params *p, const struct rescale *to_bytes,
                       const uint8_t *in, const int32_t *packed, HY_T *out, size_t first,
                       size_t end)
{
    const size_t run = (COLUMN_RUN - 1) / (p->out_w * band_lines(p)) + 1;

    for (size_t next; first < end; first = next) {
        next = end - first < run ? end : first + run;
        for (size_t block = 0; block < column_blocks(p); block++)
            for (size_t unit = first; unit < next; unit++)
                walk_band(p, to_bytes, in, packed, out, unit, block);
    }
}
