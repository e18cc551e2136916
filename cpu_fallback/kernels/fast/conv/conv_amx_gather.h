/*
 * The memory layout of the input rows of tiles: a template, included by conv_amx.c after
 * conv_gather.h.
 *
 * The rows of a tile have one constant distance, because a tile load takes no address per row.
 * Output pixels of one line have inputs at a constant distance, if whole lines are stored. If the
 * taps of the filter have a constant distance too, each tap is the same tile at another offset.
 * Inputs are therefore read in the input tensor if no tap reaches into padding. Otherwise the lines
 * under a few output lines are copied once, with zero points as padding: a strip. If neither layout
 * works, each pixel gets a patch of its own, one after the other.
 */
enum input_layout {
    CONTIGUOUS, /* in the input, where every pixel is a patch */
    INSIDE,     /* in the input: no tap is outside */
    TILE_GROUPS,
    PATCHES
};

/* Largest size of a copy, unless a pair of tiles is larger: an eighth of the second-level cache of
 * any processor with tiles. */
#define TILE_GROUP_BYTES ((size_t)262144)

static inline size_t tiles_of(size_t pixels)
{
    return (pixels + TILE_ROWS - 1) / TILE_ROWS;
}

/* Whether tiles of single output lines would leave more than a quarter of their rows unused. */
static inline bool is_narrow(size_t width)
{
    return width * 4 < tiles_of(width) * TILE_ROWS * 3;
}

/* The layout of the tiles of a layer. */
struct walk {
    enum input_layout input_layout;
    size_t lines, width;         /* lines of output pixels; a tile lies within a line */
    size_t rows;                 /* rows of a tile */
    size_t line_tiles, tiles;    /* tiles of a line, tiles of all lines */
    size_t filter_rows, columns; /* addresses of a patch: lines, and taps in a line */
    size_t depth, tile_depth;    /* bytes at an address, and bytes of a tile's row */
    size_t depth_tiles;
    size_t line_size, patch_size; /* bytes of a filter line in a patch, bytes of a patch */
    size_t tile_group_lines;      /* output lines of a strip; 0: a whole line is too long */
    size_t tile_group_tiles;      /* tiles of a strip within a line, if tile_group_lines is 0; or of
                                     patches */
};

/* Columns from the first tap of a line of the filter to the last. */
static inline size_t reach_w(const struct hy_conv_params *p)
{
    return (size_t)(p->filter_w - 1) * p->dilation_w + 1;
}

/* Whether all taps of all pixels are inside the image. */
static inline bool is_inside(const struct hy_conv_params *p)
{
    const uint64_t bottom =
        (uint64_t)(p->out_h - 1) * p->stride_h + (uint64_t)(p->filter_h - 1) * p->dilation_h;
    const uint64_t right = (uint64_t)(p->out_w - 1) * p->stride_w + reach_w(p);

    return p->out_h > 0 && p->out_w > 0 && p->pad_top == 0 && p->pad_left == 0 &&
           bottom < p->in_h && right <= p->in_w;
}

/* Whether taps can be read separately if neighbouring taps are not adjacent in memory. */
static inline bool has_whole_taps(const struct hy_conv_params *p)
{
    return p->in_c % tile_depth(conv_line_depth(p)) == 0;
}

static inline bool is_spread(const struct hy_conv_params *p)
{
    return p->dilation_w > 1 && p->filter_w > 1;
}

/* Limit of the copy of a pair of tiles, with all lines under the pair. */
#define MOST_TILE_GROUP_BYTES 4194304.0

/* Whether strips are useful; large strides would copy many unused inputs. */
static inline bool suits_tile_groups(const struct hy_conv_params *p)
{
    const double columns = (2.0 * TILE_ROWS - 1) * p->stride_w + (double)reach_w(p);

    return p->stride_w <= reach_w(p) && p->filter_h * columns * p->in_c <= MOST_TILE_GROUP_BYTES;
}

static enum input_layout input_layout_of(const struct hy_conv_params *p)
{
    if (patches_are_contiguous(p))
        return CONTIGUOUS;
    if (conv_lines(p) != p->filter_h || is_narrow(p->out_w) || (is_spread(p) && !has_whole_taps(p)))
        return PATCHES;
    if (is_inside(p))
        return INSIDE;
    return suits_tile_groups(p) ? TILE_GROUPS : PATCHES;
}

