/*
 * kernel_speed: what the kernels of each instruction set take for shapes of small networks, on one
 * thread. The levels take turns; a figure is the median of short rounds.
 *
 *     kernel_speed [WORD]     only shapes whose name contains WORD
 *
 * Products of a microsecond are comparable over shapes, and with what the processor could do at
 * most: two fused multiplications of a whole vector in each cycle.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/race.h"
#include "cpu_fallback/kernels/kernels.h"

static const struct hy_race_rules rules = {.rounds = 301, .round_time = 0.0002};

enum family { CONV, DEPTHWISE, ADD };

/* One image; filters square or not, padding at the start of each side. ADD: in_h elements. */
struct shape {
    const char *name;
    enum family family;
    enum hy_element element;
    uint32_t in_h, in_w, in_c, out_h, out_w, out_c;
    uint32_t filter_h, filter_w, stride, pad_top, pad_left;
};

#define F32 HY_ELEMENT_F32
#define S8  HY_ELEMENT_S8

static const struct shape shapes[] = {
    {"keywords first", CONV, F32, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1},
    {"keywords depthwise", DEPTHWISE, F32, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1},
    {"keywords pointwise", CONV, F32, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0},
    {"resnet first", CONV, F32, 32, 32, 3, 32, 32, 16, 3, 3, 1, 1, 1},
    {"resnet 16", CONV, F32, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"resnet 32", CONV, F32, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"resnet 64", CONV, F32, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"resnet shortcut", CONV, F32, 32, 32, 16, 16, 16, 32, 1, 1, 2, 0, 0},
    {"wake first", CONV, F32, 96, 96, 3, 48, 48, 8, 3, 3, 2, 0, 0},
    {"wake depthwise 8", DEPTHWISE, F32, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1},
    {"wake pointwise 8", CONV, F32, 48, 48, 8, 48, 48, 16, 1, 1, 1, 0, 0},
    {"wake depthwise 16", DEPTHWISE, F32, 48, 48, 16, 24, 24, 16, 3, 3, 2, 0, 0},
    {"wake pointwise 16", CONV, F32, 24, 24, 16, 24, 24, 32, 1, 1, 1, 0, 0},
    {"wake depthwise 32", DEPTHWISE, F32, 24, 24, 32, 24, 24, 32, 3, 3, 1, 1, 1},
    {"wake pointwise 64", CONV, F32, 12, 12, 64, 12, 12, 64, 1, 1, 1, 0, 0},
    {"wake depthwise 128", DEPTHWISE, F32, 6, 6, 128, 6, 6, 128, 3, 3, 1, 1, 1},
    {"wake pointwise 128", CONV, F32, 6, 6, 128, 6, 6, 128, 1, 1, 1, 0, 0},
    {"wake depthwise 256", DEPTHWISE, F32, 3, 3, 256, 3, 3, 256, 3, 3, 1, 1, 1},
    {"wake pointwise 256", CONV, F32, 3, 3, 256, 3, 3, 256, 1, 1, 1, 0, 0},
    {"depthwise 5x5", DEPTHWISE, F32, 14, 14, 96, 14, 14, 96, 5, 5, 1, 2, 2},
    {"dense", CONV, F32, 1, 1, 640, 1, 1, 128, 1, 1, 1, 0, 0},
    {"byte keywords first", CONV, S8, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1},
    {"byte keywords depthwise", DEPTHWISE, S8, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1},
    {"byte keywords pointwise", CONV, S8, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0},
    {"byte resnet 16", CONV, S8, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"byte speech", DEPTHWISE, S8, 49, 40, 1, 25, 20, 8, 10, 8, 2, 4, 3},
    {"byte wake depthwise 8", DEPTHWISE, S8, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1},
    {"byte wake depthwise 128", DEPTHWISE, S8, 6, 6, 128, 6, 6, 128, 3, 3, 1, 1, 1},
    {.name = "add", .family = ADD, .element = F32, .in_h = 16384},
    {.name = "byte add", .family = ADD, .element = S8, .in_h = 16384},
};

struct job {
    const struct shape *shape;
    struct hy_conv_params conv;
    struct hy_binary_params binary;
    const struct hy_conv_kernel *kernel;
    hy_binary_fn *add;
    void *in, *other, *packed, *scratch, *out;
};

static bool is_float(const struct shape *shape)
{
    return shape->element == F32;
}

