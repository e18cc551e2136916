#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * SOFTMAX in 8 bits, bit-exact with the reference. As in the reference, a sum of powers is added
 * from the first element to the last; several softmaxes at once keep the adders busy. The largest
 * elements and the results are computed in vectors.
 */

#if defined(HY_S8)
enum { MIN = INT8_MIN };
#else
enum { MIN = 0 };
#endif

/* Softmaxes summed at once. */
#define LINES 4

/* Elements whose powers are looked up before their use. */
#define BLOCK ((size_t)8 * HY_LANES)

/* x + ROUNDER is x rounded to an integer, ties to even; the lowest bits hold the integer. */
#define ROUNDER 0x1.8p23f

/* One softmax: its first element, and the table entry of difference 0 less its largest element. The
 * power of element e is at `entry` + e. */
struct line {
    const HY_T *in;
    HY_T *out;
    int entry;
    float sum;
};

/* Clamps the index, because another process may change the elements meanwhile. */
static inline float power_of(const struct line *line, int element, const float *table)
{
    return table[(uint8_t)(line->entry + element)];
}

static inline int largest(const HY_T *in, size_t count, size_t step)
{
    HY_T max = in[0];

    if (step == 1) /* lets the compiler vectorise */
        for (size_t i = 0; i < count; i++)
            max = in[i] > max ? in[i] : max;
    else
        for (size_t i = 0; i < count; i++)
            max = in[i * step] > max ? in[i * step] : max;
    return max;
}

static inline void sum_lines(struct line *lines, size_t count, size_t step, const float *table)
{
    float sums[LINES] = {0};

    for (size_t i = 0; i < count; i++) {
        HY_UNROLL(4)
        for (int l = 0; l < LINES; l++)
            sums[l] += power_of(&lines[l], lines[l].in[i * step], table);
    }
    for (int l = 0; l < LINES; l++)
        lines[l].sum = sums[l];
}

static void sum_line(struct line *line, size_t count, size_t step, const float *table)
{
    line->sum = 0;
    for (size_t i = 0; i < count; i++)
        line->sum += power_of(line, line->in[i * step], table);
}

/* Converts fractions of 256, rounded half up, to elements. */
static inline vi steps_of(vf probability)
{
    const vf rounder = vf_set1(ROUNDER), nearest = vf_sub(vf_add(probability, rounder), rounder);
    /* If a tie was rounded down to even, the rest is exactly one half. */
    const vf rest = vf_sub(probability, nearest);
    const vf up = vf_if_below(vf_set1(0x1.fffffep-2f), rest, vf_set1(1), vf_set1(0));
    const vf steps = vf_min(vf_set1(255), vf_add(nearest, up));

    return vi_of_bits(vf_add(vf_add(steps, vf_set1(MIN)), rounder));
}

static void store_steps(vi steps, size_t count, size_t step, HY_T *out)
{
    HY_T bytes[HY_LANES];

    if (step == 1) {
        vi_store_bytes_part(out, steps, count);
        return;
    }
    vi_store_bytes_part(bytes, steps, count);
    for (size_t i = 0; i < count; i++)
        out[i * step] = bytes[i];
}

/* Works on a block at a time, because a vector read just after its elements were stored waits for
 * the stores. */
static void finish_line(const struct line *line, size_t count, size_t step, const float *table)
{
    const vf inverse = vf_set1(1 / (line->sum * (1 / 256.0f)));
    float powers[BLOCK];

    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t block = count - first < BLOCK ? count - first : BLOCK;
        const HY_T *in = line->in + first * step;

        for (size_t i = 0; i < block; i++)
            powers[i] = power_of(line, in[i * step], table);
        for (size_t i = 0; i < block; i += HY_LANES) {
            const size_t part = block - i < HY_LANES ? block - i : HY_LANES;
            const vf probability = vf_multiply(vf_load_part(powers + i, part), inverse);
            store_steps(steps_of(probability), part, step, line->out + (first + i) * step);
        }
    }
}

void HY_SIMD_FN(softmax)(const struct hy_softmax_params *p, const void *in, void *out)
{
    const size_t lines = p->count > 0 ? p->outer * p->inner : 0;
    struct line some[LINES];
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t first = 0; first < lines; first += LINES) {
        const size_t most = lines - first < LINES ? lines - first : LINES;
        if (hy_stop_after(watch, most * p->count))
            return;
        for (size_t l = 0; l < most; l++) {
            const size_t at = first + l;
            const size_t begin = at / p->inner * p->count * p->inner + at % p->inner;
            some[l].in = (const HY_T *)in + begin;
            some[l].out = (HY_T *)out + begin;
            some[l].entry = HY_SOFTMAX_TABLE_SIZE - 1 - largest(some[l].in, p->count, p->inner);
        }
        if (most == LINES)
            sum_lines(some, p->count, p->inner, p->exp_table);
        for (size_t l = 0; l < most; l++) {
            if (most < LINES)
                sum_line(&some[l], p->count, p->inner, p->exp_table);
            finish_line(&some[l], p->count, p->inner, p->exp_table);
        }
    }
}
