#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/float_distance.h"
#include "tests/scenarios/numerics/quantised.h"

/* Pools, and images resized. */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32

enum { MOST_ELEMENTS = 1 << 16 };

struct image {
    int32_t operation;
    struct hy_builder_type in_type, out_type;
    uint32_t in_h, in_w, out_h, out_w, channels;
    uint32_t filter_h, filter_w, stride, pad; /* pools */
    bool align_corners, half_pixels;          /* resizing */
    double most;
    union elements {
        float floats[MOST_ELEMENTS];
        uint8_t bytes[MOST_ELEMENTS];
    } in, out;
    double exact[MOST_ELEMENTS], unit[MOST_ELEMENTS];
};

static double element(const struct hy_builder_type *type, const union elements *e, uint32_t i)
{
    return type->type == F32 ? (double)e->floats[i] : stored(type->type, e->bytes[i]);
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct image *p = context;

    for (uint32_t i = 0; i < p->out_h * p->out_w * p->channels; i++) {
        const double got = element(&p->out_type, &p->out, i), want = p->exact[i];
        if (got == want || (isnan(got) && isnan(want)))
            continue;
        if (!claim_near(device, fabs(got - want) / p->unit[i], p->most))
            claim_wrong(claim, device, "element %u of %u x %u x %u is %.9g, exactly %.9g", i,
                        p->out_h, p->out_w, p->channels, got, want);
    }
}

static uint32_t between(struct hy_random *r, int32_t low, int32_t high)
{
    return (uint32_t)hy_random_between(r, low, high);
}

static void fill(struct hy_random *r, struct image *p, bool has_nan)
{
    const uint32_t count = p->in_h * p->in_w * p->channels;

    if (p->in_type.type != F32)
        fill_bytes(r, p->in.bytes, count);
    for (uint32_t i = 0; i < count && p->in_type.type == F32; i++)
        p->in.floats[i] = has_nan && hy_random_one_in(r, 8) ? NAN : 8 * hy_random_real(r, -1, 1);
}

