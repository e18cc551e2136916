/*
 * The rows of a strip. A strip is a few successive tiles that are multiplied by the same panel of
 * weights while the first-level cache holds the panel. Included by conv_quant.c after
 * conv_gather.h.
 *
 * Rows are read line by line (conv_quant.h). If filters are not dilated and not narrower than their
 * stride, neighbouring pixels of an output line share inputs: the inputs are copied once, with zero
 * points as padding, and each row starts a few inputs after the previous row. Otherwise each row
 * has its own copy.
 */
#define TILE_GROUP_TILES 4
#define TILE_GROUP_ROWS  (TILE_GROUP_TILES * HY_TILE_ROWS)

/* Largest size of copied rows, unless a single tile is larger. */
#define TILE_GROUP_BYTES 16384

struct tile_group {
    size_t pixel, count;
    const hy_dot_act *rows[TILE_GROUP_ROWS];
    size_t line_step; /* distance of the lines of a row */
    bool is_flipped;  /* the kernel adds the offset to inputs when it loads rows */
    int32_t corrections[TILE_GROUP_ROWS]; /* -zw * sum x of each row */
};

/* Elements of a row with a copy of its own. */
static inline size_t row_size(const struct hy_conv_params *p)
{
    return conv_steps(p) * HY_DOT_GROUP;
}

static inline size_t tile_group_tiles(const struct hy_conv_params *p)
{
    const size_t tile = HY_TILE_ROWS * row_size(p) * sizeof(hy_dot_act);

    return tile * TILE_GROUP_TILES <= TILE_GROUP_BYTES ? TILE_GROUP_TILES
           : tile * 2 > TILE_GROUP_BYTES               ? 1
                                                       : TILE_GROUP_BYTES / tile;
}

/* Whether neighbouring rows share inputs. */
static inline bool rows_overlap(const struct hy_conv_params *p)
{
    return conv_lines(p) == p->filter_h && (p->dilation_w == 1 || p->filter_w == 1) &&
           p->stride_w <= p->filter_w;
}

/* Pixels of a strip on one output line: `count` of the `left` pixels from (y, x) on. */
struct piece {
    const source_type *image;
    uint32_t y, x, count;
    size_t left;
};

static inline uint32_t count_on_line(const struct hy_conv_params *p, uint32_t x, size_t left)
{
    return left < p->out_w - x ? (uint32_t)left : p->out_w - x;
}

static inline struct piece first_piece(const struct hy_conv_params *p, const source_type *in,
                                       const struct tile_group *tile_group)
{
    const size_t line = tile_group->pixel / p->out_w;
    const uint32_t x = (uint32_t)(tile_group->pixel - line * p->out_w);

    return (struct piece){in + hy_conv_image(p, line) * p->in_c, (uint32_t)(line % p->out_h), x,
                          count_on_line(p, x, tile_group->count), tile_group->count};
}

/* The next piece; count is 0 if no pixels are left. */
static inline struct piece next_piece(const struct hy_conv_params *p, struct piece at)
{
    at.left -= at.count;
    at.x = 0;
    at.count = count_on_line(p, 0, at.left);
    if (++at.y == p->out_h) {
        at.y = 0;
        at.image += (size_t)p->in_h * p->in_w * p->in_c;
    }
    return at;
}

/* Rows are inputs, without a copy. */
static void use_input_rows(const struct hy_conv_params *p, const source_type *in,
                           struct tile_group *tile_group)
{
    const size_t step = (size_t)p->stride_w * p->in_c;
    const hy_dot_act **row = tile_group->rows;

    tile_group->line_step = (size_t)p->dilation_h * p->in_w * p->in_c;
    if (patches_are_contiguous(p)) {
        const hy_dot_act *from = (const hy_dot_act *)(in + tile_group->pixel * step);
        for (size_t r = 0; r < tile_group->count; r++)
            row[r] = from + r * step;
        return;
    }
    for (struct piece piece = first_piece(p, in, tile_group); piece.count > 0;
         piece = next_piece(p, piece)) {
        const source_type *line = line_under(p, piece.image, piece.y, 0);
        for (uint32_t i = 0; i < piece.count; i++)
            *row++ = (const hy_dot_act *)(line + (piece.x + i) * step);
    }
}

/* Rows are one contiguous copy, and each row is whole steps. */
static void copy_contiguous_rows(const struct hy_conv_params *p, const struct patch_source *source,
                                 const source_type *in, struct tile_group *tile_group,
                                 patch_type *to)
{
    const size_t size = row_size(p);

    tile_group->line_step = size;
    copy_run(source, tile_group->count * size, in + tile_group->pixel * size, to);
    for (size_t r = 0; r < tile_group->count; r++)
        tile_group->rows[r] = to + r * size;
}