/* Distance, in lines of a strip, between the input lines of neighbouring output lines. Neighbours
 * share lines, or have separate lines. */
static inline bool lines_overlap(const struct hy_conv_params *p)
{
    return p->dilation_h == 1 && p->stride_h < p->filter_h;
}

static inline size_t lines_between(const struct hy_conv_params *p)
{
    return lines_overlap(p) ? p->stride_h : p->filter_h;
}

static inline size_t tile_group_height(const struct hy_conv_params *p, size_t lines)
{
    return (lines - 1) * lines_between(p) + p->filter_h;
}

/* Bytes of an input line under `pixels` neighbouring output pixels. */
static inline size_t tile_group_width(const struct hy_conv_params *p, size_t pixels)
{
    return ((pixels - 1) * p->stride_w + reach_w(p)) * p->in_c;
}

/* The largest number of output lines of a strip; 0 if a whole line is too long. */
static size_t tile_group_lines_of(const struct hy_conv_params *p)
{
    const size_t line = tile_group_width(p, p->out_w);
    const size_t fitting = line == 0 ? SIZE_MAX : TILE_GROUP_BYTES / line;

    return fitting < p->filter_h ? 0 : (fitting - p->filter_h) / lines_between(p) + 1;
}

/* The largest number of tiles of a strip within one line: an even number. */
static size_t tile_group_tiles_of(const struct hy_conv_params *p, size_t rows)
{
    const size_t columns = TILE_GROUP_BYTES / ((size_t)p->filter_h * p->in_c), reach = reach_w(p);
    const size_t pixels = columns < reach ? 0 : (columns - reach) / p->stride_w + 1;

    return pixels < 2 * rows ? 2 : pixels / rows / 2 * 2;
}

static struct walk walk_of(const struct hy_conv_params *p)
{
    const enum input_layout input_layout = input_layout_of(p);
    const bool is_one_line = input_layout == CONTIGUOUS || input_layout == PATCHES;
    const bool by_taps = is_spread(p) && input_layout != PATCHES;
    const size_t line_depth = conv_line_depth(p);
    struct walk w = {.input_layout = input_layout,
                     .lines = is_one_line ? 1 : (size_t)p->batch * p->out_h,
                     .width = is_one_line ? conv_pixels(p) : p->out_w,
                     .filter_rows = conv_lines(p),
                     .columns = by_taps ? p->filter_w : 1,
                     .depth = by_taps ? p->in_c : line_depth,
                     .tile_depth = tile_depth(line_depth)};
    const size_t tiles = tiles_of(w.width);

    /* Tiles are multiplied in pairs. */
    w.line_tiles = is_one_line && tiles > 1 ? (tiles + 1) / 2 * 2 : tiles;
    w.rows = tiles == 0 ? 1 : (w.width + w.line_tiles - 1) / w.line_tiles;
    w.line_tiles = (w.width + w.rows - 1) / w.rows;
    w.tiles = w.lines * w.line_tiles;
    w.depth_tiles = (w.depth + w.tile_depth - 1) / w.tile_depth;
    w.line_size = line_steps(line_depth) * HY_DOT_GROUP;
    w.patch_size = w.filter_rows * w.line_size;
    if (input_layout == TILE_GROUPS) {
        w.tile_group_lines = tile_group_lines_of(p);
        w.tile_group_tiles = w.tile_group_lines == 0 ? tile_group_tiles_of(p, w.rows) : 0;
    } else if (input_layout == PATCHES) {
        const size_t fitting = TILE_GROUP_BYTES / (w.rows * w.patch_size + 1);
        w.tile_group_tiles = fitting < 2 ? 2 : fitting / 2 * 2;
    }
    return w;
}

static inline size_t tile_group_bytes_of(double bytes)
{
    return bytes < (double)TILE_GROUP_BYTES ? (size_t)bytes : TILE_GROUP_BYTES;
}