static void set_types(struct image *p, int32_t type)
{
    p->in_type = hy_op_case_type(type, 4, (uint32_t[]){1, p->in_h, p->in_w, p->channels});
    p->out_type = hy_op_case_type(type, 4, (uint32_t[]){1, p->out_h, p->out_w, p->channels});
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static void choose_pool(struct hy_random *r, struct image *p, int32_t type)
{
    p->filter_h = between(r, 1, 4);
    p->filter_w = between(r, 1, 4);
    p->stride = between(r, 1, 2);
    p->pad = p->filter_h > 1 && p->filter_w > 1 ? between(r, 0, 1) : 0;
    p->in_h = between(r, 4, 24);
    p->in_w = between(r, 4, 24);
    p->channels = between(r, 1, 70);
    p->out_h = (p->in_h + 2 * p->pad - p->filter_h) / p->stride + 1;
    p->out_w = (p->in_w + 2 * p->pad - p->filter_w) / p->stride + 1;
    set_types(p, type);
}

/* What lies under a window: how much of it is inside, and of that sums and the largest. */
struct window {
    uint32_t count;
    double sum, squares, largest;
};

static struct window window_at(const struct image *p, uint32_t i)
{
    const uint32_t c = i % p->channels, x = i / p->channels % p->out_w;
    const uint32_t y = i / p->channels / p->out_w;
    struct window w = {.largest = -INFINITY};

    for (uint32_t row = 0; row < p->filter_h; row++)
        for (uint32_t column = 0; column < p->filter_w; column++) {
            const uint32_t at_y = y * p->stride + row - p->pad;
            const uint32_t at_x = x * p->stride + column - p->pad;
            if (at_y >= p->in_h || at_x >= p->in_w) /* also those before the first */
                continue;
            const double e =
                element(&p->in_type, &p->in, (at_y * p->in_w + at_x) * p->channels + c);
            w.count++;
            w.sum += e;
            w.squares += e * e;
            w.largest = e > w.largest ? e : w.largest;
        }
    return w;
}

static void run_pool(struct claim *claim, struct image *p)
{
    const uint32_t parameters[] = {p->pad,    p->pad,      p->pad,      p->pad, p->stride,
                                   p->stride, p->filter_w, p->filter_h, 0};
    struct hy_op_case test;

    hy_op_case_init(&test, p->operation);
    hy_op_case_tensor(&test, &p->in_type, &p->in, false);
    for (uint32_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        hy_op_case_int(&test, (int32_t)parameters[i]);
    hy_op_case_output(&test, &p->out_type, &p->out, sizeof p->out);
    claim_run(claim, &test, check, p);
    hy_op_case_finish(&test);
    claim_count(claim, p->out_h * p->out_w * p->channels);
}

typedef double pool_fn(const struct window *w, const struct image *p, double *unit);

static void check_pools(struct claim *claim, int32_t operation, int32_t type, double most,
                        pool_fn *expected)
{
    static struct image p;

    p.operation = operation;
    p.most = most;
    while (claim_goes_on(claim)) {
        choose_pool(&claim->random, &p, type ? type : any_byte_type(&claim->random));
        fill(&claim->random, &p, operation == HY_OP_MAX_POOL_2D);
        for (uint32_t i = 0; i < p.out_h * p.out_w * p.channels; i++) {
            const struct window w = window_at(&p, i);
            p.unit[i] = 1;
            p.exact[i] = expected(&w, &p, &p.unit[i]);
        }
        run_pool(claim, &p);
    }
}

static double largest(const struct window *w, const struct image *p, double *unit)
{
    (void)p;
    (void)unit;
    return w->largest;
}

CLAIM(images, max_pool_2d_of_float32_ignores_nan)
{
    check_pools(claim, HY_OP_MAX_POOL_2D, F32, 0, largest);
}

CLAIM(images, max_pool_2d_of_bytes_is_exact)
{
    check_pools(claim, HY_OP_MAX_POOL_2D, 0, 0, largest);
}

/* Half away from zero, of stored numbers. */
static double stored_mean(const struct window *w, const struct image *p, double *unit)
{
    (void)p;
    (void)unit;
    return round(w->sum / w->count);
}

CLAIM(images, average_pool_2d_of_bytes_is_the_nearest_step)
{
    check_pools(claim, HY_OP_AVERAGE_POOL_2D, 0, 0, stored_mean);
}

/* ---- Resizing -------------------------------------------------------------------------------- */

static void choose_resize(struct hy_random *r, struct image *p, int32_t type)
{
    const uint32_t way = between(r, 0, 2);

    p->align_corners = way == 1;
    p->half_pixels = way == 2;
    p->in_h = between(r, 1, 24);
    p->in_w = between(r, 1, 24);
    p->out_h = between(r, 1, 64);
    p->out_w = between(r, 1, 64);
    p->channels = between(r, 1, 8);
    set_types(p, type);
}

/* Between which lines output line `out` lies, and how far on the way from the first. */
struct between {
    uint32_t low, high;
    double weight;
};

static struct between position(const struct image *p, uint32_t out, uint32_t ins, uint32_t outs)
{
    const double scale =
        p->align_corners && outs > 1 ? (double)(ins - 1) / (outs - 1) : (double)ins / outs;
    const double at = p->half_pixels ? (out + 0.5) * scale - 0.5 : out * scale;
    const double inside = fmin(fmax(at, 0), ins - 1);
    const uint32_t low = (uint32_t)inside;

    return (struct between){low, low + 1 < ins ? low + 1 : low, inside - low};
}

static double interpolated(const struct image *p, uint32_t i)
{
    const uint32_t c = i % p->channels, n = p->channels, w = p->in_w;
    const struct between y = position(p, i / n / p->out_w, p->in_h, p->out_h);
    const struct between x = position(p, i / n % p->out_w, w, p->out_w);
    const double top = element(&p->in_type, &p->in, (y.low * w + x.low) * n + c) * (1 - x.weight) +
                       element(&p->in_type, &p->in, (y.low * w + x.high) * n + c) * x.weight;
    const double bottom =
        element(&p->in_type, &p->in, (y.high * w + x.low) * n + c) * (1 - x.weight) +
        element(&p->in_type, &p->in, (y.high * w + x.high) * n + c) * x.weight;

    return top * (1 - y.weight) + bottom * y.weight;
}

static void run_resize(struct claim *claim, struct image *p)
{
    struct hy_op_case test;

    hy_op_case_init(&test, p->operation);
    hy_op_case_tensor(&test, &p->in_type, &p->in, false);
    hy_op_case_int(&test, (int32_t)p->out_w);
    hy_op_case_int(&test, (int32_t)p->out_h);
    hy_op_case_bool(&test, false);
    hy_op_case_bool(&test, p->align_corners);
    hy_op_case_bool(&test, p->half_pixels);
    hy_op_case_output(&test, &p->out_type, &p->out, sizeof p->out);
    claim_run(claim, &test, check, p);
    hy_op_case_finish(&test);
    claim_count(claim, p->out_h * p->out_w * p->channels);
}

/* Places are floats: with 24 lines an error of 2^-19 of the way, and so of as much of 255 steps. */
static void check_bilinear(struct claim *claim, int32_t type, double most)
{
    static struct image p;

    p.operation = HY_OP_RESIZE_BILINEAR;
    p.most = most;
    while (claim_goes_on(claim)) {
        choose_resize(&claim->random, &p, type ? type : any_byte_type(&claim->random));
        fill(&claim->random, &p, false);
        for (uint32_t i = 0; i < p.out_h * p.out_w * p.channels; i++) {
            p.exact[i] = interpolated(&p, i);
            p.unit[i] = 1;
        }
        run_resize(claim, &p);
    }
}

CLAIM(images, resize_bilinear_of_bytes_is_the_nearest_step)
{
    check_bilinear(claim, 0, 0.501);
}

CLAIM(images, resize_bilinear_of_float32_is_within_its_bound)
{
    check_bilinear(claim, F32, 16 * 0x1p-18);
}
