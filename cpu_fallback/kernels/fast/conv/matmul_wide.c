#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"
#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * BATCH_MATMUL of int16, as FULLY_CONNECTED: each column of the right side has the weights of an
 * output channel.
 *
 * A product has 31 bits, and sums of few products exceed 32. The values of the left side are
 * therefore split into 256 * upper + lower, both in -128..128, which make two planes of rows. For
 * each plane, the sums of the steps of a piece fit 32 bits for any values. Rows whose values are so
 * small that all their sums fit 32 bits, like attention weights, are not split: one plane.
 *
 * A packed panel has HY_PANEL columns, with zeros for missing columns. For each step, the panel has
 * the pairs of two depths, in the order of the sums in vs_narrow() (wide_index()).
 */
#define STEP        2
#define PLANES      2                      /* at most */
#define PIECE       ((size_t)255)          /* steps; a pair of products is at most 2^23 */
#define SHORTS      ((size_t)2 * HY_LANES) /* shorts of a vector */
#define STEP_SHORTS (HY_PANEL_VECTORS * SHORTS)

/* Sums of more depths can exceed 48 bits, and the reference saturates these. */
#define MOST_DEPTH (UINT32_C(1) << 17)

static inline size_t steps_of(const struct hy_conv_params *p)
{
    return ((size_t)p->in_c + STEP - 1) / STEP;
}

/* Elements of a row in one plane: whole vectors. */
static inline size_t plane_size(const struct hy_conv_params *p)
{
    return ((size_t)p->in_c + SHORTS - 1) / SHORTS * SHORTS;
}

size_t HY_SIMD_FN(matmul_units)(const struct hy_conv_params *p)
{
    return conv_tiles(p);
}

size_t HY_SIMD_FN(matmul_packed_bytes)(const struct hy_conv_params *p)
{
    const size_t panels = ((size_t)p->out_c + HY_PANEL - 1) / HY_PANEL;

    return panels * steps_of(p) * STEP_SHORTS * sizeof(int16_t);
}

size_t HY_SIMD_FN(matmul_scratch_bytes)(const struct hy_conv_params *p)
{
    return HY_TILE_ROWS * PLANES * plane_size(p) * sizeof(int16_t);
}

/* ---- The right side -------------------------------------------------------------------------- */

static __attribute__((noinline)) vi load_last(const int16_t *from, size_t count)
{
    return vs_load_part(from, count);
}

static inline vi load_shorts(const int16_t *from, size_t count)
{
    return count >= SHORTS ? vi_load(from) : load_last(from, count);
}

/* Packs rows of columns, [depth, out_c]. */
void HY_SIMD_FN(matmul_pack_transposed)(const struct hy_conv_params *p, const void *filter,
                                        const void *bias, void *packed)
{
    int16_t *to = packed;

    (void)bias;
    for (size_t c = 0; c < p->out_c; c += SHORTS) {
        const int16_t *from = (const int16_t *)filter + c;
        for (size_t k = 0; k < p->in_c; k += STEP, from += STEP * (size_t)p->out_c) {
            const bool is_pair = k + 1 < p->in_c;
            const vi first = load_shorts(from, p->out_c - c);
            const vi second = is_pair ? load_shorts(from + p->out_c, p->out_c - c) : vi_set1(0);
            vi_store(to, vb_zip_low(first, second, sizeof *to));
            vi_store(to + SHORTS, vb_zip_high(first, second, sizeof *to));
            to += STEP_SHORTS;
        }
    }
}

/* Packs the pairs of half of a panel's columns, four steps at once, from rows `depth` apart. A
 * block of a vector first has four pairs of one column, and afterwards one pair of each of four
 * columns. */
#define TRANSPOSED_STEPS 4

