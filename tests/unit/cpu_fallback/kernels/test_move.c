#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/kernels/stop.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/* Moves of every level against the reference; both sides end where their pages do. */

enum { IN_SLOT, WANT_SLOT, OUT_SLOT, RANK = 4, MOST_ELEMENTS = 40000 };

static const enum hy_element elements[HY_ELEMENT_SIZE_COUNT] = {
    [HY_ELEMENT_SIZE1] = HY_ELEMENT_U8,
    [HY_ELEMENT_SIZE2] = HY_ELEMENT_U16,
    [HY_ELEMENT_SIZE4] = HY_ELEMENT_I32,
    [HY_ELEMENT_SIZE8] = HY_ELEMENT_I64,
};

struct move_case {
    uint64_t seed;
    enum hy_element_size size;
    struct hy_strided_copy_params params;
    size_t in_count, out_count; /* elements of both sides */
    size_t in_first;            /* place of index 0 in the input */
};

static void check(int level, const struct move_case *c)
{
    const struct hy_kernel_table *table = tested_kernels_at(level);
    const enum hy_element element = elements[c->size];
    const size_t bytes = tensor_element_size(element);
    struct hy_random r = {c->seed};

    const uint8_t *in = tensor_random(&r, IN_SLOT, element, c->in_count);
    uint8_t *want = tensor_blank(WANT_SLOT, element, c->out_count);
    uint8_t *got = tensor_blank(OUT_SLOT, element, c->out_count);
    hy_kernels_reference()->strided_copy[c->size](&c->params, in + c->in_first * bytes, want);
    table->strided_copy[c->size](&c->params, in + c->in_first * bytes, got);
    const size_t i = tensor_first_difference(element, want, got, c->out_count);
    if (i < c->out_count)
        hy_test_fail(__FILE__, __LINE__, "%s seed %llu, %zu bytes: %zu is %g, the reference has %g",
                     hy_kernel_isa_level_name((enum hy_kernel_isa_level)level),
                     (unsigned long long)c->seed, bytes, i, tensor_at(element, got, i),
                     tensor_at(element, want, i));
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

static void check_on_every_level(const struct move_case *c)
{
    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (tested_kernels_at(level))
            check(level, c);
}

/* Strides of a side that has its dimensions in a random order, with gaps now and then. */
static void lay_out(struct hy_random *r, const size_t *dims, ptrdiff_t *strides)
{
    uint32_t order[RANK] = {0};
    ptrdiff_t stride = 1;

    for (uint32_t d = 0; d < RANK; d++) {
        const uint32_t to = (uint32_t)hy_random_between(r, 0, (int32_t)d);
        order[d] = order[to];
        order[to] = d;
    }
    for (uint32_t d = 0; d < RANK; d++) {
        strides[order[d]] = stride;
        stride *= (ptrdiff_t)dims[order[d]];
        if (hy_random_one_in(r, 3))
            stride += hy_random_between(r, 1, 3);
    }
}

/* Elements from the first place to the last. */
static size_t extent(const size_t *dims, const ptrdiff_t *strides)
{
    size_t last = 0;

    for (uint32_t d = 0; d < RANK; d++) {
        if (dims[d] == 0)
            return 0;
        last += (dims[d] - 1) * (size_t)strides[d];
    }
    return last + 1;
}

static size_t random_size(struct hy_random *r)
{
    if (hy_random_one_in(r, 40))
        return 0;
    return (size_t)(hy_random_one_in(r, 2) ? hy_random_between(r, 1, 4)
                                           : hy_random_between(r, 1, 80));
}

static struct move_case random_case(uint64_t seed)
{
    struct move_case c = {.seed = seed, .size = (enum hy_element_size)(seed % 3)};
    struct hy_random r = {seed};
    size_t dims[RANK], count = 1;
    ptrdiff_t in[RANK], out[RANK];

    for (uint32_t d = 0; d < RANK; d++) {
        dims[d] = random_size(&r);
        if (count * dims[d] > MOST_ELEMENTS)
            dims[d] = 1;
        count *= dims[d];
    }
    lay_out(&r, dims, in);
    lay_out(&r, dims, out);
    for (uint32_t d = 0; d < RANK; d++)
        if (hy_random_one_in(&r, 6))
            in[d] = 0;
    c.in_count = extent(dims, in);
    c.out_count = extent(dims, out);
    for (uint32_t d = 0; d < RANK && c.in_count > 0; d++)
        if (hy_random_one_in(&r, 6)) {
            c.in_first += (dims[d] - 1) * (size_t)in[d];
            in[d] = -in[d];
        }
    for (uint32_t d = 0; d < RANK; d++)
        hy_strided_copy_add(&c.params, dims[d], in[d], out[d]);
    hy_strided_copy_finalize(&c.params);
    return c;
}

TEST(kernels_move, every_level_is_as_the_reference)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        const struct move_case c = random_case(seed);
        if (c.out_count > 0)
            check_on_every_level(&c);
    }
}

