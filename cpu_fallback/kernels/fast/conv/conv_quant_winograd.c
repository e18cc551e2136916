#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_quant_winograd_transform.h"

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"
#include "cpu_fallback/kernels/fast/conv/conv_winograd_tiles.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/rescale.h"
#include "cpu_fallback/kernels/fast/simd/rescale_offsets.h"

/*
 * CONV_2D in 8 bits with filters of 3x3, by minimal filtering: 36 products of 16 bits for 144 of 8,
 * of which an instruction does half as many. The sums are those of the direct convolution, to the
 * bit (conv_quant_winograd_transform.h).
 *
 * Each of the 36 positions of a tile of 4x4 outputs is a matrix product of its own: rows are tiles,
 * the depth is in_c, columns are output channels.
 *
 * A packed panel: for each of its channels the words of rescale.h, then the transformed filter:
 * position after position, in each for every two depths a pair of 16 bits of each channel.
 */
#define IN_IS_SIGNED ((HY_T)-1 < 0)

/* Rows that one call multiplies: what a strip has less is computed for nothing. */
#define ROWS_AT_LEAST (HY_TILE_ROWS / 2)

/* Input channels of a vector of 16 bits: they come in multiples of it. */
#define CHANNELS (2 * HY_LANES)

/* For which the magnitudes of all weights of a channel have a sum of 32 bits. */
#define MOST_CHANNELS (INT32_MAX / (9 * UINT8_MAX))

int HY_SIMD_FN(winograd_suits)(const struct hy_conv_params *p)
{
    return winograd_takes(p) && p->in_c > 0 && p->in_c % CHANNELS == 0 && p->in_c <= MOST_CHANNELS;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* The largest magnitude of a sum of this channel, whatever the inputs are. */
static int64_t largest_sum(const struct hy_conv_params *p, const HY_FILTER_T *filter)
{
    const int64_t low = (IN_IS_SIGNED ? INT8_MIN : 0) - (int64_t)p->in_zero_point;
    const int64_t high = low + UINT8_MAX;
    const size_t count = conv_depth(p);
    int32_t above = 0, below = 0;

    for (size_t k = 0; k < count; k++) {
        const int32_t weight = filter[k] - p->filter_zero_point;
        above += weight > 0 ? weight : 0;
        below -= weight > 0 ? 0 : weight;
    }
    const int64_t most = above * high - below * low, least = above * low - below * high;
    return most > -least ? most : -least;
}

int HY_SIMD_FN(winograd_holds)(const struct hy_conv_params *p, const void *filter)
{
    const HY_FILTER_T *values = filter;

    if (conv_depth(p) * UINT8_MAX * UINT8_MAX < WINOGRAD_LIMIT)
        return true;
    for (size_t c = 0; c < p->out_c; c++)
        if (largest_sum(p, values + c * conv_depth(p)) >= WINOGRAD_LIMIT)
            return false;
    return true;
}

/* The words of a channel. */
static size_t steps_of(const struct hy_conv_params *p)
{
    return p->in_c / 2;
}

static size_t channel_words(const struct hy_conv_params *p)
{
    return HEADER_WORDS + WINOGRAD_POSITIONS * steps_of(p);
}

size_t HY_SIMD_FN(winograd_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * channel_words(p) * sizeof(int32_t);
}

static void pack_header(const struct hy_conv_params *p, const HY_FILTER_T *filter,
                        const int32_t *bias, size_t channel, size_t width,
                        struct rescale_packer *packer, int32_t *to)
{
    struct rescale_channels channels[HY_PANEL_VECTORS] = {0};

    for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
        struct rescale_channels *c = &channels[i / HY_LANES];
        c->start[i % HY_LANES] = bias[channel + i];
        c->multipliers[i % HY_LANES] = p->multipliers[channel + i];
        c->reach[i % HY_LANES] = (double)largest_sum(p, filter + (channel + i) * conv_depth(p));
    }
    rescale_pack(packer, channels, width / HY_LANES, to);
}

/* FILTER_RUN depths of a channel, from depth k on. */
static void transform_run(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t k,
                          int16_t u[WINOGRAD_POSITIONS][FILTER_RUN])
{
    int16_t g[9][FILTER_RUN];

    for (size_t tap = 0; tap < 9; tap++)
        for (size_t i = 0; i < FILTER_RUN; i++)
            g[tap][i] = (int16_t)(filter[tap * p->in_c + k + i] - p->filter_zero_point);
    transform_filter(g, u);
}