static inline void transpose_steps(const int16_t *from, size_t depth, int32_t *to)
{
    vi rows[4], twos[4];

    for (size_t i = 0; i < 4; i++)
        rows[i] = vb_load_blocks(from + i * depth, (ptrdiff_t)(8 * depth * sizeof *from));
    for (size_t i = 0; i < 2; i++) {
        twos[i] = vb_zip_low(rows[2 * i], rows[2 * i + 1], 4);
        twos[2 + i] = vb_zip_high(rows[2 * i], rows[2 * i + 1], 4);
    }
    for (size_t i = 0; i < 4; i += 2, to += 2 * HY_PANEL) {
        vi_store(to, vb_zip_low(twos[i], twos[i + 1], 8));
        vi_store(to + HY_PANEL, vb_zip_high(twos[i], twos[i + 1], 8));
    }
}

/* The elements `k` and `k` + 1 of `depth`. */
static inline int32_t depth_pair(const int16_t *row, size_t k, size_t depth)
{
    int32_t pair = (uint16_t)row[k];

    if (k + 1 < depth)
        memcpy(&pair, row + k, sizeof pair);
    return pair;
}

/* Packs rows of depths, [out_c, depth]. */
void HY_SIMD_FN(matmul_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                             void *packed)
{
    const size_t depth = p->in_c,
                 transposed_depth = depth / (TRANSPOSED_STEPS * STEP) * (TRANSPOSED_STEPS * STEP);
    int32_t *to = packed;

    (void)bias;
    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t left = p->out_c - c, count = left < HY_PANEL ? left : HY_PANEL;
        const int16_t *from = (const int16_t *)filter + c * depth;
        size_t k = 0;
        for (; count == HY_PANEL && k < transposed_depth; k += TRANSPOSED_STEPS * STEP) {
            transpose_steps(from + k, depth, to);
            transpose_steps(from + 4 * depth + k, depth, to + HY_LANES);
            to += TRANSPOSED_STEPS * HY_PANEL;
        }
        for (; k < depth; k += STEP, to += HY_PANEL) {
            memset(to, 0, HY_PANEL * sizeof *to);
            HY_ROLLED
            for (size_t i = 0; i < count; i++)
                to[wide_index(i, HY_PANEL)] = depth_pair(from + i * depth, k, depth);
        }
    }
}

/* ---- The left side --------------------------------------------------------------------------- */

/* Whether all sums of a row fit 32 bits for any right side: the sum of the row's magnitudes is at
 * most 65535. */
static bool is_small(const int16_t *row, size_t depth)
{
    const vi zero = vi_set1(0), one = vs_set1(1), least = vs_set1(-INT16_MAX);
    int32_t lanes[HY_LANES];
    int64_t all = (int64_t)depth; /* `least` replaces INT16_MIN: 1 too small */
    vi sums = zero;

    for (size_t k = 0; k < depth; k += SHORTS) {
        const vi x = vs_max(load_shorts(row + k, depth - k), least);
        sums = vs_dot(sums, vs_max(x, vs_sub(zero, x)), one);
    }
    vi_store(lanes, sums);
    HY_ROLLED
    for (int i = 0; i < HY_LANES; i++)
        all += lanes[i];
    return all <= UINT16_MAX;
}

static bool are_small(const int16_t *in, size_t rows, size_t depth)
{
    for (size_t r = 0; r < rows; r++, in += depth)
        if (!is_small(in, depth))
            return false;
    return true;
}

