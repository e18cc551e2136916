#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_INTERLEAVED_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_FLOAT_INTERLEAVED_H

/*
 * A product of a single row, interleaved with tiles of another product. The row waits for its
 * weights, and the tiles wait for multiplications, so a processor computes both at once. The order
 * of each sum is the same as without interleaving. Included by conv_float.c after
 * conv_float_panel.h, for sets with enough registers for the sums of both.
 */

static_assert(HY_TILE_ROWS == HY_INTERLEAVED_ROWS, "callers choose rows by it");

/* Sets of sums of a panel, in registers. */
typedef vf panel_sums[MOST_PHASES][HY_TILE_ROWS][HY_PANEL_VECTORS];

/* The progress of a product through its panels, and through the depths of each panel. */
struct walk {
    const float *weights; /* of all panels */
    float *out;           /* at column 0 */
    size_t panel, end;    /* the current panel, and the last panel plus 1 */
    size_t first, step;   /* panels lie in runs: the first at column `first`, the next runs each
                             `step` further */
    size_t run;
    size_t depth, k;  /* depths of a panel; the current depth */
    struct tile tile; /* the current panel */
    const struct hy_activation *activation;
};

static struct walk walk_of(const struct hy_conv_params *p, const float *in, const float *weights,
                           float *out)
{
    const size_t depth = conv_depth(p);

    return (struct walk){.weights = weights,
                         .out = out,
                         .end = p->out_c / HY_PANEL,
                         .run = p->out_c / HY_PANEL,
                         .depth = depth,
                         .tile = {.patches = {.from = in, .row_step = depth},
                                  .out_step = p->out_c,
                                  .columns = HY_PANEL},
                         .activation = &p->activation};
}

static struct walk walk_of_partition(const struct hy_conv_partition *partition)
{
    const struct hy_conv_params *p = partition->params;
    struct walk walk =
        walk_of(p, (const float *)partition->in + partition->row * conv_depth(p),
                partition->weights, (float *)partition->out + partition->row * p->out_c);
    size_t panels = walk.end;

    if (partition->width > 0) {
        walk.first = partition->first;
        walk.step = partition->step;
        walk.run = partition->width / HY_PANEL;
        panels = p->out_c / partition->step * walk.run;
    }
    walk.panel = panels * partition->part / partition->parts;
    walk.end = panels * (partition->part + 1) / partition->parts;
    return walk;
}

HY_ALWAYS_INLINE bool is_over(const struct walk *walk)
{
    return walk->panel >= walk->end;
}

/* Starts the next panel. Behind the end the last panel starts again, and its sums are ignored. */
HY_ALWAYS_INLINE void enter_panel(struct walk *walk, int rows, int phases, panel_sums sums)
{
    struct tile *t = &walk->tile;

    if (!is_over(walk)) {
        const size_t column =
            walk->first + walk->panel / walk->run * walk->step + walk->panel % walk->run * HY_PANEL;
        t->start = walk->weights + column * (1 + walk->depth);
        t->panel = t->start + HY_PANEL;
        t->out = walk->out + column;
    }
    start_sums(t, rows, HY_PANEL_VECTORS, phases, sums);
    walk->k = 0;
}

HY_ALWAYS_INLINE void leave_panel(struct walk *walk, int rows, int phases, panel_sums sums)
{
    /* Set late, because no register is free earlier. */
    walk->tile.min = vf_set1(walk->activation->min);
    walk->tile.max = vf_set1(walk->activation->max);
    finish_phases(&walk->tile, rows, HY_PANEL_VECTORS, phases, sums);
    walk->panel++;
    enter_panel(walk, rows, phases, sums);
}

/* The start of each row of a tile. */
HY_ALWAYS_INLINE void find_rows(const struct walk *walk, int rows, const float *at[HY_TILE_ROWS])
{
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        at[r] = walk->tile.patches.from + (size_t)r * walk->tile.patches.row_step;
}

/* Depths of the row per depth of the tile. */
#define ROW_DEPTHS (2 * MOST_PHASES)

/* Adds `rounds` depths of the tile, and ROW_DEPTHS depths of the row per tile depth. */
HY_ALWAYS_INLINE void walk_both(struct walk *row, panel_sums row_sums, struct walk *tile,
                                panel_sums tile_sums, size_t rounds)
{
    const float *in = row->tile.patches.from + row->k, *at[HY_TILE_ROWS];
    const float *weights = row->tile.panel + row->k * HY_PANEL;
    const float *tile_weights = tile->tile.panel + tile->k * HY_PANEL;
    const size_t end = tile->k + rounds;

    find_rows(tile, HY_TILE_ROWS, at);
    row->k += rounds * ROW_DEPTHS;
    for (size_t k = tile->k; k < end; k++, in += ROW_DEPTHS, tile_weights += HY_PANEL) {
        HY_UNROLL(16)
        for (int d = 0; d < ROW_DEPTHS; d++, weights += HY_PANEL)
            add_depth(&in, (size_t)d, weights, weights, 1, HY_PANEL_VECTORS, false,
                      row_sums[d % MOST_PHASES]);
        add_depth(at, k, tile_weights, tile_weights, HY_TILE_ROWS, HY_PANEL_VECTORS, false,
                  tile_sums[0]);
    }
    tile->k = end;
}

/* Completes the current panel of `walk`. */
HY_ALWAYS_INLINE void walk_on(struct walk *walk, int rows, int phases, panel_sums sums)
{
    const float *at[HY_TILE_ROWS], *panel = walk->tile.panel;
    size_t k = walk->k;

    find_rows(walk, rows, at);
    for (; k + (size_t)phases <= walk->depth; k += (size_t)phases) {
        HY_UNROLL(16)
        for (int s = 0; s < phases; s++)
            add_depth(at, k + (size_t)s, panel + (k + (size_t)s) * HY_PANEL, panel, rows,
                      HY_PANEL_VECTORS, false, sums[s]);
    }
    for (; phases > 1 && k < walk->depth; k++)
        add_depth(at, k, panel + k * HY_PANEL, panel, rows, HY_PANEL_VECTORS, false, sums[0]);
    leave_panel(walk, rows, phases, sums);
}

void HY_SIMD_FN(conv_interleaved)(const struct hy_conv_params *p, const void *in,
                                  const void *weights, void *out,
                                  const struct hy_conv_partition *partition)
{
    struct walk row = walk_of(p, in, weights, out);
    struct walk tile = partition->parts > 0 ? walk_of_partition(partition) : (struct walk){0};
    panel_sums row_sums, tile_sums;

    if (is_over(&tile)) {
        run_row(p, in, weights, out, (struct hy_window){0, p->out_c});
        return;
    }
    enter_panel(&row, 1, MOST_PHASES, row_sums);
    enter_panel(&tile, HY_TILE_ROWS, 1, tile_sums);
    while (!is_over(&row) && !is_over(&tile)) {
        const size_t rounds = (row.depth - row.k) / ROW_DEPTHS, left = tile.depth - tile.k;

        walk_both(&row, row_sums, &tile, tile_sums, rounds < left ? rounds : left);
        if (tile.k == tile.depth)
            leave_panel(&tile, HY_TILE_ROWS, 1, tile_sums);
        if (row.depth - row.k < ROW_DEPTHS)
            walk_on(&row, 1, MOST_PHASES, row_sums);
    }
    while (!is_over(&row))
        walk_on(&row, 1, MOST_PHASES, row_sums);
    while (!is_over(&tile))
        walk_on(&tile, HY_TILE_ROWS, 1, tile_sums);
}

#endif
