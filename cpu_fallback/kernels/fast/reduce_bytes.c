#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/stop.h"
#if HY_IS_QUANT
#include "cpu_fallback/kernels/mean_quant.h"
#endif

/*
 * MEAN, REDUCE_MAX and REDUCE_MIN of 8 bits, and REDUCE_ALL and REDUCE_ANY of bools as extremes of
 * bytes. If the last dimension is kept, the lanes of a vector are columns of consecutive rows;
 * several rows shorter than a vector count as one row. If the last dimension is reduced, the loops
 * are simple enough for the compiler to vectorise.
 */

#define IS_SIGNED ((HY_T)-1 < 0)

#if defined(HY_S8)
enum { LEAST = INT8_MIN, MOST = INT8_MAX };
#else
enum { LEAST = 0, MOST = UINT8_MAX };
#endif

enum kind { LARGEST, SMALLEST, SUM };

/* Columns reduced together, and their number of 16-bit vectors. */
#define COLUMNS HY_BYTE_LANES
#define SHORTS  (2 * HY_LANES)

/* The most bytes whose sum fits 16 bits. */
#define SHORT_SUM 128

/* Bytes reduced between two checks of the watch; their sum fits 32 bits. */
#define PIECE ((size_t)HY_STOP_UNITS)

static inline int64_t start_of(enum kind kind)
{
    return kind == LARGEST ? LEAST : kind == SMALLEST ? MOST : 0;
}

static inline int64_t join(enum kind kind, int64_t a, int64_t b)
{
    if (kind == LARGEST)
        return a > b ? a : b;
    if (kind == SMALLEST)
        return a < b ? a : b;
    return a + b;
}

/* Adds at most SHORT_SUM rows to the sums of their columns. */
static inline void add_rows(const HY_T *in, size_t rows, size_t width, int64_t *sums)
{
    vi low = vs_set1(0), high = vs_set1(0);
    int16_t shorts[COLUMNS];

    for (size_t i = 0; i < rows; i++) {
        low = vs_add(low, vs_load_bytes(in + i * width, IS_SIGNED));
        high = vs_add(high, vs_load_bytes(in + i * width + SHORTS, IS_SIGNED));
    }
    vi_store(shorts, low);
    vi_store(shorts + SHORTS, high);
    for (size_t c = 0; c < COLUMNS; c++)
        sums[c] += shorts[c];
}

static inline void sum_columns(const struct hy_walk *runs, const HY_T *in, size_t rows,
                               size_t width, int64_t *sums)
{
    memset(sums, 0, COLUMNS * sizeof *sums);
    for (size_t r = 0; r < runs->dims[0]; r++)
        for (size_t i = 0; i < rows; i += SHORT_SUM) {
            const size_t some = rows - i < SHORT_SUM ? rows - i : SHORT_SUM;
            add_rows(in + r * runs->strides[0] + i * width, some, width, sums);
        }
}

static inline void find_extremes(enum kind kind, const struct hy_walk *runs, const HY_T *in,
                                 size_t rows, size_t width, int64_t *extremes)
{
    vi extreme = vb_set1((int)start_of(kind));
    HY_T bytes[COLUMNS];

    for (size_t r = 0; r < runs->dims[0]; r++)
        for (size_t i = 0; i < rows; i++) {
            const vi x = vi_load(in + r * runs->strides[0] + i * width);
            extreme =
                kind == LARGEST ? vb_max(extreme, x, IS_SIGNED) : vb_min(extreme, x, IS_SIGNED);
        }
    vi_store(bytes, extreme);
    for (size_t c = 0; c < COLUMNS; c++)
        extremes[c] = bytes[c];
}

/* Reduces `rows` rows of each run, `width` elements long, in COLUMNS columns. */
HY_ALWAYS_INLINE void reduce_columns(enum kind kind, const struct hy_walk *runs, const HY_T *in,
                                     size_t rows, size_t width, int64_t *values)
{
    if (kind == SUM)
        sum_columns(runs, in, rows, width, values);
    else
        find_extremes(kind, runs, in, rows, width, values);
}