/* The same of a vector of channels, of which `count` exist, to the words of its lanes. */
static void pack_run(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t count,
                     size_t k, size_t width, int32_t *lanes)
{
    int16_t u[HY_LANES][WINOGRAD_POSITIONS][FILTER_RUN];

    for (size_t lane = 0; lane < count; lane++)
        transform_run(p, filter + lane * conv_depth(p), k, u[lane]);
    memset(u + count, 0, (HY_LANES - count) * sizeof *u);
    for (size_t position = 0; position < WINOGRAD_POSITIONS; position++)
        for (size_t i = 0; i < FILTER_RUN; i += 2) {
            int32_t *to = lanes + (position * steps_of(p) + (k + i) / 2) * width;
            for (size_t lane = 0; lane < HY_LANES; lane++)
                memcpy(to + lane, &u[lane][position][i], sizeof *to);
        }
}

static void pack_vector(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t channel,
                        size_t width, int32_t *lanes)
{
    const size_t left = p->out_c - channel, count = left < HY_LANES ? left : HY_LANES;

    for (size_t k = 0; k < p->in_c; k += FILTER_RUN)
        pack_run(p, filter + channel * conv_depth(p), count, k, width, lanes);
}

void HY_SIMD_FN(winograd_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                               void *packed)
{
    struct rescale_packer packer =
        rescale_packer_of((struct rescale_layer){false, IN_IS_SIGNED, p->out_zero_point});

    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t width = panel_width(p, c);
        int32_t *panel = (int32_t *)packed + c * channel_words(p);
        pack_header(p, filter, bias, c, width, &packer, panel);
        for (size_t lane = 0; lane < width; lane += HY_LANES)
            pack_vector(p, filter, c + lane, width, panel + HEADER_WORDS * width + lane);
    }
}

/* ---- Scratch --------------------------------------------------------------------------------- */

/* Tiles that follow each other, worked on together, and where what is known of them lies. Positions
 * are a line apart from whole pages, which would be the same few sets of a cache. */
struct strip {
    struct place first;
    size_t tiles, rows; /* with those that are computed for nothing */
    int16_t *inputs;    /* [position][tile][in_c], transformed */
    int32_t *sums;      /* [position][tile][panel] */
    HY_T *patch;        /* 6x6 inputs */
    size_t inputs_step, sums_step;
};

#define INPUTS_GAP 32
#define SUMS_GAP   16

size_t HY_SIMD_FN(winograd_units)(const struct hy_conv_params *p)
{
    return winograd_unit_count(p);
}

static size_t groups_at_once(const struct hy_conv_params *p)
{
    return groups_of_strip(p, WINOGRAD_POSITIONS *
                                  (p->in_c * sizeof(int16_t) + HY_PANEL * sizeof(int32_t)));
}

/* The sizes of the longest strip. */
static struct strip strip_of(const struct hy_conv_params *p)
{
    const size_t tiles = groups_at_once(p) * HY_TILE_ROWS;

    return (struct strip){.inputs_step = tiles * p->in_c + INPUTS_GAP,
                          .sums_step = tiles * HY_PANEL + SUMS_GAP};
}

static void place_strip(struct strip *s, void *scratch)
{
    s->sums = scratch;
    s->inputs = (int16_t *)(s->sums + WINOGRAD_POSITIONS * s->sums_step);
    s->patch = (HY_T *)(s->inputs + WINOGRAD_POSITIONS * s->inputs_step);
}

size_t HY_SIMD_FN(winograd_scratch_bytes)(const struct hy_conv_params *p)
{
    const struct strip s = strip_of(p);

    return WINOGRAD_POSITIONS *
           (s.sums_step * sizeof *s.sums + s.inputs_step * sizeof *s.inputs + p->in_c);
}

/* ---- The three steps ------------------------------------------------------------------------- */

static bool is_inside(const struct hy_conv_params *p, const struct place *at)
{
    return at->y >= p->pad_top && at->x >= p->pad_left &&
           (uint64_t)at->y + WINOGRAD_IN <= (uint64_t)p->in_h + p->pad_top &&
           (uint64_t)at->x + WINOGRAD_IN <= (uint64_t)p->in_w + p->pad_left;
}