TEST(kernels_move, runs_of_every_length_are_copied)
{
    enum { RUNS = 3, GAP = 2 };

    for (size_t length = 1; length <= 600; length++)
        for (int size = 0; size < HY_ELEMENT_SIZE_COUNT; size++) {
            struct move_case c = {.seed = length,
                                  .size = (enum hy_element_size)size,
                                  .in_count = RUNS * length,
                                  .out_count = RUNS * (length + GAP) - GAP};
            hy_strided_copy_add(&c.params, RUNS, (ptrdiff_t)length, (ptrdiff_t)(length + GAP));
            hy_strided_copy_add(&c.params, length, 1, 1);
            hy_strided_copy_finalize(&c.params);
            check_on_every_level(&c);
        }
}

TEST(kernels_move, rows_of_every_extent_become_columns)
{
    enum { MOST = 70 };

    for (size_t rows = 1; rows <= MOST; rows++)
        for (size_t columns = 1; columns <= MOST; columns++) {
            const size_t count = rows * columns;
            struct move_case c = {.seed = count,
                                  .size = (enum hy_element_size)((rows + columns) % 3),
                                  .in_count = count,
                                  .out_count = count};
            hy_strided_copy_add(&c.params, rows, 1, (ptrdiff_t)columns);
            hy_strided_copy_add(&c.params, columns, (ptrdiff_t)rows, 1);
            hy_strided_copy_finalize(&c.params);
            check_on_every_level(&c);
        }
}

/* Images of few channels, to planes and back. */
TEST(kernels_move, channels_become_planes_and_planes_channels)
{
    enum { PIXELS = 2100 };

    for (size_t channels = 1; channels <= 6; channels++)
        for (int size = 0; size < HY_ELEMENT_SIZE_COUNT; size++) {
            const ptrdiff_t step = (ptrdiff_t)channels;
            struct move_case planes = {.seed = channels,
                                       .size = (enum hy_element_size)size,
                                       .in_count = channels * PIXELS,
                                       .out_count = channels * PIXELS};
            struct move_case pixels = planes;
            hy_strided_copy_add(&planes.params, channels, 1, PIXELS);
            hy_strided_copy_add(&planes.params, PIXELS, step, 1);
            hy_strided_copy_finalize(&planes.params);
            check_on_every_level(&planes);
            hy_strided_copy_add(&pixels.params, PIXELS, 1, step);
            hy_strided_copy_add(&pixels.params, channels, PIXELS, 1);
            hy_strided_copy_finalize(&pixels.params);
            check_on_every_level(&pixels);
        }
}

TEST(kernels_move, rows_are_reversed_and_thinned_out)
{
    enum { MOST = 150 };
    static const ptrdiff_t steps[] = {-3, -2, -1, 2, 3, 4, 5};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (size_t count = 1; count <= MOST; count++) {
            const size_t last = (count - 1) * (size_t)(steps[i] < 0 ? -steps[i] : steps[i]);
            struct move_case c = {.seed = count,
                                  .size = (enum hy_element_size)(count % 3),
                                  .in_count = last + 1,
                                  .out_count = count,
                                  .in_first = steps[i] < 0 ? last : 0};
            hy_strided_copy_add(&c.params, count, steps[i], 1);
            hy_strided_copy_finalize(&c.params);
            check_on_every_level(&c);
        }
}

/* More elements than are moved between two looks at the time. */
TEST(kernels_move, tensors_longer_than_a_piece_of_work_are_moved)
{
    const size_t count = (size_t)HY_STOP_UNITS + 77;
    struct move_case copied = {.seed = 1, .in_count = count, .out_count = count};
    struct move_case filled = {.seed = 2, .in_count = 1, .out_count = count};

    hy_strided_copy_add(&copied.params, count, 1, 1);
    hy_strided_copy_finalize(&copied.params);
    check_on_every_level(&copied);
    hy_strided_copy_add(&filled.params, count, 0, 1);
    hy_strided_copy_finalize(&filled.params);
    check_on_every_level(&filled);
}
