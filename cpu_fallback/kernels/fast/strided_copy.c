#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/byte_transpose.h"
#include "cpu_fallback/kernels/fast/copy.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * All operations that only copy elements. The two innermost dimensions are a plane. Planes are of
 * four kinds: contiguous rows on both sides are copied; repeated elements fill rows; planes that
 * exchange rows and columns are transposed in squares; all others are copied element by element.
 */

/* The plane of two dimensions; strides count elements. */
struct plane {
    size_t rows, columns;
    ptrdiff_t in_row, in_column, out_row, out_column;
};

static struct plane plane_of(const struct hy_strided_copy_params *params)
{
    const uint32_t row = params->rank - 2, column = params->rank - 1;

    return (struct plane){
        .rows = params->dims[row],
        .columns = params->dims[column],
        .in_row = params->in_strides[row],
        .in_column = params->in_strides[column],
        .out_row = params->out_strides[row],
        .out_column = params->out_strides[column],
    };
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies columns first to first + count of all rows, and checks the watch each time its units are
 * used up. */
static void copy_columns(const struct plane *plane, size_t first, size_t count, const HY_T *in,
                         HY_T *out, struct hy_stop_watch *watch)
{
    const ptrdiff_t size = sizeof(HY_T);
    const size_t most = (size_t)HY_STOP_UNITS / count;
    struct copied_runs runs = {.bytes = count * sizeof(HY_T),
                               .in_step = plane->in_row * size,
                               .out_step = plane->out_row * size};

    for (size_t r = 0; r < plane->rows; r += runs.count) {
        runs.count = least(plane->rows - r, most);
        if (hy_stop_after(watch, runs.count * count))
            return;
        copy_runs(&runs, (const uint8_t *)(in + (ptrdiff_t)r * plane->in_row + first),
                  (uint8_t *)(out + (ptrdiff_t)r * plane->out_row + first));
    }
}

static void copy_plane(const struct plane *plane, const HY_T *in, HY_T *out,
                       struct hy_stop_watch *watch)
{
    for (size_t first = 0; first < plane->columns; first += (size_t)HY_STOP_UNITS)
        copy_columns(plane, first, least(plane->columns - first, (size_t)HY_STOP_UNITS), in, out,
                     watch);
}

/* Rows of the input that are one element, repeated. */
static void fill_rows(const struct plane *plane, const HY_T *in, HY_T *out,
                      struct hy_stop_watch *watch)
{
    for (ptrdiff_t r = 0; r < (ptrdiff_t)plane->rows; r++) {
        const HY_T value = in[r * plane->in_row];
        HY_T *row = out + r * plane->out_row;
        for (size_t at = 0, count; at < plane->columns; at += count) {
            count = least(plane->columns - at, (size_t)HY_STOP_UNITS);
            if (hy_stop_after(watch, count))
                return;
            for (size_t i = 0; i < count; i++)
                row[at + i] = value;
        }
    }
}

/* If all rows are one element, short rows are copies of a filled row. */
static void fill_plane(const struct plane *plane, const HY_T *in, HY_T *out,
                       struct hy_stop_watch *watch)
{
    HY_T row[HY_COPY_MOST / sizeof(HY_T)];