/* Patches are inputs as they are. */
typedef HY_T source_type;
typedef HY_T patch_type;

struct patch_source {
    HY_T zero;
};

static inline void copy_run(const struct patch_source *source, size_t count, const HY_T *from,
                            HY_T *to)
{
    (void)source;
    memcpy(to, from, count);
}

static inline void fill_run(const struct patch_source *source, size_t count, HY_T *to)
{
    memset(to, source->zero, count);
}

#include "cpu_fallback/kernels/fast/conv/conv_gather.h"

/* Tiles inside the image are read where they are, others are gathered, with real zeros for the
 * padding: to all that places patches a tile is the patch of a filter of 6x6. */
static void transform_strip(const struct hy_conv_params *p, const struct strip *s, const HY_T *in)
{
    const vi zero_point = vs_set1(p->in_zero_point);
    const struct patch_source source = {(HY_T)p->in_zero_point};
    struct hy_conv_params window = *p;
    struct place at = s->first;

    window.filter_h = window.filter_w = WINOGRAD_IN;
    for (size_t tile = 0; tile < s->tiles; tile++, go_on(p, &at)) {
        const HY_T *image = in + at.image * p->in_h * p->in_w * p->in_c, *from = s->patch;
        int16_t *to = s->inputs + tile * p->in_c;
        size_t line = (size_t)WINOGRAD_IN * p->in_c;
        if (is_inside(p, &at)) {
            from = image + hy_conv_tap_pixel(p, at.y, at.x, 0, 0) * p->in_c;
            line = (size_t)p->in_w * p->in_c;
        } else {
            gather_patch(&window, &source, image, at.y, at.x, line, s->patch);
        }
        for (size_t c = 0; c < p->in_c; c += CHANNELS)
            transform_inputs(from + c, IN_IS_SIGNED, line, p->in_c, zero_point, to + c,
                             s->inputs_step);
    }
}

/* Some rows of one position, by a panel. */
struct product {
    const int16_t *inputs;
    size_t depth; /* of a row */
    const int32_t *weights;
    int32_t *sums;
};

HY_ALWAYS_INLINE void multiply_rows(const struct product *x, int rows, int vectors)
{
    const int32_t *weights = x->weights;
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS];

    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_set1(0);
    }
    for (size_t k = 0; k < x->depth; k += 2, weights += vectors * HY_LANES) {
        vi w[HY_PANEL_VECTORS];
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            w[v] = vi_load(weights + v * HY_LANES);
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, x->inputs + (size_t)r * x->depth + k, sizeof pair);
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                sums[r][v] = vs_dot(sums[r][v], vi_set1(pair), w[v]);
        }
    }
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            vi_store(x->sums + (r * vectors + v) * HY_LANES, sums[r][v]);
    }
}

static __attribute__((noinline)) void multiply_wide(const struct product *x, size_t rows)
{
    if (rows == HY_TILE_ROWS)
        multiply_rows(x, HY_TILE_ROWS, 2);
    else
        multiply_rows(x, ROWS_AT_LEAST, 2);
}

static __attribute__((noinline)) void multiply_narrow(const struct product *x, size_t rows)
{
    if (rows == HY_TILE_ROWS)
        multiply_rows(x, HY_TILE_ROWS, 1);
    else
        multiply_rows(x, ROWS_AT_LEAST, 1);
}

/* The products of all positions with a panel of `width` columns, whose words follow its header. */
static void multiply_strip(const struct hy_conv_params *p, const struct strip *s,
                           const int32_t *words, size_t width)
{
    for (size_t i = 0; i < WINOGRAD_POSITIONS; i++) {
        struct product x = {.inputs = s->inputs + i * s->inputs_step,
                            .depth = p->in_c,
                            .weights = words + i * steps_of(p) * width,
                            .sums = s->sums + i * s->sums_step};
        for (size_t left = s->rows, rows; left > 0; left -= rows) {
            rows = left < HY_TILE_ROWS ? ROWS_AT_LEAST : HY_TILE_ROWS;
            if (width == HY_PANEL)
                multiply_wide(&x, rows);
            else
                multiply_narrow(&x, rows);
            x.inputs += rows * p->in_c;
            x.sums += rows * width;
        }
    }
}