/* Zeroed, aligned, and a little longer than asked for. NULL: out of memory. */
static void *take(size_t bytes)
{
    const size_t whole = (bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT;
    void *block = aligned_alloc(HY_KERNEL_ALIGNMENT, whole);
    return block ? memset(block, 0, whole) : NULL;
}

/* Small numbers, none of them denormal. */
static void *take_elements(const struct shape *shape, size_t count)
{
    void *block = take(count * 4);
    for (size_t i = 0; block && i < count; i++) {
        const int value = (int)(i * 7 % 61) - 30;
        if (is_float(shape))
            ((float *)block)[i] = (float)value / 64;
        else
            ((int8_t *)block)[i] = (int8_t)value;
    }
    return block;
}

static size_t out_count(const struct shape *s)
{
    return s->family == ADD ? s->in_h : (size_t)s->out_h * s->out_w * s->out_c;
}

/* Multiplications, or elements of a sum. */
static double products(const struct shape *s)
{
    const size_t taps = (size_t)s->filter_h * s->filter_w;
    const size_t depth = s->family == DEPTHWISE ? taps : taps * s->in_c;
    return (double)out_count(s) * (s->family == ADD ? 1 : (double)depth);
}

static void set_conv(const struct shape *s, struct hy_conv_params *p)
{
    static struct hy_multiplier multipliers[512];
    for (size_t i = 0; i < 512; i++)
        multipliers[i] = hy_multiplier_from_double(0.003);
    *p = (struct hy_conv_params){.batch = 1,
                                 .in_h = s->in_h,
                                 .in_w = s->in_w,
                                 .in_c = s->in_c,
                                 .out_h = s->out_h,
                                 .out_w = s->out_w,
                                 .out_c = s->out_c,
                                 .filter_h = s->filter_h,
                                 .filter_w = s->filter_w,
                                 .stride_h = s->stride,
                                 .stride_w = s->stride,
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                                 .pad_top = s->pad_top,
                                 .pad_left = s->pad_left,
                                 .groups = 1,
                                 .activation = hy_activation_bounds(1, s->element, 0.1f, -5),
                                 .in_zero_point = is_float(s) ? 0 : 3,
                                 .out_zero_point = is_float(s) ? 0 : -5,
                                 .multipliers = multipliers};
}

static bool set_sum(const struct shape *s, struct job *job)
{
    const uint32_t dims = s->in_h;
    job->binary.activation = hy_activation_bounds(0, s->element, 0.05f, -3);
    job->binary.a_zero_point = 4;
    job->binary.out_zero_point = -3;
    hy_binary_set_scales(&job->binary, HY_BINARY_ADD, 0.03f, 0.04f, 0.05f);
    return hy_broadcast_init(1, &dims, 1, &dims, &job->binary.shape);
}

static bool open_conv(const struct shape *s, const struct hy_kernel_table *table, struct job *job)
{
    const struct hy_conv_kernel *kernel =
        s->family == CONV ? &table->conv[s->element] : &table->depthwise_conv[s->element];
    const size_t depth = (size_t)s->filter_h * s->filter_w * (s->family == CONV ? s->in_c : 1);
    void *filter = take_elements(s, depth * s->out_c), *bias = take((size_t)s->out_c * 4);

    set_conv(s, &job->conv);
    job->kernel = kernel;
    job->packed = kernel->pack ? take(kernel->packed_bytes(&job->conv)) : NULL;
    job->scratch = kernel->scratch_bytes ? take(kernel->scratch_bytes(&job->conv)) : NULL;
    if (job->packed && filter && bias)
        kernel->pack(&job->conv, filter, bias, job->packed);
    free(filter);
    free(bias);
    return job->packed != NULL;
}

static bool open_job(const struct shape *s, const struct hy_kernel_table *table, struct job *job)
{
    const size_t in = s->family == ADD ? s->in_h : (size_t)s->in_h * s->in_w * s->in_c;

    *job = (struct job){.shape = s, .in = take_elements(s, in), .out = take(out_count(s) * 4)};
    if (!job->in || !job->out)
        return false;
    if (s->family != ADD)
        return open_conv(s, table, job);
    job->other = take_elements(s, in);
    job->add = table->binary[HY_BINARY_ADD][s->element];
    return job->other && set_sum(s, job);
}

static void close_job(struct job *job)
{
    free(job->in);
    free(job->other);
    free(job->packed);
    free(job->scratch);
    free(job->out);
}

static enum hy_code run_job(void *self, struct hy_error *err)
{
    const struct job *job = self;
    (void)err;
    if (job->add)
        job->add(&job->binary, job->in, job->other, job->out);
    else
        job->kernel->run(&job->conv, job->in, job->packed, NULL, job->out, job->scratch, 0,
                         job->kernel->units(&job->conv));
    return HY_OK;
}

static void print_row(const struct shape *shape, const struct hy_racer *racers, uint32_t count)
{
    printf("| %s |", shape->name);
    for (uint32_t i = 0; i < count; i++)
        printf(" %.2f | %.1f |", racers[i].median_us, products(shape) / racers[i].median_us / 1e3);
    printf("\n");
    fflush(stdout);
}

static enum hy_code measure(const struct shape *shape, uint32_t levels, struct hy_error *err)
{
    struct job jobs[HY_KERNEL_LEVEL_COUNT] = {0};
    struct hy_racer racers[HY_KERNEL_LEVEL_COUNT] = {0};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < levels; i++) {
        const enum hy_kernel_level level = (enum hy_kernel_level)(HY_KERNEL_AVX2 + i);
        if (!open_job(shape, hy_kernels_at(level), &jobs[i]))
            code = hy_fail(err, HY_OUT_OF_MEMORY, "%s", shape->name);
        racers[i] = (struct hy_racer){.run = run_job, .self = &jobs[i]};
    }
    if (code == HY_OK)
        code = hy_race(racers, levels, &rules, err);
    if (code == HY_OK)
        print_row(shape, racers, levels);
    for (uint32_t i = 0; i < levels; i++)
        close_job(&jobs[i]);
    return code;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    uint32_t levels = 0;
    struct hy_error err;

    printf("| shape |");
    for (uint32_t level = HY_KERNEL_AVX2; level < HY_KERNEL_LEVEL_COUNT; level++)
        if (hy_kernels_at((enum hy_kernel_level)level)) {
            const char *name = hy_kernel_level_name((enum hy_kernel_level)level);
            printf(" %s µs | products/ns |", name);
            levels++;
        }
    printf("\n");
    for (size_t i = 0; levels > 0 && i < sizeof shapes / sizeof *shapes; i++)
        if (strstr(shapes[i].name, word) && measure(&shapes[i], levels, &err) != HY_OK) {
            fprintf(stderr, "kernel_speed: %s\n", err.text);
            return 1;
        }
    return 0;
}