    if (plane->in_row != 0 || plane->columns * sizeof(HY_T) > HY_COPY_MOST) {
        fill_rows(plane, in, out, watch);
        return;
    }
    for (size_t i = 0; i < plane->columns; i++)
        row[i] = *in;
    copy_plane(plane, row, out, watch);
}

/* ---- Squares --------------------------------------------------------------------------------- */

/* Elements of a block of 16 bytes, and of a vector. */
#define SIDE   ((ptrdiff_t)(16 / sizeof(HY_T)))
#define VECTOR ((ptrdiff_t)(HY_BYTE_LANES / sizeof(HY_T)))

/*
 * Transposes a square of SIDE rows and SIDE columns, or VECTOR columns if `is_wide`: one block of
 * the input for each column. Take the number of a line and the index of an element in its block as
 * the bits of one number. Interleaving line i with line i + SIDE / 2 rotates the bits by one. After
 * log2(SIDE) rotations line and index are exchanged, and each line is a row.
 */
HY_ALWAYS_INLINE void transpose_square(bool is_wide, const struct plane *plane, const HY_T *in,
                                       HY_T *out)
{
    const ptrdiff_t block_step = is_wide ? SIDE * plane->in_column * (ptrdiff_t)sizeof(HY_T) : 0;
    vi lines[SIDE], turned[SIDE];

    HY_UNROLL(16)
    for (ptrdiff_t i = 0; i < SIDE; i++)
        lines[i] = vb_load_blocks(in + i * plane->in_column, block_step);
    HY_UNROLL(4)
    for (ptrdiff_t bits = SIDE; bits > 1; bits /= 2) {
        HY_UNROLL(8)
        for (ptrdiff_t i = 0; i < SIDE / 2; i++) {
            turned[2 * i] = vb_zip_low(lines[i], lines[i + SIDE / 2], sizeof(HY_T));
            turned[2 * i + 1] = vb_zip_high(lines[i], lines[i + SIDE / 2], sizeof(HY_T));
        }
        HY_UNROLL(16)
        for (ptrdiff_t i = 0; i < SIDE; i++)
            lines[i] = turned[i];
    }
    HY_UNROLL(16)
    for (ptrdiff_t i = 0; i < SIDE; i++) {
        HY_T *row = out + i * plane->out_row;
        if (is_wide)
            vi_store(row, lines[i]);
        else
            vb_store_block(row, lines[i]);
    }
}

/* Squares as wide as a vector, as a block, or as 64 bits (for bytes of planes narrower than a
 * block). */
enum square { WIDE_SQUARE, BLOCK_SQUARE, BYTE_SQUARE };

HY_ALWAYS_INLINE void transpose_square_of(enum square kind, const struct plane *plane,
                                          const HY_T *in, HY_T *out)
{
    if (kind == BYTE_SQUARE)
        hy_transpose_bytes((const uint8_t *)in, plane->in_column, (uint8_t *)out, plane->out_row);
    else
        transpose_square(kind == WIDE_SQUARE, plane, in, out);
}

/* A tile is one cache line wide on the side whose rows are further apart, and its squares follow
 * these rows. Rows a power of two apart share a set of the cache, and a set keeps few rows until
 * the next square needs them again. */
#define TILE_WIDTH  ((size_t)(64 / sizeof(HY_T)))
#define TILE_LENGTH ((size_t)256)

struct tile {
    size_t row, column, end_row, end_column;
};

/* The last square of a row or column overlaps the square before. */
HY_ALWAYS_INLINE void transpose_at(enum square kind, const struct plane *plane, size_t r, size_t c,
                                   const HY_T *in, HY_T *out)
{
    const size_t height = kind == BYTE_SQUARE ? HY_TRANSPOSE_SIDE : (size_t)SIDE;
    const size_t width = kind == WIDE_SQUARE ? (size_t)VECTOR : height;
    const ptrdiff_t row = (ptrdiff_t)least(r, plane->rows - height);
    const ptrdiff_t column = (ptrdiff_t)least(c, plane->columns - width);

    transpose_square_of(kind, plane, in + column * plane->in_column + row,
                        out + row * plane->out_row + column);
}

HY_ALWAYS_INLINE void transpose_tile(enum square kind, const struct plane *plane,
                                     const struct tile *tile, bool is_along_rows, const HY_T *in,
                                     HY_T *out)
{
    const size_t height = kind == BYTE_SQUARE ? HY_TRANSPOSE_SIDE : (size_t)SIDE;
    const size_t width = kind == WIDE_SQUARE ? (size_t)VECTOR : height;

    if (is_along_rows) {
        for (size_t r = tile->row; r < tile->end_row; r += height)
            for (size_t c = tile->column; c < tile->end_column; c += width)
                transpose_at(kind, plane, r, c, in, out);
    } else {
        for (size_t c = tile->column; c < tile->end_column; c += width)
            for (size_t r = tile->row; r < tile->end_row; r += height)
                transpose_at(kind, plane, r, c, in, out);
    }
}

HY_ALWAYS_INLINE void transpose_tiles(enum square kind, const struct plane *plane, const HY_T *in,
                                      HY_T *out, struct hy_stop_watch *watch)
{
    const bool is_along_rows = plane->out_row > plane->in_column;
    const size_t height = is_along_rows ? TILE_WIDTH : TILE_LENGTH;
    const size_t width = is_along_rows ? TILE_LENGTH : TILE_WIDTH;

    for (size_t c = 0; c < plane->columns; c += width)
        for (size_t r = 0; r < plane->rows; r += height) {
            const struct tile tile = {r, c, least(r + height, plane->rows),
                                      least(c + width, plane->columns)};
            if (hy_stop_after(watch, height * width))
                return;
            transpose_tile(kind, plane, &tile, is_along_rows, in, out);
        }
}

static bool is_transposed(const struct plane *plane)
{
    const size_t side = sizeof(HY_T) == 1 ? HY_TRANSPOSE_SIDE : (size_t)SIDE;

    return plane->in_row == 1 && plane->out_column == 1 && plane->rows >= side &&
           plane->columns >= side;
}

static void transpose_plane(const struct plane *plane, const HY_T *in, HY_T *out,
                            struct hy_stop_watch *watch)
{
    if (sizeof(HY_T) == 1 && (plane->rows < (size_t)SIDE || plane->columns < (size_t)SIDE))
        transpose_tiles(BYTE_SQUARE, plane, in, out, watch);
    else if (plane->columns < (size_t)VECTOR)
        transpose_tiles(BLOCK_SQUARE, plane, in, out, watch);
    else
        transpose_tiles(WIDE_SQUARE, plane, in, out, watch);
}

/* ---- Single elements ------------------------------------------------------------------------- */

/* Columns of a tile, so that its rows stay in the first-level cache: used if the input runs across
 * the output, and if rows are few. */
#define TILE          ((size_t)16)
#define LONG_TILE     ((size_t)1024)
#define LONG_TILE_FOR ((size_t)4)

HY_ALWAYS_INLINE void move_row(size_t count, ptrdiff_t in_step, ptrdiff_t out_step, const HY_T *in,
                               HY_T *out)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++)
        out[i * out_step] = in[i * in_step];
}

