/*
 * DEPTHWISE_CONV_2D of int16 data with filters of 3x3, stride 1 and no dilation, for channel counts
 * of at least a group. Included by depthwise_conv_wide.c.
 *
 * Along a line each output needs a new column of inputs and reuses the other two. Columns stay in
 * registers, interleaved: the first two lines form pairs, and the third line is paired with zeros.
 */
struct column {
    struct sums upper, lower;
};

/* The weights, interleaved like the inputs. */
struct three {
    struct column columns[3];
};

/* The input lines under a line of outputs. */
struct band {
    const int16_t *lines[3]; /* lines, from the group's first channel on */
    int64_t width;
    size_t step; /* distance of pixels */
};

static bool is_three(const struct hy_conv_params *p, const int32_t *packed)
{
    bool is_narrow = true;

    for (size_t i = 0; i < groups_of(p); i++, packed += group_words(p))
        is_narrow = is_narrow && wide_header_at(packed, GROUP).is_narrow;
    return is_narrow && p->filter_h == 3 && p->filter_w == 3 && p->stride_h == 1 &&
           p->stride_w == 1 && p->dilation_h == 1 && p->dilation_w == 1 && p->out_c >= GROUP;
}

/* Reads the weights: pairs of the first two lines, then, for the last line, pairs of columns 0 and
 * 1, and column 2. */
static inline struct three three_at(const int32_t *weights)
{
    vi pairs[10];

    HY_UNROLL(10)
    for (size_t i = 0; i < 10; i++)
        pairs[i] = vi_load(weights + i * HY_LANES);
    return (struct three){
        {{{pairs[0], pairs[1]}, {pairs[6], pairs[7]}},
         {{pairs[2], pairs[3]}, {vi_shift_right_by(pairs[6], 16), vi_shift_right_by(pairs[7], 16)}},
         {{pairs[4], pairs[5]}, {pairs[8], pairs[9]}}}};
}

HY_ALWAYS_INLINE struct column column_at(const struct band *band, int64_t x, size_t count)
{
    const vi zero = vi_set1(0);

    if (x < 0 || x >= band->width)
        return (struct column){{zero, zero}, {zero, zero}};
    const size_t at = (size_t)x * band->step;
    const vi a = load_some(band->lines[0] + at, count), b = load_some(band->lines[1] + at, count);
    const vi c = load_some(band->lines[2] + at, count);
    return (struct column){{vb_zip_low(a, b, 2), vb_zip_high(a, b, 2)},
                           {vb_zip_low(c, zero, 2), vb_zip_high(c, zero, 2)}};
}

HY_ALWAYS_INLINE struct sums add_column(struct sums sums, const struct column *inputs,
                                        const struct column *weights)
{
    sums.first = dot_in_place(sums.first, inputs->upper.first, weights->upper.first);
    sums.second = dot_in_place(sums.second, inputs->upper.second, weights->upper.second);
    sums.first = dot_in_place(sums.first, inputs->lower.first, weights->lower.first);
    sums.second = dot_in_place(sums.second, inputs->lower.second, weights->lower.second);
    return sums;
}

HY_ALWAYS_INLINE void three_line(const struct hy_conv_params *p, const struct band *band,
                                 const struct narrow *n, const struct three *weights, size_t count,
                                 int16_t *out)
{
    const int64_t left = p->pad_left;
    struct column a = column_at(band, -left, count), b = column_at(band, 1 - left, count);

    for (uint32_t x = 0; x < p->out_w; x++, out += p->out_c) {
        const struct column c = column_at(band, (int64_t)x + 2 - left, count);
        struct sums sums = n->biases;
        sums = add_column(sums, &a, &weights->columns[0]);
        sums = add_column(sums, &b, &weights->columns[1]);
        sums = add_column(sums, &c, &weights->columns[2]);
        store_narrow(n, sums, count, out);
        a = b;
        b = c;
    }
}

/* The input lines under output line `row`. */
static struct band band_at(const struct hy_conv_params *p, const int16_t *in, size_t row,
                           const int16_t *zeros)
{
    const int64_t top = (int64_t)(row % p->out_h) - p->pad_top;
    const size_t line = (size_t)p->in_w * p->in_c;
    struct band band = {.width = p->in_w, .step = p->in_c};

    in += hy_conv_image(p, row) * p->in_c;
    for (int64_t i = 0; i < 3; i++)
        band.lines[i] = top + i < 0 || top + i >= p->in_h ? zeros : in + (size_t)(top + i) * line;
    return band;
}

/* Computes one group of channels for the output lines `lines`. */
HY_ALWAYS_INLINE void three_group(const struct hy_conv_params *p, const int16_t *in,
                                  const int32_t *packed, int16_t *out, const int16_t *zeros,
                                  size_t channel, size_t count, struct hy_window lines)
{
    const struct narrow n = narrow_at(p, packed);
    const struct three weights = three_at(packed + wide_header_words(GROUP));

    for (size_t row = lines.begin; row < lines.end; row++) {
        struct band band = band_at(p, in, row, zeros);
        for (int i = 0; i < 3; i++)
            band.lines[i] += channel;
        three_line(p, &band, &n, &weights, count, out + row * p->out_w * p->out_c + channel);
    }
}

/* Bytes of input lines processed for one group after the other. */
#define THREE_BLOCK ((size_t)16 << 10)

static void three_lines(const struct hy_conv_params *p, const int16_t *in, const int32_t *packed,
                        int16_t *out, int16_t *zeros, size_t first, size_t end)
{
    const size_t line = (size_t)p->in_w * p->in_c * sizeof *in;
    const size_t block = line < THREE_BLOCK ? THREE_BLOCK / (line + 1) + 1 : 1;

    memset(zeros, 0, line);
    for (struct hy_window lines = {first, first}; lines.begin < end; lines.begin = lines.end) {
        const int32_t *group = packed;
        lines.end = end - lines.begin < block ? end : lines.begin + block;
        for (size_t c = 0; c < p->out_c; c += GROUP, group += group_words(p))
            if (p->out_c - c >= GROUP)
                three_group(p, in, group, out, zeros, c, GROUP, lines);
            else
                three_group(p, in, group, out, zeros, c, p->out_c - c, lines);
    }
}