/* Enough for images of fewer lines too: groups and bands run on parts of an image. */
static size_t scratch_bytes_of(const struct hy_conv_params *p)
{
    const size_t patch = line_steps(conv_line_depth(p)) * HY_DOT_GROUP * conv_lines(p);
    const size_t patches =
        2 * TILE_ROWS * patch + tile_group_bytes_of((double)conv_pixels(p) * (double)patch);

    if (!suits_tile_groups(p) || p->out_h == 0 || p->out_w == 0)
        return patches;
    const size_t pair = p->filter_h * tile_group_width(p, (size_t)2 * TILE_ROWS);
    const size_t slack = (size_t)TILE_ROWS * p->stride_w * p->in_c + TILE_ROW_BYTES;
    const size_t tile_groups = pair + slack +
                               tile_group_bytes_of((double)tile_group_height(p, p->out_h) *
                                                   (double)tile_group_width(p, p->out_w));
    return patches > tile_groups ? patches : tile_groups;
}

/* The addresses of the rows of a tile. `at` is the first row under the first tap. */
struct operand {
    const HY_T *at;
    size_t stride, row_step, column_step; /* distances of rows, tap lines and taps */
};

/* The output pixels of a tile. */
struct spot {
    size_t line, x, pixels;
};

static inline struct spot spot_of(const struct walk *w, size_t tile)
{
    struct spot s = {.line = tile / w->line_tiles};

    s.x = (tile - s.line * w->line_tiles) * w->rows;
    s.pixels = w->width - s.x < w->rows ? w->width - s.x : w->rows;
    return s;
}

/* The current copy. */
struct tile_group {
    size_t tile, count; /* first tile, and number of tiles */
    size_t line, x;     /* output line and column of the first tile */
    size_t width;       /* bytes of a line of the copy */
};

/* The state of placing the tiles of one call. */
struct gatherer {
    const struct hy_conv_params *p;
    struct patch_source source;
    const HY_T *in, *end;
    HY_T *scratch;
    struct tile_group tile_group;
};

/* Copies the patches under the pixels of a tile, one after the other. */
static void gather_patches(const struct gatherer *gatherer, const struct walk *w, size_t tile,
                           HY_T *to)
{
    const struct hy_conv_params *p = gatherer->p;
    const struct spot spot = spot_of(w, tile);
    const size_t step = w->filter_rows == 1 ? (size_t)p->filter_w * p->in_c : w->line_size;
    size_t pixel = spot.line * w->width + spot.x;

    for (size_t i = 0; i < spot.pixels; i++, pixel++, to += w->patch_size) {
        const size_t line = pixel / p->out_w;
        gather_patch(p, &gatherer->source, gatherer->in + hy_conv_image(p, line) * p->in_c,
                     (uint32_t)(line % p->out_h), (uint32_t)(pixel - line * p->out_w), step, to);
    }
}

static struct operand operand_of_patches(const struct walk *w, const HY_T *at)
{
    return (struct operand){at, w->patch_size, w->line_size, w->depth};
}

/* Copies the input lines of the `lines` output lines from strip.line on, and of `pixels` pixels
 * from strip.x on. */
static void copy_tile_group(struct gatherer *gatherer, size_t lines, size_t pixels)
{
    const struct hy_conv_params *p = gatherer->p;
    struct tile_group *tile_group = &gatherer->tile_group;
    const HY_T *image = gatherer->in + hy_conv_image(p, tile_group->line) * p->in_c;
    const uint32_t y = (uint32_t)(tile_group->line % p->out_h);
    const struct run run = run_at(p, (int64_t)(tile_group->x * p->stride_w) - p->pad_left,
                                  (pixels - 1) * p->stride_w + reach_w(p));
    HY_T *to = gatherer->scratch;

    tile_group->width = run.size;
    for (size_t i = 0; i < tile_group_height(p, lines); i++, to += run.size) {
        const size_t below = lines_overlap(p) ? 0 : i / p->filter_h;
        gather_run(&gatherer->source,
                   line_under(p, image, y + (uint32_t)below, (uint32_t)(i - below * p->filter_h)),
                   &run, to);
    }
}

/* Makes the strip with `tile`; the caller needs the tiles up to `end`. */
static void start_tile_group(const struct walk *w, size_t tile, size_t end,
                             struct gatherer *gatherer)
{
    const struct hy_conv_params *p = gatherer->p;
    const struct spot spot = spot_of(w, tile);
    struct tile_group tile_group = {.tile = tile, .line = spot.line, .x = spot.x};

