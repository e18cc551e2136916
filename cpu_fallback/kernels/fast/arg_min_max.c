#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * ARGMAX and ARGMIN of float32 and 8 bits. If lines are rows, a vector holds elements of one line;
 * if lines are columns, elements of several lines. The last vector of a line may repeat elements of
 * the vector before.
 */

#if HY_IS_FLOAT
#define LANES HY_LANES

/* Negates for ARGMIN, so that the largest element is sought in both cases. */
static inline vf turned(enum hy_arg_min_max op, vf x)
{
    return op == HY_ARG_MAX ? x : vf_sub(vf_set1(0), x);
}

/* The elements from `at` on. A line shorter than a vector is filled up with its first element. */
static inline vf load(enum hy_arg_min_max op, const float *line, size_t count, size_t at)
{
    if (count >= HY_LANES)
        return turned(op, vf_load(line + at));
    return turned(op, vf_first_of(count, vf_load_part(line, count), vf_set1(line[0])));
}

static inline size_t vector_at(size_t i, size_t count)
{
    return i + HY_LANES <= count || i == 0 ? i : count - HY_LANES;
}

/* Compares four vectors at a time, because the branch on the vector of the result is
 * unpredictable. */
static inline int32_t first_equal(enum hy_arg_min_max op, const float *line, size_t count, vf value)
{
    for (size_t i = 0; i < count; i += 4 * HY_LANES) {
        uint64_t lanes = 0;
        for (size_t j = i, bit = 0; bit < 4 * HY_LANES && j < count; j += HY_LANES, bit += HY_LANES)
            lanes |= (uint64_t)vf_equal_lanes(load(op, line, count, vector_at(j, count)), value)
                     << bit;
        if (lanes != 0) {
            const size_t lane = (size_t)__builtin_ctzll(lanes);
            return (int32_t)(vector_at(i + lane / HY_LANES * HY_LANES, count) + lane % HY_LANES);
        }
    }
    return 0; /* another process changed the line meanwhile */
}

/* A NaN wins only as the first element. */
static inline int32_t find_in_row(enum hy_arg_min_max op, const float *line, size_t count)
{
    vf largest = turned(op, vf_set1(line[0]));

    if (line[0] != line[0])
        return 0;
    for (size_t i = 0; i < count; i += HY_LANES) {
        const vf x = load(op, line, count, vector_at(i, count));
        largest = vf_if_below(largest, x, x, largest);
    }
    return first_equal(op, line, count, vf_set1(vf_largest(largest)));
}

static inline void find_in_columns(enum hy_arg_min_max op, const float *in, size_t count,
                                   size_t step, int32_t *out)
{
    vf largest = turned(op, vf_load(in)), index = vf_of_bits(vi_set1(0));

    for (size_t i = 1; i < count; i++) {
        const vf x = turned(op, vf_load(in + i * step));
        index = vf_if_below(largest, x, vf_of_bits(vi_set1((int32_t)i)), index);
        largest = vf_if_below(largest, x, x, largest);
    }
    vi_store(out, vi_of_bits(index));
}
#else
/*
 * A key of 16 bits: the element in the upper byte, turned so that the best is the smallest, and an
 * index in the lower byte. The smallest key is the first of the best among 256 elements.
 */
#define LANES   (2 * HY_LANES)
#define INDICES ((size_t)256)

#if defined(HY_S8)
enum { LEAST = INT8_MIN, MOST = INT8_MAX };
#else
enum { LEAST = 0, MOST = UINT8_MAX };
#endif
#define IS_SIGNED ((HY_T)-1 < 0)

/* Added to an index before elements are merged into the key. */
static inline int index_base(enum hy_arg_min_max op)
{
    return (op == HY_ARG_MAX ? MOST : -LEAST) * 256;
}

static inline vi keys_of(enum hy_arg_min_max op, vi elements, vi turned_index)
{
    const vi upper = vs_shift_left_by(elements, 8);
    return op == HY_ARG_MAX ? vs_sub(turned_index, upper) : vs_add(turned_index, upper);
}