/* Compilers vectorise small constant steps to a contiguous row: every other element, one of three
 * or four channels, a reversed row. */
static inline void move_any_row(const struct plane *plane, size_t count, const HY_T *in, HY_T *out)
{
    const ptrdiff_t step = plane->out_column == 1 ? plane->in_column : 0;

    if (step == 2)
        move_row(count, 2, 1, in, out);
    else if (step == 3)
        move_row(count, 3, 1, in, out);
    else if (step == 4)
        move_row(count, 4, 1, in, out);
    else if (step == -1)
        move_row(count, -1, 1, in, out);
    else
        move_row(count, plane->in_column, plane->out_column, in, out);
}

static size_t tile_of(const struct plane *plane)
{
    if (plane->rows <= LONG_TILE_FOR)
        return LONG_TILE;
    return plane->in_row == 1 && plane->in_column != 1 ? TILE : (size_t)HY_STOP_UNITS;
}

static void move_tiles(const struct plane *plane, const HY_T *in, HY_T *out,
                       struct hy_stop_watch *watch)
{
    const size_t tile = tile_of(plane);

    for (size_t first = 0; first < plane->columns; first += tile) {
        const size_t count = least(plane->columns - first, tile);
        const HY_T *from = in + (ptrdiff_t)first * plane->in_column;
        HY_T *to = out + (ptrdiff_t)first * plane->out_column;
        for (size_t r = 0; r < plane->rows; r++) {
            if (hy_stop_after(watch, count))
                return;
            move_any_row(plane, count, from + (ptrdiff_t)r * plane->in_row,
                         to + (ptrdiff_t)r * plane->out_row);
        }
    }
}

/* Many rows of few elements are processed as few columns of many elements. */
static void move_elements(const struct plane *plane, const HY_T *in, HY_T *out,
                          struct hy_stop_watch *watch)
{
    const struct plane columns = {
        .rows = plane->columns,
        .columns = plane->rows,
        .in_row = plane->in_column,
        .in_column = plane->in_row,
        .out_row = plane->out_column,
        .out_column = plane->out_row,
    };

    move_tiles(plane->columns <= LONG_TILE_FOR && plane->rows > plane->columns ? &columns : plane,
               in, out, watch);
}

/* ---- All planes ------------------------------------------------------------------------------ */

static void move_plane(const struct plane *plane, const HY_T *in, HY_T *out,
                       struct hy_stop_watch *watch)
{
    if (plane->in_column == 1 && plane->out_column == 1)
        copy_plane(plane, in, out, watch);
    else if (plane->in_column == 0 && plane->out_column == 1)
        fill_plane(plane, in, out, watch);
    else if (is_transposed(plane))
        transpose_plane(plane, in, out, watch);
    else
        move_elements(plane, in, out, watch);
}

/* Steps through the outer dimensions like an odometer; false after the last plane. */
static bool next_plane(const struct hy_strided_copy_params *params, size_t *index, ptrdiff_t *in_at,
                       ptrdiff_t *out_at)
{
    for (uint32_t d = params->rank - 2; d-- > 0;) {
        *in_at += params->in_strides[d];
        *out_at += params->out_strides[d];
        if (++index[d] < params->dims[d])
            return true;
        index[d] = 0;
        *in_at -= (ptrdiff_t)params->dims[d] * params->in_strides[d];
        *out_at -= (ptrdiff_t)params->dims[d] * params->out_strides[d];
    }
    return false;
}

void HY_SIMD_FN(strided_copy)(const struct hy_strided_copy_params *params, const void *in,
                              void *out)
{
    const struct plane plane = plane_of(params);
    struct hy_stop_watch *watch = hy_stop_here();
    size_t index[HY_STRIDED_COPY_RANK] = {0};
    ptrdiff_t in_at = 0, out_at = 0;

    do {
        if (hy_stop_after(watch, 1))
            return;
        move_plane(&plane, (const HY_T *)in + in_at, (HY_T *)out + out_at, watch);
    } while (next_plane(params, index, &in_at, &out_at));
}
