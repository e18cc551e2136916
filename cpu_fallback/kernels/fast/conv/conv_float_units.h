/*
 * The work units of a float convolution: a template. Each float convolution includes the template
 * once, after conv_float_panel.h and after defining
 *   HEADER_FLOATS    number of floats per channel before the weights of a panel
 * The member `start` of a tile points to the first header float.
 */

/* Bytes of a packed channel. */
static inline size_t channel_bytes(size_t depth)
{
    return HEADER_FLOATS * sizeof(float) + depth * sizeof(panel_weight);
}

/* Sets the panel that starts at channel `c`, and its outputs of `pixel`. */
static inline void select_panel(const struct hy_conv_params *p, const void *weights, size_t c,
                                float *pixel, struct tile *t)
{
    t->start = (const float *)((const char *)weights + c * channel_bytes(conv_depth(p)));
    t->panel = (const panel_weight *)(t->start + HEADER_FLOATS * panel_width(p, c));
    t->out = pixel + c;
    t->columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
}

/* A single row, as in small networks, needs no placing and no walk through units. */
static __attribute__((noinline)) void run_row(const struct hy_conv_params *p, const float *in,
                                              const void *weights, float *out,
                                              struct hy_window channels)
{
    struct tile t = {.patches = {.lines = 1, .run = conv_depth(p), .from = in},
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (size_t c = channels.begin; c < channels.end; c += HY_PANEL) {
        select_panel(p, weights, c, out, &t);
        if (t.columns > HY_LANES)
            multiply_row(&t, 2);
        else
            multiply_row(&t, 1);
    }
}

/* Each tile of a block prefetches an equal part of the weights of the next block, so the weights
 * come from memory during computation. Otherwise the first tile of the next block waits for all
 * weights: layers of 7x7 pixels take 6 % longer. */
static void prefetch_next_block(const struct hy_conv_params *p, const void *weights,
                                const struct conv_unit *u, struct tile *t)
{
    const size_t depth = conv_depth(p), left = p->out_c - u->channel_end;
    const size_t depths = (u->channel_end - u->channel) / HY_PANEL * depth;

    t->next = weights;
    t->next_step = 0;
    if (left == 0 || depths == 0) /* before any division: slow in small convolutions */
        return;
    const size_t tiles = conv_tiles(p);
    if (tiles < 2)
        return;
    const size_t bytes = (left < p->block ? left : p->block) * channel_bytes(depth);
    const size_t slice = bytes / tiles;
    t->next = (const char *)weights + u->channel_end * channel_bytes(depth) + u->tile * slice;
    t->next_step = slice / depths + 1;
}

static __attribute__((noinline)) void run_units(const struct hy_conv_params *p, const float *in,
                                                const void *weights, float *out, float *scratch,
                                                size_t first, size_t end)
{
    const size_t depth = conv_depth(p);
    struct patch_row rows[HY_TILE_ROWS];
    size_t gathered = SIZE_MAX;
    struct conv_unit u = {0};
    struct pixel_position at = {0};
    struct tile t = {.patches = patches_of(p),
                     .out_step = conv_out_step(p),
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (size_t unit = first; unit < end; unit++) {
        u = unit == first ? conv_unit_at(p, unit) : conv_unit_after(p, u, unit);
        if (t.patches.contiguous) {
            t.patches.from = in + u.pixel * t.patches.row_step;
        } else if (u.tile != gathered) {
            at = u.tile > 0 && u.tile == gathered + 1 ? position_after(p, at, HY_TILE_ROWS)
                                                      : position_at(p, in, u.pixel);
            gather_patches(p, at, u.rows, scratch, rows, &t.patches);
            gathered = u.tile;
        }
        prefetch_next_block(p, weights, &u, &t);

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            select_panel(p, weights, c, out + u.pixel * t.out_step, &t);
            multiply_panel(t, u.rows);
            t.next += depth * t.next_step;
        }
    }
}

/* Computes the units [first, end). */
static inline void run_conv(const struct hy_conv_params *p, const void *in, const void *weights,
                            void *out, void *scratch, size_t first, size_t end)
{
    if (is_single_row(p))
        run_row(p, in, weights, out, row_channels(p, first, end));
    else
        run_units(p, in, weights, out, scratch, first, end);
}