/* The smallest key of at most INDICES elements. */
static inline unsigned best_of_some(enum hy_arg_min_max op, const HY_T *line, size_t count)
{
    static const uint16_t lanes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                     22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const vi index = vs_add(vi_load(lanes), vs_set1(index_base(op)));
    vi best = vs_set1(-1);

    if (count < LANES) {
        const vi elements = vs_load_bytes_part(line, count, IS_SIGNED);
        return vs_smallest_unsigned(vs_first_of(count, keys_of(op, elements, index), best));
    }
    for (size_t i = 0; i < count; i += LANES) {
        const size_t at = i + LANES <= count ? i : count - LANES;
        const vi elements = vs_load_bytes(line + at, IS_SIGNED);
        best = vs_min_unsigned(best, keys_of(op, elements, vs_add(index, vs_set1((int)at))));
    }
    return vs_smallest_unsigned(best);
}

/* Worse than every key. */
#define NO_KEY    UINT32_MAX

/* Compares the best of the next INDICES elements with the best of all elements before. */
static inline void join(uint32_t key, size_t first, uint32_t *best, int32_t *at)
{
    if (key >> 8 < *best >> 8) {
        *best = key;
        *at = (int32_t)(first + key % INDICES);
    }
}

static inline int32_t find_in_row(enum hy_arg_min_max op, const HY_T *line, size_t count)
{
    uint32_t best = NO_KEY;
    int32_t at = 0;

    for (size_t first = 0; first < count; first += INDICES) {
        const size_t some = count - first < INDICES ? count - first : INDICES;
        join(best_of_some(op, line + first, some), first, &best, &at);
    }
    return at;
}

static inline void find_in_columns(enum hy_arg_min_max op, const HY_T *in, size_t count,
                                   size_t step, int32_t *out)
{
    uint32_t best[LANES];

    for (size_t c = 0; c < LANES; c++)
        best[c] = NO_KEY;
    for (size_t first = 0; first < count; first += INDICES) {
        const size_t some = count - first < INDICES ? count - first : INDICES;
        vi keys = vs_set1(-1);
        uint16_t lanes[LANES];

        for (size_t i = 0; i < some; i++) {
            const vi elements = vs_load_bytes(in + (first + i) * step, IS_SIGNED);
            const vi index = vs_set1(index_base(op) + (int)i);
            keys = vs_min_unsigned(keys, keys_of(op, elements, index));
        }
        vi_store(lanes, keys);
        for (size_t c = 0; c < LANES; c++)
            join(lanes[c], first, &best[c], &out[c]);
    }
}
#endif

static inline bool is_better(enum hy_arg_min_max op, HY_T a, HY_T b)
{
    return op == HY_ARG_MAX ? a > b : a < b;
}

/* For fewer columns than lanes. */
static inline int32_t find_in_column(enum hy_arg_min_max op, const HY_T *line, size_t count,
                                     size_t step)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (is_better(op, line[i * step], line[best * step]))
            best = i;
    return (int32_t)best;
}

/* Every caller passes a constant operation, so the compiler makes one copy per operation. */
HY_ALWAYS_INLINE void run(enum hy_arg_min_max op, const struct hy_lines *lines, const HY_T *in,
                          int32_t *out)
{
    const size_t count = lines->count, inner = lines->inner;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t o = 0; o < lines->outer; o++, in += count * inner, out += inner) {
        const size_t lanes = inner < LANES ? 1 : LANES;
        for (size_t i = 0; i < inner; i += lanes) {
            const size_t at = i + lanes <= inner ? i : inner - lanes;
            if (hy_stop_after(watch, count * lanes))
                return;
            if (inner == 1)
                out[at] = find_in_row(op, in, count);
            else if (lanes == 1)
                out[at] = find_in_column(op, in + at, count, inner);
            else
                find_in_columns(op, in + at, count, inner, out + at);
        }
    }
}

void HY_SIMD_FN(arg_max)(const struct hy_lines *lines, const void *in, int32_t *out)
{
    run(HY_ARG_MAX, lines, in, out);
}

void HY_SIMD_FN(arg_min)(const struct hy_lines *lines, const void *in, int32_t *out)
{
    run(HY_ARG_MIN, lines, in, out);
}