/* The outputs of a tile in a vector of channels. */
struct target {
    HY_T *out;
    size_t line, pixel, channels; /* from line to line, from pixel to pixel */
    size_t lines, pixels;         /* that exist */
    const struct rescale *to_bytes;
    struct rescale_headers headers;
    bool has_offsets; /* see rescale.h */
};

HY_ALWAYS_INLINE void finish_tile(const int32_t *sums, size_t position, const struct target *t)
{
    const vi start = vi_load(t->headers.of[0]);
    const struct rescale_numbers numbers = rescale_numbers_of(t->to_bytes, &t->headers);
    vi y[WINOGRAD_OUT][WINOGRAD_OUT];

    transform_sums(sums, position, y);
    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_OUT; i++) {
        if (i >= t->lines)
            return;
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            y[i][j] = vi_add(y[i][j], start);
        const vi bytes = t->has_offsets ? rescale(&numbers, t->to_bytes, &t->headers, y[i],
                                                  RESCALE_ONE_OFFSET, IN_IS_SIGNED)
                                        : rescale(&numbers, t->to_bytes, &t->headers, y[i],
                                                  RESCALE_EXACTLY, IN_IS_SIGNED);
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            if (j < t->pixels)
                vb_store_part_of(t->out + i * t->line + j * t->pixel, bytes, 1, (int)j,
                                 t->channels);
    }
}

/* All tiles of a strip, in a vector of channels: from `out` on, in sums that lie `width` apart. */
static void finish_vector(const struct hy_conv_params *p, const struct strip *s, struct target *t,
                          const int32_t *sums, size_t width, HY_T *out)
{
    struct place at = s->first;

    for (size_t i = 0; i < s->tiles; i++, go_on(p, &at)) {
        t->out = out + ((at.image * p->out_h + at.y) * p->out_w + at.x) * p->out_c;
        t->lines = outputs_from(at.y, p->out_h);
        t->pixels = outputs_from(at.x, p->out_w);
        finish_tile(sums + i * width, s->sums_step, t);
    }
}

/* In all channels of a panel, which begins with its header. */
static void finish_strip(const struct hy_conv_params *p, const struct strip *s,
                         const struct rescale *to_bytes, const int32_t *panel, size_t channel,
                         HY_T *out)
{
    const size_t width = panel_width(p, channel);

    for (size_t v = 0; v < width / HY_LANES; v++, channel += HY_LANES) {
        const size_t left = p->out_c - channel;
        const int32_t *header = panel + v * HY_LANES;
        struct target t = {.line = (size_t)p->out_w * p->out_c,
                           .pixel = p->out_c,
                           .channels = left < HY_LANES ? left : HY_LANES,
                           .to_bytes = to_bytes,
                           .headers = {.of = {header, header, header, header}, .step = width},
                           .has_offsets = rescale_has_offsets(panel, width)};
        finish_vector(p, s, &t, s->sums + v * HY_LANES, width, out + channel);
    }
}

static void run(const struct hy_conv_params *p, const HY_T *in, const int32_t *weights, HY_T *out,
                void *scratch, const struct share *share)
{
    const struct rescale to_bytes =
        rescale_of(false, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    const size_t at_once = groups_at_once(p);
    struct strip s = strip_of(p);

    place_strip(&s, scratch);
    for (size_t group = share->group, groups; group < share->group_end; group += groups) {
        groups = share->group_end - group < at_once ? share->group_end - group : at_once;
        s.first = place_of(p, group * HY_TILE_ROWS);
        s.tiles = tiles_in(p, group, groups);
        s.rows = (s.tiles + ROWS_AT_LEAST - 1) / ROWS_AT_LEAST * ROWS_AT_LEAST;
        transform_strip(p, &s, in);

        for (size_t c = share->channel; c < share->channel_end; c += HY_PANEL) {
            const int32_t *panel = weights + c * channel_words(p);
            const size_t width = panel_width(p, c);
            multiply_strip(p, &s, panel + HEADER_WORDS * width, width);
            finish_strip(p, &s, &to_bytes, panel, c, out);
        }
    }
}

void HY_SIMD_FN(winograd)(const struct hy_conv_params *p, const void *in, const void *weights,
                          const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct share share = share_of(p, first, end);
    const unsigned before = vi_begin_floor();

    (void)bias;
    run(p, in, weights, out, scratch, &share);
    vi_end_floor(before);
}