/* Reduces rows shorter than a vector: several rows count as one row, and the columns are joined. */
HY_ALWAYS_INLINE void reduce_short_rows(enum kind kind, const struct hy_walk *runs, const HY_T *in,
                                        size_t columns, int64_t *values)
{
    /* Empty outputs are not computed. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const size_t rows_in_one = (COLUMNS + columns - 1) / columns, width = rows_in_one * columns;
    const size_t wide = runs->dims[1] / rows_in_one;
    int64_t parts[COLUMNS];

    for (size_t c = 0; c < columns; c++)
        values[c] = start_of(kind);
    for (size_t first = 0, c = 0; first < width && wide > 0; first += COLUMNS) {
        const size_t at = first + COLUMNS <= width ? first : width - COLUMNS;
        reduce_columns(kind, runs, in + at, wide, width, parts);
        for (size_t i = first - at; i < COLUMNS; i++) {
            /* There are columns. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
            values[c] = join(kind, values[c], parts[i]);
            c = c + 1 == columns ? 0 : c + 1;
        }
    }
    for (size_t r = 0; r < runs->dims[0]; r++)
        for (size_t i = wide * rows_in_one; i < runs->dims[1]; i++)
            for (size_t c = 0; c < columns; c++)
                values[c] = join(kind, values[c], in[r * runs->strides[0] + i * columns + c]);
}

/* Reduces at most PIECE neighbouring elements. */
static inline int64_t reduce_run(enum kind kind, const HY_T *in, size_t count)
{
    int32_t value = (int32_t)start_of(kind);

    for (size_t i = 0; i < count; i++)
        value = kind == LARGEST    ? (in[i] > value ? in[i] : value)
                : kind == SMALLEST ? (in[i] < value ? in[i] : value)
                                   : value + in[i];
    return value;
}

HY_ALWAYS_INLINE int64_t reduce_line(enum kind kind, const struct hy_walk *runs, const HY_T *in,
                                     struct hy_stop_watch *watch)
{
    int64_t value = start_of(kind);

    for (size_t r = 0; r < runs->dims[0]; r++)
        for (size_t i = 0; i < runs->dims[1]; i += PIECE) {
            const size_t some = runs->dims[1] - i < PIECE ? runs->dims[1] - i : PIECE;
            if (hy_stop_after(watch, some))
                return value;
            value = join(kind, value, reduce_run(kind, in + r * runs->strides[0] + i, some));
        }
    return value;
}

typedef HY_T result_fn(const struct hy_reduce_params *params, int64_t value);

/* Computes one row of outputs. */
HY_ALWAYS_INLINE void reduce_rows(enum kind kind, result_fn *result,
                                  const struct hy_reduce_params *params, const HY_T *in, HY_T *out,
                                  struct hy_stop_watch *watch)
{
    const size_t columns = params->retained.dims[1];
    const size_t rows = params->reduced.dims[0] * params->reduced.dims[1];
    int64_t values[COLUMNS];

    if (columns < COLUMNS) {
        if (hy_stop_after(watch, rows * columns))
            return;
        reduce_short_rows(kind, &params->reduced, in, columns, values);
        for (size_t c = 0; c < columns; c++)
            out[c] = result(params, values[c]);
        return;
    }
    for (size_t first = 0; first < columns; first += COLUMNS) {
        const size_t at = first + COLUMNS <= columns ? first : columns - COLUMNS;
        if (hy_stop_after(watch, rows * COLUMNS))
            return;
        reduce_columns(kind, &params->reduced, in + at, params->reduced.dims[1], columns, values);
        for (size_t c = 0; c < COLUMNS; c++)
            out[at + c] = result(params, values[c]);
    }
}

/* Every caller passes a constant kind and result, so the compiler makes one copy per pair. */
HY_ALWAYS_INLINE void run(enum kind kind, result_fn *result, const struct hy_reduce_params *params,
                          const HY_T *in, HY_T *out)
{
    const struct hy_reduce_params copy = *params; /* local: stores cannot alias it */
    const struct hy_walk *retained = &copy.retained;
    struct hy_stop_watch *watch = hy_stop_here();

    params = &copy;
    for (size_t i = 0; i < retained->dims[0]; i++, out += retained->dims[1]) {
        const HY_T *from = in + i * retained->strides[0];
        if (retained->strides[1] == 1) {
            reduce_rows(kind, result, params, from, out, watch);
            continue;
        }
        for (size_t j = 0; j < retained->dims[1] && !hy_stop_after(watch, 1); j++)
            out[j] = result(params, reduce_line(kind, &params->reduced,
                                                from + j * retained->strides[1], watch));
    }
}

/* The kernel hy_reduce_<name>_<set>_<type>. */
#define REDUCE(name, kind, result) \
    void HY_SIMD_FN(reduce_##name)(const struct hy_reduce_params *params, const void *in, \
                                   void *out) \
    { \
        run(kind, result, params, in, out); \
    }

#if HY_IS_QUANT
static inline HY_T stored(const struct hy_reduce_params *params, int64_t value)
{
    (void)params;
    return (HY_T)value;
}

REDUCE(max, LARGEST, stored)
REDUCE(min, SMALLEST, stored)
REDUCE(mean, SUM, hy_mean_truncated)
REDUCE(mean_nearest, SUM, hy_mean_nearest)
REDUCE(mean_rescaled, SUM, hy_mean_rescaled)
#else
static inline HY_T is_true(const struct hy_reduce_params *params, int64_t value)
{
    (void)params;
    return value != 0;
}

REDUCE(all, SMALLEST, is_true)
REDUCE(any, LARGEST, is_true)
#endif
