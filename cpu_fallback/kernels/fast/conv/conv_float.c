#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_float_pack.h"
#include "cpu_fallback/kernels/fast/conv/conv_float_tile.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED in float32; also DEPTHWISE_CONV_2D of one input channel, which is the
 * same product with its filter stored the other way round.
 */

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (1 + conv_depth(p)) * sizeof(float);
}

static void pack(const struct hy_conv_params *p, const struct filter *f, const float *bias,
                 float *to)
{
    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL)
        to = pack_panel(p, f, bias, channel, panel_width(p, channel), to);
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);
    pack(p, &f, bias, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const struct filter f = plain_filter(p, filter, 1, p->out_c);
    pack(p, &f, bias, packed);
}

void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *filter,
                                  const void *bias, void *packed)
{
    pack(p, filter, bias, packed);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return patches_are_contiguous(p) ? 0 : HY_TILE_ROWS * conv_depth(p) * sizeof(float);
}

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        const size_t left = t->columns - (size_t)v * HY_LANES;
        const vf result = vf_clamp(sums[v], t->min, t->max);
        if (left >= HY_LANES) /* what was stored in part is late for the next operation */
            vf_store(out + v * HY_LANES, result);
        else
            vf_store_part(out + v * HY_LANES, result, left);
    }
}

#include "cpu_fallback/kernels/fast/conv/conv_float_panel.h"

/* A single row has nothing to be placed or gone through: small networks are made of such. */
static __attribute__((noinline)) void run_row(const struct hy_conv_params *p, const float *in,
                                              const float *weights, float *out,
                                              struct hy_window channels)
{
    const size_t depth = conv_depth(p);
    struct tile t = {.patches = {.lines = 1, .run = depth, .from = in},
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (size_t c = channels.begin; c < channels.end; c += HY_PANEL) {
        t.start = weights + c * (1 + depth);
        t.panel = t.start + panel_width(p, c);
        t.out = out + c;
        t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
        if (t.columns > HY_LANES)
            multiply_row(&t, 2);
        else
            multiply_row(&t, 1);
    }
}

#if defined(HY_ROWS_BESIDE)
#include "cpu_fallback/kernels/fast/conv/conv_float_beside.h"
#endif

#include "cpu_fallback/kernels/fast/conv/conv_float_lstm.h"

/* Each tile of a block fetches an equal share of the weights of the next block, so that they come
 * from memory while there is something to compute. Else the first tile of the next block waits for
 * all of them: layers of 7x7 pixels take 6 % longer. */
static void share_next_block(const struct hy_conv_params *p, const float *weights,
                             const struct conv_unit *u, struct tile *t)
{
    const size_t depth = conv_depth(p), left = p->out_c - u->channel_end;
    const size_t depths = (u->channel_end - u->channel) / HY_PANEL * depth;

    t->next = (const char *)weights;
    t->next_step = 0;
    if (left == 0 || depths == 0) /* before any division, which small convolutions would feel */
        return;
    const size_t tiles = conv_tiles(p);
    if (tiles < 2)
        return;
    const size_t bytes = (left < p->block ? left : p->block) * (1 + depth) * sizeof *weights;
    const size_t share = bytes / tiles;
    t->next = (const char *)(weights + u->channel_end * (1 + depth)) + u->tile * share;
    t->next_step = share / depths + 1;
}

static __attribute__((noinline)) void run_units(const struct hy_conv_params *p, const float *in,
                                                const float *weights, float *out, float *scratch,
                                                size_t first, size_t end)
{
    const size_t depth = conv_depth(p);
    struct patch_row rows[HY_TILE_ROWS];
    size_t placed = SIZE_MAX;
    struct conv_unit u = {0};
    struct pixel_place at = {0};
    struct tile t = {.patches = patches_of(p),
                     .out_step = conv_out_step(p),
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (size_t unit = first; unit < end; unit++) {
        u = unit == first ? conv_unit_at(p, unit) : conv_unit_after(p, u, unit);
        if (t.patches.contiguous) {
            t.patches.from = in + u.pixel * t.patches.row_step;
        } else if (u.tile != placed) {
            at = u.tile > 0 && u.tile == placed + 1 ? place_after(p, at, HY_TILE_ROWS)
                                                    : place_at(p, in, u.pixel);
            place_patches(p, at, u.rows, scratch, rows, &t.patches);
            placed = u.tile;
        }
        share_next_block(p, weights, &u, &t);

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.start = weights + c * (1 + depth);
            t.panel = t.start + panel_width(p, c);
            t.out = out + u.pixel * t.out_step + c;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            multiply_panel(t, u.rows);
            t.next += depth * t.next_step;
        }
    }
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    if (is_single_row(p))
        run_row(p, in, weights, out, row_channels(p, first, end));
    else
        run_units(p, in, weights, out, scratch, first, end);
}