/* Splits a row into its planes, one after the other, with zeros behind the depth. */
static __attribute__((noinline)) void split_row(const int16_t *from, size_t depth, size_t planes,
                                                size_t size, int16_t *to)
{
    for (size_t k = 0; k < depth; k += SHORTS, to += SHORTS) {
        const vi x = load_shorts(from + k, depth - k);
        const vi lower = vs_upper_bytes(vs_shift_left_by(x, 8));
        vi_store(to, planes == 1 ? x : vs_sub(vs_upper_bytes(x), vs_upper_bytes(lower)));
        if (planes > 1)
            vi_store(to + size, lower);
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* The products of the planes of some rows with the columns of a panel. With two planes, the sum of
 * a row is 256 times the sum of the upper plane plus the sum of the lower plane. */
typedef int32_t plane_sums[HY_TILE_ROWS * HY_PANEL];

/* Sums `count` steps; planes are `size` elements apart. */
HY_ALWAYS_INLINE void add_up(const int16_t *rows, size_t size, const int16_t *packed, size_t count,
                             int planes, plane_sums to)
{
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS];

    HY_UNROLL(8)
    for (int r = 0; r < planes; r++)
        sums[r][0] = sums[r][1] = vi_set1(0);
    for (; count > 0; count--, rows += STEP, packed += STEP_SHORTS) {
        const vi first = vi_load(packed), second = vi_load(packed + SHORTS);
        HY_UNROLL(8)
        for (int r = 0; r < planes; r++) {
            int32_t values;
            memcpy(&values, rows + (size_t)r * size, sizeof values);
            const vi pair = vi_set1(values);
            sums[r][0] = dot_in_place(sums[r][0], pair, first);
            sums[r][1] = dot_in_place(sums[r][1], pair, second);
        }
    }
    HY_UNROLL(8)
    for (int r = 0; r < planes; r++) {
        vi_store(to + r * HY_PANEL, sums[r][0]);
        vi_store(to + r * HY_PANEL + HY_LANES, sums[r][1]);
    }
}

static __attribute__((noinline)) void
add_up_tile(const int16_t *rows, size_t size, const int16_t *packed, size_t count, plane_sums to)
{
    add_up(rows, size, packed, count, HY_TILE_ROWS, to);
}

static __attribute__((noinline)) void add_up_two(const int16_t *rows, size_t size,
                                                 const int16_t *packed, size_t count, plane_sums to)
{
    add_up(rows, size, packed, count, PLANES, to);
}

/* Sums at least this many planes; `sums` has capacity for a tile. */
static void add_up_planes(const int16_t *rows, size_t size, const int16_t *packed, size_t count,
                          size_t planes, plane_sums to)
{
    (planes > PLANES ? add_up_tile : add_up_two)(rows, size, packed, count, to);
}

/* x less its quotient by 2^bits, rounded down, times 2^bits */
static inline vi rest_of(vi x, vi quotient, int bits)
{
    return vi_sub(x, vi_shift_left_by(quotient, bits));
}

/* The index of the sum of an upper plane, number `i` among all upper planes. The sum of the lower
 * plane is HY_PANEL behind. */
static inline size_t upper_index(size_t i)
{
    return i / HY_PANEL * HY_PANEL + i;
}

/* Adds the sums of a piece to totals of the form 65536 * upper + lower. */
static void add_piece(const plane_sums piece, size_t rows, plane_sums totals)
{
    HY_ROLLED
    for (size_t i = 0; i < rows * HY_PANEL; i += HY_LANES) {
        const size_t at = upper_index(i), below = at + HY_PANEL;
        const vi upper = vi_load(piece + at), of_upper = vi_shift_right_by(upper, 8);
        const vi lower = vi_load(piece + below), of_lower = vi_shift_right_by(lower, 16);
        const vi rest =
            vi_add(vi_shift_left_by(rest_of(upper, of_upper, 8), 8), rest_of(lower, of_lower, 16));
        vi_store(totals + at, vi_add(vi_load(totals + at), vi_add(of_upper, of_lower)));
        vi_store(totals + below, vi_add(vi_load(totals + below), rest));
    }
}

/* Sums more steps than fit 32-bit sums, for two planes. A total beyond 2^38 becomes another total
 * that also saturates, see matmul_suits(). */
static __attribute__((noinline)) void add_up_pieces(const int16_t *planes, size_t size,
                                                    const int16_t *packed, size_t steps,
                                                    size_t rows, plane_sums to)
{
    const vi most = vi_set1(1 << 22), least = vi_set1(-(1 << 22));
    alignas(64) plane_sums totals = {0};

    for (size_t count; steps > 0; steps -= count) {
        count = steps < PIECE ? steps : PIECE;
        add_up_planes(planes, size, packed, count, rows * PLANES, to);
        add_piece(to, rows, totals);
        planes += count * STEP;
        packed += count * STEP_SHORTS;
    }
    HY_ROLLED
    for (size_t i = 0; i < rows * HY_PANEL; i += HY_LANES) {
        const size_t at = upper_index(i), below = at + HY_PANEL;
        const vi lower = vi_load(totals + below), carry = vi_shift_right_by(lower, 16);
        const vi upper = vi_clamp(vi_add(vi_load(totals + at), carry), least, most);
        vi_store(to + at, vi_shift_left_by(upper, 8));
        vi_store(to + below, rest_of(lower, carry, 16));
    }
}

/* ---- Outputs --------------------------------------------------------------------------------- */

/*
 * A sum is 2^8 * (2^16 * a + b) + c, with `a` and `b` in the range of int16 and `c` in 0..255.
 * Rounding down repeatedly is the same as rounding down once:
 *     (sum * mantissa + 2^(shift - 1)) >> shift
 *         = (a * mantissa + 2^(shift - 25) + (b * mantissa + (c * mantissa >> 8) >> 16))
 *           >> (shift - 24)
 */
#define LEAST_SHIFT 25
#define MOST_SHIFT  37 /* for sums of more than a piece */

struct scale {
    vi mantissa, upper_mantissa; /* for the lower and for the upper halves of lanes */
    vi half;
    int shift;
    int longer; /* zero bits appended to a sum if `shift` would be too short: 0, or 8..24 */
};

static struct scale scale_of(const struct hy_conv_params *p)
{
    const struct hy_wide_multiplier m = hy_shorten_multiplier(p->multipliers[0]);
    const int32_t lacking = LEAST_SHIFT - m.shift;
    const int32_t longer = lacking <= 0 ? 0 : lacking < 8 ? 8 : lacking;
    const int32_t below = m.shift + longer - LEAST_SHIFT;

    return (struct scale){.mantissa = vi_set1(m.mantissa),
                          .upper_mantissa = vi_set1(m.mantissa << 16),
                          .half = vi_set1(1 << below),
                          .shift = below + 1,
                          .longer = longer};
}

int HY_SIMD_FN(matmul_suits)(const struct hy_conv_params *p)
{
    return p->in_c < MOST_DEPTH &&
           (steps_of(p) <= PIECE || hy_shorten_multiplier(p->multipliers[0]).shift <= MOST_SHIFT);
}

/* Appends zero bits to sums of two planes. Sums that would get too many bits saturate with fewer
 * bits too. */
static __attribute__((noinline)) void lengthen(const struct scale *s, size_t rows, plane_sums sums)
{
    const vi most = vi_set1(1 << (29 - s->longer)), least = vi_sub(vi_set1(0), most);

    HY_ROLLED
    for (size_t i = 0; i < rows * HY_PANEL; i += HY_LANES) {
        const size_t at = upper_index(i), below = at + HY_PANEL;
        const vi lower = vi_load(sums + below), carry = vi_shift_right_by(lower, 8);
        const vi upper = vi_clamp(vi_add(vi_load(sums + at), carry), least, most);
        vi_store(sums + at, vi_add(vi_shift_left_by(upper, s->longer),
                                   vi_shift_left_by(rest_of(lower, carry, 8), s->longer - 8)));
        vi_store(sums + below, vi_set1(0));
    }
}

static __attribute__((noinline)) vi rescale(const struct scale *s, const int32_t *upper,
                                            const int32_t *lower)
{
    const vi low = vi_load(lower), carry = vi_shift_right_by(low, 8);
    const vi sum = vi_add(vi_load(upper), carry);
    const vi last = vi_shift_right_by(vs_dot(vi_set1(0), rest_of(low, carry, 8), s->mantissa), 8);
    const vi below = vi_shift_right_by(vs_dot(last, sum, s->mantissa), 16);
    const vi rounded = vi_add(sum, vi_set1(1 << 15)); /* the upper half is `a` */

    return vi_shift_right_by(vs_dot(vi_add(below, s->half), rounded, s->upper_mantissa), s->shift);
}

/* `columns` outputs of each row. */
static __attribute__((noinline)) void finish(const struct scale *s, const int32_t *sums,
                                             size_t planes, size_t rows, size_t columns,
                                             size_t out_step, int16_t *out)
{
    static const int32_t none[HY_PANEL];
    const int32_t *upper = planes == 1 ? none : sums, *lower = sums + (planes - 1) * HY_PANEL;
    const size_t upper_step = (planes - 1) * planes * HY_PANEL;

    HY_ROLLED
    for (size_t r = 0; r < rows; r++) {
        const vi first = rescale(s, upper, lower);
        const vi second = rescale(s, upper + HY_LANES, lower + HY_LANES);
        vs_store_part(out, vs_narrow(first, second), columns);
        upper += upper_step;
        lower += planes * HY_PANEL;
        out += out_step;
    }
}

/* The operands of a unit. */
struct product {
    const struct hy_conv_params *p;
    size_t steps, size; /* steps and elements of a row, in a plane */
    struct scale scale;
    const int16_t *packed;
};

/* Computes the outputs of some rows of `planes` planes, from column `c` on. */
static __attribute__((noinline)) void multiply(const struct product *x, const int16_t *in,
                                               size_t planes, size_t rows, size_t c, int16_t *out)
{
    const size_t left = x->p->out_c - c, columns = left < HY_PANEL ? left : HY_PANEL;
    const int16_t *packed = x->packed + c / HY_PANEL * x->steps * STEP_SHORTS;
    alignas(64) plane_sums sums;

    if (planes == 1 || x->steps <= PIECE)
        add_up_planes(in, x->size, packed, x->steps, rows * planes, sums);
    else
        add_up_pieces(in, x->size, packed, x->steps, rows, sums);
    if (x->scale.longer > 0)
        lengthen(&x->scale, rows, sums);
    finish(&x->scale, sums, planes, rows, columns, x->p->out_c, out + c);
}

/* Computes all columns of some rows; the rows are split into `scratch`. */
static void multiply_unit(const struct product *x, size_t unit_rows, const int16_t *in,
                          int16_t *scratch, int16_t *out)
{
    const size_t depth = x->p->in_c;
    const size_t planes = x->scale.longer == 0 && are_small(in, unit_rows, depth) ? 1 : PLANES;
    const size_t of_tile = HY_TILE_ROWS / planes;

    for (size_t r = 0; r < unit_rows; r++)
        split_row(in + r * depth, depth, planes, x->size, scratch + r * planes * x->size);
    for (size_t c = 0; c < x->p->out_c; c += HY_PANEL)
        for (size_t r = 0; r < unit_rows; r += of_tile) {
            const size_t left = unit_rows - r, rows = left < of_tile ? left : of_tile;
            multiply(x, scratch + r * planes * x->size, planes, rows, c, out + r * x->p->out_c);
        }
}

void HY_SIMD_FN(matmul)(const struct hy_conv_params *p, const void *in, const void *weights,
                        const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct product x = {p, steps_of(p), plane_size(p), scale_of(p), weights};

    (void)bias;
    for (; first < end; first++) {
        const size_t row = first * HY_TILE_ROWS, left = conv_pixels(p) - row;
        multiply_unit(&x, left < HY_TILE_ROWS ? left : HY_TILE_ROWS,
                      (const int16_t *)in + row * p->in_c, scratch,
                      (int16_t *)out + row * p->out_c);
    }
}