    if (w->tile_group_lines == 0) {
        const size_t left = w->line_tiles - (tile - spot.line * w->line_tiles);
        tile_group.count = left < w->tile_group_tiles ? left : w->tile_group_tiles;
        tile_group.count = end - tile < tile_group.count ? end - tile : tile_group.count;
        const size_t rest = w->width - spot.x, pixels = tile_group.count * w->rows;
        gatherer->tile_group = tile_group;
        copy_tile_group(gatherer, 1, pixels < rest ? pixels : rest);
        return;
    }
    const size_t of_image = p->out_h - spot.line % p->out_h;
    size_t lines = (end - 1) / w->line_tiles + 1 - spot.line;
    lines = lines < w->tile_group_lines ? lines : w->tile_group_lines;
    lines = lines < of_image ? lines : of_image;
    tile_group.tile = spot.line * w->line_tiles;
    tile_group.count = lines * w->line_tiles;
    tile_group.x = 0;
    gatherer->tile_group = tile_group;
    copy_tile_group(gatherer, lines, p->out_w);
}

/* Makes the patches of the tiles from `tile` on. */
static void set_patches(const struct walk *w, size_t tile, size_t end, struct gatherer *gatherer)
{
    const size_t count = end - tile < w->tile_group_tiles ? end - tile : w->tile_group_tiles;

    gatherer->tile_group = (struct tile_group){.tile = tile, .count = count};
    for (size_t i = 0; i < count; i++)
        gather_patches(gatherer, w, tile + i, gatherer->scratch + i * w->rows * w->patch_size);
}

/* Places `tile` if necessary. Returns the end of the placed tiles, at most `end`. */
static size_t gather_tiles(const struct walk *w, size_t tile, size_t end, struct gatherer *gatherer)
{
    const struct tile_group *tile_group = &gatherer->tile_group;

    if (w->input_layout == CONTIGUOUS || w->input_layout == INSIDE)
        return end;
    if (tile < tile_group->tile || tile - tile_group->tile >= tile_group->count) {
        if (w->input_layout == TILE_GROUPS)
            start_tile_group(w, tile, end, gatherer);
        else
            set_patches(w, tile, end, gatherer);
    }
    const size_t ready = tile_group->tile + tile_group->count;
    return ready < end ? ready : end;
}

/* The operand of a tile in the input. A tile whose loads would reach behind the end of the input is
 * copied to slot `index` of a pair. */
static struct operand operand_inside(const struct gatherer *gatherer, const struct walk *w,
                                     size_t tile, size_t index)
{
    const struct hy_conv_params *p = gatherer->p;
    const struct spot spot = spot_of(w, tile);
    const size_t line = (size_t)p->in_w * p->in_c;
    struct operand a = {.stride = (size_t)p->stride_w * p->in_c,
                        .row_step = p->dilation_h * line,
                        .column_step = (size_t)p->dilation_w * p->in_c};

    a.at = gatherer->in + spot.x * a.stride;
    if (w->input_layout == INSIDE)
        a.at += hy_conv_image(p, spot.line) * p->in_c + spot.line % p->out_h * p->stride_h * line;
    const size_t bytes = (w->rows - 1) * a.stride + (w->filter_rows - 1) * a.row_step +
                         (w->columns - 1) * a.column_step + w->depth_tiles * w->tile_depth;
    if (bytes <= (size_t)(gatherer->end - a.at))
        return a;
    HY_T *copy = gatherer->scratch + index * w->rows * w->patch_size;
    gather_patches(gatherer, w, tile, copy);
    return operand_of_patches(w, copy);
}

/* The operand of a placed tile, number `index` of a pair. */
static struct operand operand_of(const struct gatherer *gatherer, const struct walk *w, size_t tile,
                                 size_t index)
{
    const struct hy_conv_params *p = gatherer->p;
    const struct tile_group *tile_group = &gatherer->tile_group;

    if (w->input_layout == CONTIGUOUS || w->input_layout == INSIDE)
        return operand_inside(gatherer, w, tile, index);
    if (w->input_layout == PATCHES)
        return operand_of_patches(w, gatherer->scratch +
                                         (tile - tile_group->tile) * w->rows * w->patch_size);
    const struct spot spot = spot_of(w, tile);
    const size_t stride = (size_t)p->stride_w * p->in_c;
    return (struct operand){.at = gatherer->scratch +
                                  (spot.line - tile_group->line) * lines_between(p) *
                                      tile_group->width +
                                  (spot.x - tile_group->x) * stride,
                            .stride = stride,
                            .row_step = tile_group->width,
                            .column_step = (size_t)p->dilation_w * p->in_c};
}