/* Copies line by line, in order: a copy may write behind its end, into the start of the next. */
static void copy_shared_rows(const struct hy_conv_params *p, const struct patch_source *source,
                             const source_type *in, struct tile_group *tile_group, patch_type *to)
{
    const size_t step = (size_t)p->stride_w * p->in_c, size = (size_t)p->filter_w * p->in_c;
    const struct piece first = first_piece(p, in, tile_group);
    const hy_dot_act **row = tile_group->rows, *at = to;

    for (struct piece piece = first; piece.count > 0; piece = next_piece(p, piece)) {
        for (uint32_t i = 0; i < piece.count; i++)
            *row++ = at + i * step;
        at += (piece.count - 1) * step + size;
    }
    tile_group->line_step = (size_t)(at - to);
    for (uint32_t i = 0; i < p->filter_h; i++)
        for (struct piece piece = first; piece.count > 0; piece = next_piece(p, piece)) {
            const struct run run = run_at(p, (int64_t)piece.x * p->stride_w - p->pad_left,
                                          (size_t)(piece.count - 1) * p->stride_w + p->filter_w);
            gather_run(source, line_under(p, piece.image, piece.y, i), &run, to);
            to += run.size;
        }
}

/* Copies rows one after the other, each line by line, or all inputs of a row as one line. */
static void copy_own_rows(const struct hy_conv_params *p, const struct patch_source *source,
                          const source_type *in, struct tile_group *tile_group, patch_type *to)
{
    const size_t line_size = (size_t)p->filter_w * p->in_c, size = row_size(p);
    const hy_dot_act **row = tile_group->rows;

    tile_group->line_step = conv_lines(p) == 1 ? line_size : conv_line_steps(p) * HY_DOT_GROUP;
    for (struct piece piece = first_piece(p, in, tile_group); piece.count > 0;
         piece = next_piece(p, piece))
        for (uint32_t end = piece.x + piece.count; piece.x < end; piece.x++, to += size) {
            *row++ = to;
            gather_patch(p, source, piece.image, piece.y, piece.x, tile_group->line_step, to);
        }
}

/* For at most this number of output channels, inputs that need an offset are read in the input
 * tensor; see dot_flip. */
#define FLIP_CHANNELS 128

static inline bool are_as_copied(int32_t offset)
{
    return sizeof(hy_dot_act) == sizeof(source_type) && offset == 0;
}

/* The remaining zero point of the filter. */
static inline uint32_t rest_of_zero_point(const struct hy_conv_params *p)
{
    return (uint32_t)(p->filter_zero_point - WEIGHT_OFFSET);
}

/* Whether inputs can be used without a copy: lines are whole steps, and no correction is needed. */
static inline bool are_inputs_usable(const struct hy_conv_params *p, int32_t offset)
{
    return (are_as_copied(offset) || (DOT_CAN_FLIP && p->out_c <= FLIP_CHANNELS)) &&
           (size_t)p->filter_w * p->in_c % HY_DOT_GROUP == 0 && rest_of_zero_point(p) == 0;
}

/* Whether all rows are inputs without a copy, and no load reaches behind a row. */
static inline bool rows_are_inputs(const struct hy_conv_params *p, int32_t offset)
{
    const uint64_t height = (uint64_t)(p->out_h - 1) * p->stride_h;
    const uint64_t width = (uint64_t)(p->out_w - 1) * p->stride_w;

    return are_inputs_usable(p, offset) && p->pad_top == 0 && p->pad_left == 0 &&
           (p->dilation_w == 1 || p->filter_w == 1) && conv_lines(p) == p->filter_h &&
           height + (uint64_t)(p->filter_h - 1) * p->dilation_h < p->in_h &&
           width + p->filter_w <= p->in_w;
}

/* -zw * sum x of a row. */
static __attribute__((noinline)) int32_t correction_of(const struct hy_conv_params *p,
                                                       const hy_dot_act *row, size_t lines,
                                                       size_t depth, size_t line_step)
{
    uint32_t sum = 0;

    for (size_t line = 0; line < lines; line++, row += line_step)
        for (size_t k = 0; k < depth; k++)
            sum += (uint32_t)row[k];
    return (int32_t)(0 - rest_of_zero_point(p) * sum);
}

/* Places the rows of a strip, in the input if possible and otherwise in `scratch`. */
static void gather_tile_group(const struct hy_conv_params *p, const struct patch_source *source,
                              const void *in, struct tile_group *tile_group, hy_dot_act *scratch)
{
    const bool in_place = rows_are_inputs(p, source->offset);

    tile_group->is_flipped = in_place && !are_as_copied(source->offset);
    if (in_place)
        use_input_rows(p, in, tile_group);
    else if (patches_are_contiguous(p) && row_size(p) == conv_depth(p))
        copy_contiguous_rows(p, source, in, tile_group, scratch);
    else if (rows_overlap(p))
        copy_shared_rows(p, source, in, tile_group, scratch);
    else
        copy_own_rows(p, source, in, tile_group, scratch);
    for (size_t r = 0; rest_of_zero_point(p) != 0 && r < tile_group->count; r++)
        /* Every row is placed. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        tile_group->corrections[r] = correction_of(p, tile_group->rows[r], conv_lines(p),
                                                   conv_line_depth(p), tile_group->line_step);
}
