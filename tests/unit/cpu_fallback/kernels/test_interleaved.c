#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "tested.h"
#include "tests/kit/test.h"

/*
 * A FULLY_CONNECTED of one row with a share of another beside it, against each of them by itself.
 */
enum { MOST_DEPTH = 70, MOST_PANELS = 8, MOST_GROUPS = 3 };

/* A product in guarded memory, of three slots from the first. */
struct product {
    struct hy_conv_params params;
    size_t rows, count; /* count: of outputs */
    float *in, *weights, *out, *want;
};

enum { ROW_SLOT, PARTITION_SLOT = 3, FILTER_SLOT = 6, BIAS_SLOT };

static void init_product(struct product *product, struct hy_random *r, int slot, size_t rows,
                         const struct hy_conv_kernel *kernel)
{
    const uint32_t depth = (uint32_t)hy_random_between(r, 1, MOST_DEPTH);
    const uint32_t columns = kernel->panel * (uint32_t)hy_random_between(r, 1, MOST_PANELS);

    *product = (struct product){.rows = rows, .count = rows * columns};
    product->params.activation.min = hy_random_one_in(r, 2) ? -INFINITY : -0.5f;
    product->params.activation.max = hy_random_one_in(r, 2) ? INFINITY : 0.5f;
    hy_conv_params_set_fully_connected(&product->params, (uint32_t)rows, depth, columns);
    product->in = tensor_random(r, slot, HY_ELEMENT_F32, rows * depth);
    const float *filter = tensor_random(r, FILTER_SLOT, HY_ELEMENT_F32, (size_t)depth * columns);
    const float *bias = tensor_random(r, BIAS_SLOT, HY_ELEMENT_F32, columns);
    product->weights = guarded_alloc(slot + 1, kernel->packed_bytes(&product->params), 0);
    kernel->pack(&product->params, filter, bias, product->weights);
    product->out = tensor_blank(slot + 2, HY_ELEMENT_F32, product->count);
    product->want = malloc(product->count * sizeof *product->want);
    if (!product->want)
        abort();
    kernel->run(&product->params, product->in, product->weights, NULL, product->want, NULL, 0,
                kernel->units(&product->params));
}

/* Whether a share has this output of its product. */
static bool has_output(const struct hy_conv_partition *partition,
                       const struct hy_conv_kernel *kernel, size_t i)
{
    const uint32_t columns = partition->params->out_c,
                   step = partition->width ? partition->step : columns;
    const uint32_t width = partition->width ? partition->width : columns;
    const uint32_t panels = columns / step * width / kernel->panel;
    const size_t row = i / columns, column = i % columns, in_step = column % step;
    const size_t panel = (column / step * width + in_step - partition->first) / kernel->panel;

    return partition->parts > 0 && row >= partition->row &&
           row < partition->row + kernel->interleaved_rows && in_step >= partition->first &&
           in_step < partition->first + width &&
           panel >= panels * partition->part / partition->parts &&
           panel < panels * (partition->part + 1) / partition->parts;
}

/* Some of the output channels, again and again. */
static void pick_columns(struct hy_conv_partition *partition, struct hy_random *r, uint32_t panel)
{
    const int32_t panels = (int32_t)(partition->params->out_c / panel);
    int32_t step = hy_random_between(r, 1, panels);

    while (panels % step != 0)
        step--;
    const int32_t first = hy_random_between(r, 0, step - 1);
    partition->step = (uint32_t)step * panel;
    partition->first = (uint32_t)first * panel;
    partition->width = (uint32_t)hy_random_between(r, 1, step - first) * panel;
}

static bool is_same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check(uint64_t seed, const struct hy_conv_kernel *kernel)
{
    struct hy_random r = {seed};
    struct product row, tall;
    const size_t groups = (size_t)hy_random_between(&r, 1, MOST_GROUPS);
    const size_t rest = (size_t)hy_random_between(&r, 0, (int32_t)kernel->interleaved_rows - 1);
    const float blank = *(float *)tensor_blank(0, HY_ELEMENT_F32, 1);

    init_product(&row, &r, ROW_SLOT, 1, kernel);
    init_product(&tall, &r, PARTITION_SLOT, groups * kernel->interleaved_rows + rest, kernel);
    struct hy_conv_partition partition = {
        .params = &tall.params,
        .in = tall.in,
        .weights = tall.weights,
        .out = tall.out,
        .row = (size_t)hy_random_between(&r, 0, (int32_t)groups - 1) * kernel->interleaved_rows,
        .parts = (uint32_t)hy_random_between(&r, 0, 9),
    };
    if (partition.parts > 0)
        partition.part = (uint32_t)hy_random_between(&r, 0, (int32_t)partition.parts - 1);
    if (hy_random_one_in(&r, 2))
        pick_columns(&partition, &r, kernel->panel);

    kernel->run_interleaved(&row.params, row.in, row.weights, row.out, &partition);
    if (memcmp(row.out, row.want, row.count * sizeof *row.out) != 0)
        hy_test_fail(__FILE__, __LINE__, "seed %llu: the row is another", (unsigned long long)seed);
    for (size_t i = 0; i < tall.count; i++) {
        const float want = has_output(&partition, kernel, i) ? tall.want[i] : blank;
        if (is_same(tall.out[i], want))
            continue;
        hy_test_fail(__FILE__, __LINE__, "seed %llu: output %zu of the other is %.9g, not %.9g",
                     (unsigned long long)seed, i, (double)tall.out[i], (double)want);
        break;
    }
    EXPECT(guarded_front_is_intact(ROW_SLOT + 2) && guarded_front_is_intact(PARTITION_SLOT + 2));
    free(row.want);
    free(tall.want);
}

TEST(kernels_interleaved, a_row_and_a_share_are_what_each_is_by_itself)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *kernels = tested_kernels_at(level);
        const struct hy_conv_kernel *kernel = kernels ? &kernels->conv[HY_ELEMENT_F32] : NULL;
        if (!kernel || !kernel->run_interleaved || !tested_is_own(level, kernel, sizeof *kernel))
            continue;
        for (uint64_t seed = 0; seed < 2000; seed++)
            check(seed, kernel);
    }
}
