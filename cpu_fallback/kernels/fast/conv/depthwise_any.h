/*
 * Depthwise convolution in float32 with any filter, one output line at a time. Several sums are
 * computed together, so that no sum waits for its last addition. Inside the image these are the
 * sums of neighbouring pixels, which share the weights. At the borders, pixels differ in their
 * taps, and the sums are those of several vectors of channels of one pixel. Included by
 * depthwise_conv_float.c.
 */

/* Largest number of vectors of channels of a pixel computed together. */
#define MOST_VECTORS 4
#define MOST_SUMS    (MOST_VECTORS > HY_GROUP_PIXELS ? MOST_VECTORS : HY_GROUP_PIXELS)

/* The start of one vector of channels: its input, packed weights and output of a line. */
struct channels {
    const float *in, *weights;
    float *out;
};

#define FIVE 5

/* Adds a row of FIVE neighbouring taps for HY_GROUP_PIXELS pixels, `stride` apart. The pixels share
 * the inputs. */
HY_ALWAYS_INLINE void add_five(int stride, size_t count, const float *from, size_t step,
                               const float *weights, vf *sum)
{
    vf values[2 * (HY_GROUP_PIXELS - 1) + FIVE];

    HY_UNROLL(16)
    for (int k = 0; k < stride * (HY_GROUP_PIXELS - 1) + FIVE; k++)
        values[k] = vf_load_part(from + (size_t)k * step, count);
    HY_UNROLL(8)
    for (int j = 0; j < FIVE; j++) {
        const vf weight = vf_load(weights + j * HY_LANES);
        HY_UNROLL(4)
        for (int q = 0; q < HY_GROUP_PIXELS; q++)
            sum[q] = vf_multiply_add(values[q * stride + j], weight, sum[q]);
    }
}

/*
 * Computes `pixels` neighbours from column x on with equal taps, for a single vector of channels;
 * or a single pixel for `vectors` vectors. Each vector has `count` channels. A nonzero
 * `stride_of_five` selects HY_GROUP_PIXELS pixels with rows of taps for add_five().
 */
HY_ALWAYS_INLINE void convolve(const struct depthwise_line *line, int pixels, int vectors,
                               int stride_of_five, size_t count, const struct channels *c,
                               uint32_t x, struct hy_window columns)
{
    const struct hy_conv_params *p = line->p;
    const int sums = pixels * vectors;
    const size_t in_step = vectors > 1 ? HY_LANES : (size_t)p->stride_w * p->in_c;
    const size_t out_step = vectors > 1 ? HY_LANES : p->out_c;
    const size_t weight_step = vectors > 1 ? vector_step(p) : 0;
    const size_t tap_step = depthwise_tap_step(p), row_step = depthwise_row_step(p);
    const float *row = c->in + depthwise_first_tap(line, x, columns);
    float *out = c->out + (size_t)x * p->out_c;
    vf sum[MOST_SUMS], min = vf_set1(p->activation.min), max = vf_set1(p->activation.max);

    HY_UNROLL(4)
    for (int q = 0; q < sums; q++)
        sum[q] = vf_load(c->weights + (size_t)q * weight_step);

    for (size_t i = line->rows.begin; i < line->rows.end; i++, row += row_step) {
        const float *weight =
            c->weights + (HEADER_VECTORS + i * p->filter_w + columns.begin) * HY_LANES;
        const float *from = row;
        if (stride_of_five > 0) {
            add_five(stride_of_five, count, from, tap_step, weight, sum);
            continue;
        }
        for (size_t j = columns.begin; j < columns.end; j++, weight += HY_LANES, from += tap_step) {
            HY_UNROLL(4)
            for (int q = 0; q < sums; q++)
                sum[q] = vf_multiply_add(vf_load_part(from + (size_t)q * in_step, count),
                                         vf_load(weight + (size_t)q * weight_step), sum[q]);
        }
    }
    HY_UNROLL(4)
    for (int q = 0; q < sums; q++)
        vf_store_part(out + (size_t)q * out_step, vf_clamp(sum[q], min, max), count);
}

/* Computes the pixels [begin, end) separately, each with its own taps. */
HY_ALWAYS_INLINE void convolve_singly(const struct depthwise_line *line, int vectors, size_t count,
                                      const struct channels *c, size_t begin, size_t end)
{
    for (size_t x = begin; x < end; x++)
        convolve(line, 1, vectors, 0, count, c, (uint32_t)x, taps_of_column(line->p, (uint32_t)x));
}

/* Computes pixels [begin, end), HY_GROUP_PIXELS at a time, with all taps of a row. */
HY_ALWAYS_INLINE void convolve_grouped(const struct depthwise_line *line, int stride_of_five,
                                       size_t count, const struct channels *c, size_t begin,
                                       size_t end)
{
    const struct hy_window all = {0, line->p->filter_w};

    for (size_t x = begin; x < end; x += HY_GROUP_PIXELS)
        convolve(line, HY_GROUP_PIXELS, 1, stride_of_five, count, c, (uint32_t)x, all);
}

/* Computes one line of `vectors` vectors of channels. */
HY_ALWAYS_INLINE void convolve_line(const struct depthwise_line *line, int vectors, size_t count,
                                    struct channels c)
{
    const struct hy_conv_params *p = line->p;
    const size_t begin = line->inner.begin, inner = line->inner.end - begin;
    const size_t end = begin + inner / HY_GROUP_PIXELS * HY_GROUP_PIXELS;
    const bool five = p->filter_w == FIVE && p->dilation_w == 1;

    convolve_singly(line, vectors, count, &c, 0, begin);
    convolve_singly(line, vectors, count, &c, end, p->out_w);
    for (int v = 0; v < vectors; v++) {
        if (five && p->stride_w == 1)
            convolve_grouped(line, 1, count, &c, begin, end);
        else if (five && p->stride_w == 2)
            convolve_grouped(line, 2, count, &c, begin, end);
        else
            convolve_grouped(line, 0, count, &c, begin, end);
        c.in += HY_LANES;
        c.weights += vector_step(p);
        c.out += HY_LANES;
    }
}

/* Computes one line of all channels, with any filter. */
static void convolve_all(const struct depthwise_line *line, const float *in, const float *weights,
                         float *out)
{
    const struct hy_conv_params *p = line->p;
    struct channels c = {.in = in + line->image * p->in_c, .weights = weights, .out = out};

    for (size_t left = p->out_c, done; left > 0; left -= done) {
        const size_t vectors = left / HY_LANES < MOST_VECTORS ? 1 : MOST_VECTORS;
        done = left < HY_LANES ? left : vectors * HY_LANES;
        if (vectors == MOST_VECTORS)
            convolve_line(line, MOST_VECTORS, HY_LANES, c);
        else if (left >= HY_LANES)
            convolve_line(line, 1, HY_LANES, c);
        else
            convolve_line(line, 1, left, c);
        c.in += done;
        c.weights += vectors * vector_step(p);
        c.out += done;
    }
}
