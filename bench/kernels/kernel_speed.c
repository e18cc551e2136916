/*
 * kernel_speed: the speed of the kernels of each instruction set for shapes of small networks, on
 * one thread. The levels run in turns; a figure is the median of short rounds.
 *
 *     kernel_speed [WORD]     only shapes whose name contains WORD
 *
 * Multiply-adds per nanosecond are comparable over shapes, and with the processor's limit: two
 * fused multiplications of a whole vector in each cycle. For sums and functions the figures are
 * elements per nanosecond.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "common/random.h"
#include "cpu_fallback/kernels/kernels.h"

static const struct hy_bench_rules rules = {.rounds = 301, .round_time = 0.0002};

enum family { CONV, WINOGRAD, DEPTHWISE, MATMUL, ADD, LOGISTIC, TANH, SOFTMAX };

/* One image; filters square or not, padding at the start of each side. MATMUL: a line of in_w
 * pixels, whose filter is packed in each run. ADD and functions: in_h elements. */
struct shape {
    const char *name;
    enum family family;
    enum hy_element element;
    uint32_t in_h, in_w, in_c, out_h, out_w, out_c;
    uint32_t filter_h, filter_w, stride, pad_top, pad_left;
};

#define F32 HY_ELEMENT_F32
#define S8  HY_ELEMENT_S8
#define S16 HY_ELEMENT_S16

static const struct shape shapes[] = {
    {"keywords first", CONV, F32, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1},
    {"keywords depthwise", DEPTHWISE, F32, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1},
    {"keywords pointwise", CONV, F32, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0},
    {"resnet first", CONV, F32, 32, 32, 3, 32, 32, 16, 3, 3, 1, 1, 1},
    {"resnet 16", CONV, F32, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"resnet 32", CONV, F32, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"resnet 64", CONV, F32, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"winograd 16", WINOGRAD, F32, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"winograd 32", WINOGRAD, F32, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"winograd 64", WINOGRAD, F32, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"winograd 128", WINOGRAD, F32, 28, 28, 128, 28, 28, 128, 3, 3, 1, 1, 1},
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
    {"mobile narrow 24", CONV, F32, 56, 56, 144, 56, 56, 24, 1, 1, 1, 0, 0},
    {"mobile narrow 40", CONV, F32, 28, 28, 240, 28, 28, 40, 1, 1, 1, 0, 0},
    {"mobile depthwise 32", DEPTHWISE, F32, 112, 112, 32, 112, 112, 32, 3, 3, 1, 1, 1},
    {"mobile depthwise 128 by 2", DEPTHWISE, F32, 56, 56, 128, 28, 28, 128, 3, 3, 2, 0, 0},
    {"mobile depthwise 512", DEPTHWISE, F32, 14, 14, 512, 14, 14, 512, 3, 3, 1, 1, 1},
    {"mobile depthwise 1024", DEPTHWISE, F32, 7, 7, 1024, 7, 7, 1024, 3, 3, 1, 1, 1},
    {"depthwise 5x5", DEPTHWISE, F32, 14, 14, 96, 14, 14, 96, 5, 5, 1, 2, 2},
    {"dense", CONV, F32, 1, 1, 640, 1, 1, 128, 1, 1, 1, 0, 0},
    {"byte keywords first", CONV, S8, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1},
    {"byte keywords depthwise", DEPTHWISE, S8, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1},
    {"byte keywords pointwise", CONV, S8, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0},
    {"byte resnet 16", CONV, S8, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"byte speech", DEPTHWISE, S8, 49, 40, 1, 25, 20, 8, 10, 8, 2, 4, 3},
    {"byte wake depthwise 8", DEPTHWISE, S8, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1},
    {"byte wake depthwise 128", DEPTHWISE, S8, 6, 6, 128, 6, 6, 128, 3, 3, 1, 1, 1},
    {"byte mobile first", CONV, S8, 224, 224, 3, 112, 112, 32, 3, 3, 2, 0, 0},
    {"byte mobile pointwise 32", CONV, S8, 112, 112, 32, 112, 112, 64, 1, 1, 1, 0, 0},
    {"byte mobile pointwise 512", CONV, S8, 14, 14, 512, 14, 14, 512, 1, 1, 1, 0, 0},
    {"byte mobile narrow 24", CONV, S8, 56, 56, 144, 56, 56, 24, 1, 1, 1, 0, 0},
    {"byte mobile narrow 40", CONV, S8, 28, 28, 240, 28, 28, 40, 1, 1, 1, 0, 0},
    {"byte mobile depthwise 128", DEPTHWISE, S8, 56, 56, 128, 56, 56, 128, 3, 3, 1, 1, 1},
    {"byte mobile depthwise 96 by 2", DEPTHWISE, S8, 112, 112, 96, 56, 56, 96, 3, 3, 2, 0, 0},
    {"byte depthwise 5x5", DEPTHWISE, S8, 14, 14, 672, 14, 14, 672, 5, 5, 1, 2, 2},
    {"byte conv 3x3", CONV, S8, 56, 56, 64, 56, 56, 64, 3, 3, 1, 1, 1},
    {"byte conv 32", CONV, S8, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"byte conv 64", CONV, S8, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"byte conv 128", CONV, S8, 28, 28, 128, 28, 28, 128, 3, 3, 1, 1, 1},
    {"byte conv 256", CONV, S8, 14, 14, 256, 14, 14, 256, 3, 3, 1, 1, 1},
    {"byte winograd 3x3", WINOGRAD, S8, 56, 56, 64, 56, 56, 64, 3, 3, 1, 1, 1},
    {"byte winograd 16", WINOGRAD, S8, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"byte winograd 32", WINOGRAD, S8, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"byte winograd 64", WINOGRAD, S8, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"byte winograd 128", WINOGRAD, S8, 28, 28, 128, 28, 28, 128, 3, 3, 1, 1, 1},
    {"byte winograd 256", WINOGRAD, S8, 14, 14, 256, 14, 14, 256, 3, 3, 1, 1, 1},
    {"byte attention scores", MATMUL, S8, 1, 128, 64, 1, 128, 128, 1, 1, 1, 0, 0},
    {"byte attention mixed", MATMUL, S8, 1, 128, 128, 1, 128, 64, 1, 1, 1, 0, 0},
    {"byte matmul 512", MATMUL, S8, 1, 512, 256, 1, 512, 1280, 1, 1, 1, 0, 0},
    /* int16 data with int8 weights, in MATMUL with int16: next to the same shapes of bytes */
    {"wide attention scores", MATMUL, S16, 1, 128, 64, 1, 128, 128, 1, 1, 1, 0, 0},
    {"wide attention mixed", MATMUL, S16, 1, 128, 128, 1, 128, 64, 1, 1, 1, 0, 0},
    {"wide matmul 512", MATMUL, S16, 1, 512, 256, 1, 512, 1280, 1, 1, 1, 0, 0},
    {"wide mobile pointwise 32", CONV, S16, 112, 112, 32, 112, 112, 64, 1, 1, 1, 0, 0},
    {"wide mobile pointwise 512", CONV, S16, 14, 14, 512, 14, 14, 512, 1, 1, 1, 0, 0},
    {"wide mobile narrow 24", CONV, S16, 56, 56, 144, 56, 56, 24, 1, 1, 1, 0, 0},
    {"wide mobile first", CONV, S16, 224, 224, 3, 112, 112, 32, 3, 3, 2, 0, 0},
    {"wide resnet 16", CONV, S16, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1},
    {"wide conv 64", CONV, S16, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"wide conv 3x3", CONV, S16, 56, 56, 64, 56, 56, 64, 3, 3, 1, 1, 1},
    {"wide conv 256", CONV, S16, 14, 14, 256, 14, 14, 256, 3, 3, 1, 1, 1},
    {"wide winograd 3x3", WINOGRAD, S16, 56, 56, 64, 56, 56, 64, 3, 3, 1, 1, 1},
    {"wide winograd 32", WINOGRAD, S16, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"wide winograd 64", WINOGRAD, S16, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1},
    {"wide winograd 128", WINOGRAD, S16, 28, 28, 128, 28, 28, 128, 3, 3, 1, 1, 1},
    {"wide winograd 256", WINOGRAD, S16, 14, 14, 256, 14, 14, 256, 3, 3, 1, 1, 1},
    {"wide conv 32", CONV, S16, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1},
    {"wide conv 128", CONV, S16, 28, 28, 128, 28, 28, 128, 3, 3, 1, 1, 1},
    {"wide keywords depthwise", DEPTHWISE, S16, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1},
    {"wide wake depthwise 8", DEPTHWISE, S16, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1},
    {"wide wake depthwise 128", DEPTHWISE, S16, 6, 6, 128, 6, 6, 128, 3, 3, 1, 1, 1},
    {"wide mobile depthwise 128", DEPTHWISE, S16, 56, 56, 128, 56, 56, 128, 3, 3, 1, 1, 1},
    {"wide mobile depthwise 96 by 2", DEPTHWISE, S16, 112, 112, 96, 56, 56, 96, 3, 3, 2, 0, 0},
    {"wide depthwise 5x5", DEPTHWISE, S16, 14, 14, 672, 14, 14, 672, 5, 5, 1, 2, 2},
    {.name = "add", .family = ADD, .element = F32, .in_h = 16384},
    {.name = "byte add", .family = ADD, .element = S8, .in_h = 16384},
    {.name = "wide add", .family = ADD, .element = S16, .in_h = 16384},
    {.name = "logistic", .family = LOGISTIC, .element = F32, .in_h = 16384},
    {.name = "tanh", .family = TANH, .element = F32, .in_h = 16384},
    {.name = "softmax", .family = SOFTMAX, .element = F32, .in_h = 16384},
};

struct job {
    const struct shape *shape;
    struct hy_conv_params conv;
    struct hy_binary_params binary;
    struct hy_sum_form form;
    const struct hy_conv_kernel *kernel;
    hy_binary_fn *add;
    hy_unary_fn *function;
    hy_softmax_fn *softmax;
    void *in, *other, *filter, *bias, *packed, *scratch, *out;
};

/* In one row of elements. */
static bool is_flat(const struct shape *shape)
{
    return shape->family >= ADD;
}

/* Zeroed, aligned, and a little longer than asked for. NULL: out of memory. */
static void *alloc(size_t bytes)
{
    const size_t whole = (bytes / HY_KERNEL_ALIGNMENT + 1) * HY_KERNEL_ALIGNMENT;
    void *block = aligned_alloc(HY_KERNEL_ALIGNMENT, whole);
    return block ? memset(block, 0, whole) : NULL;
}

/* Noise, the same in every run: numbers below 1, or all there are of bytes, or of 16 bits. */
static void *alloc_elements(enum hy_element element, size_t count)
{
    void *block = alloc(count * 4);
    struct hy_random random = {1};

    for (size_t i = 0; block && i < count; i++) {
        const int8_t value = (int8_t)hy_random_next(&random);
        if (element == F32)
            ((float *)block)[i] = (float)value / 128;
        else if (element == S16)
            ((int16_t *)block)[i] = (int16_t)hy_random_next(&random);
        else
            ((int8_t *)block)[i] = value;
    }
    return block;
}

static size_t out_count(const struct shape *s)
{
    return is_flat(s) ? s->in_h : (size_t)s->out_h * s->out_w * s->out_c;
}

/* How many inputs an output depends on. */
static double conv_inputs(const struct shape *s)
{
    return (double)s->filter_h * s->filter_w * (s->family == DEPTHWISE ? 1 : s->in_c);
}

/* Multiplications, or elements; as a direct convolution has them. */
static double products(const struct shape *s)
{
    return (double)out_count(s) * (is_flat(s) ? 1 : conv_inputs(s));
}

static void set_conv(const struct shape *s, struct hy_conv_params *p)
{
    static struct hy_multiplier multipliers[2048];
    /* sums of noise then use the full range of bytes, and are not round numbers */
    for (size_t i = 0; i < 2048; i++)
        multipliers[i] =
            hy_multiplier_from_double((0.0073 + 1.2345678e-6 * (double)i) / sqrt(conv_inputs(s)));
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
                                 .in_zero_point = s->element == S8 ? 3 : 0,
                                 .out_zero_point = s->element == S8 ? -5 : 0,
                                 .multipliers = multipliers};
}

static bool set_sum(const struct shape *s, struct job *job)
{
    const uint32_t dims = s->in_h;
    job->binary.a_zero_point = s->element == S8 ? 4 : 0;
    job->binary.out_zero_point = s->element == S8 ? -3 : 0;
    job->binary.activation = hy_activation_bounds(0, s->element, 0.05f, job->binary.out_zero_point);
    hy_binary_set_scales(&job->binary, HY_BINARY_ADD, s->element, 0.03f, 0.04f, 0.05f);
    if (s->element == S8 &&
        hy_sum_form_find(&job->binary, HY_BINARY_ADD, true, UINT32_MAX, &job->form))
        job->binary.form = &job->form;
    return hy_broadcast_init(1, &dims, 1, &dims, &job->binary.shape);
}

static const struct hy_conv_kernel *kernel_of(const struct shape *s,
                                              const struct hy_kernel_table *table)
{
    if (s->family == WINOGRAD)
        return &table->winograd_conv[s->element];
    if (s->family == MATMUL && s->element == S16)
        return &table->matmul_wide;
    return s->family == DEPTHWISE ? &table->depthwise_conv[s->element] : &table->conv[s->element];
}

static bool open_conv(const struct shape *s, const struct hy_kernel_table *table, struct job *job)
{
    const struct hy_conv_kernel *kernel = kernel_of(s, table);
    const size_t depth = (size_t)conv_inputs(s);
    const bool has_byte_weights = s->element == S16 && s->family != MATMUL;

    job->filter = alloc_elements(has_byte_weights ? S8 : s->element, depth * s->out_c);
    job->bias = alloc((size_t)s->out_c * 8);
    /* as in trained networks, where few weights are large: most sums fit 32 bits */
    for (size_t i = 0; has_byte_weights && job->filter && i < depth * s->out_c; i++)
        ((int8_t *)job->filter)[i] /= 3;
    set_conv(s, &job->conv);
    if (kernel->suits && !kernel->suits(&job->conv))
        kernel = &table->conv[s->element]; /* replaces the kernel */
    kernel = hy_conv_kernel_for(kernel, &job->conv);
    job->kernel = kernel;
    job->packed = kernel->pack ? alloc(kernel->packed_bytes(&job->conv)) : NULL;
    job->scratch = kernel->scratch_bytes ? alloc(kernel->scratch_bytes(&job->conv)) : NULL;
    if (!job->packed || !job->filter || !job->bias)
        return false;
    kernel->pack(&job->conv, job->filter, job->bias, job->packed);
    return true;
}

static bool open_job(const struct shape *s, const struct hy_kernel_table *table, struct job *job)
{
    const size_t in = is_flat(s) ? s->in_h : (size_t)s->in_h * s->in_w * s->in_c;

    *job = (struct job){
        .shape = s, .in = alloc_elements(s->element, in), .out = alloc(out_count(s) * 4)};
    if (!job->in || !job->out)
        return false;
    if (!is_flat(s))
        return open_conv(s, table, job);
    if (s->family == LOGISTIC || s->family == TANH)
        job->function =
            table->unary[s->family == TANH ? HY_UNARY_TANH : HY_UNARY_LOGISTIC][s->element];
    if (s->family == SOFTMAX)
        job->softmax = table->softmax[s->element];
    if (s->family != ADD)
        return true;
    job->other = alloc_elements(s->element, in);
    job->add = table->binary[HY_BINARY_ADD][s->element];
    return job->other && set_sum(s, job);
}

static void close_job(struct job *job)
{
    free(job->in);
    free(job->other);
    free(job->filter);
    free(job->bias);
    free(job->packed);
    free(job->scratch);
    free(job->out);
}

static enum hy_code run_job(void *self, struct hy_error *err)
{
    const struct job *job = self;
    const struct hy_unary_params all = {.count = job->shape->in_h};
    const struct hy_softmax_params row = {
        .outer = 1, .count = job->shape->in_h, .inner = 1, .beta = 1};
    (void)err;
    if (job->shape->family == MATMUL)
        job->kernel->pack(&job->conv, job->filter, job->bias, job->packed);
    if (job->add)
        job->add(&job->binary, job->in, job->other, job->out);
    else if (job->function)
        job->function(&all, job->in, job->out);
    else if (job->softmax)
        job->softmax(&row, job->in, job->out);
    else
        job->kernel->run(&job->conv, job->in, job->packed, NULL, job->out, job->scratch, 0,
                         job->kernel->units(&job->conv));
    return HY_OK;
}

static void print_row(const struct shape *shape, const struct hy_bench_subject *subjects,
                      uint32_t count)
{
    printf("| %s |", shape->name);
    for (uint32_t i = 0; i < count; i++)
        printf(" %.2f | %.1f |", subjects[i].median_us,
               products(shape) / subjects[i].median_us / 1e3);
    printf("\n");
    fflush(stdout);
}

/* The levels of this machine above the reference. */
static uint32_t find_isa_levels(enum hy_kernel_isa_level isa_levels[HY_KERNEL_ISA_LEVEL_COUNT])
{
    uint32_t count = 0;

    for (int level = HY_KERNEL_REFERENCE + 1; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (hy_kernels_at((enum hy_kernel_isa_level)level))
            isa_levels[count++] = (enum hy_kernel_isa_level)level;
    return count;
}

static enum hy_code measure(const struct shape *shape, const enum hy_kernel_isa_level *at,
                            uint32_t level_count, struct hy_error *err)
{
    struct job jobs[HY_KERNEL_ISA_LEVEL_COUNT] = {0};
    struct hy_bench_subject subjects[HY_KERNEL_ISA_LEVEL_COUNT] = {0};
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < level_count; i++) {
        if (!open_job(shape, hy_kernels_at(at[i]), &jobs[i]))
            code = hy_fail(err, HY_OUT_OF_MEMORY, "%s", shape->name);
        subjects[i] = (struct hy_bench_subject){.run = run_job, .self = &jobs[i]};
    }
    if (code == HY_OK)
        code = hy_bench_measure(subjects, level_count, &rules, err);
    if (code == HY_OK)
        print_row(shape, subjects, level_count);
    for (uint32_t i = 0; i < level_count; i++)
        close_job(&jobs[i]);
    return code;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    enum hy_kernel_isa_level at[HY_KERNEL_ISA_LEVEL_COUNT];
    const uint32_t level_count = find_isa_levels(at);
    struct hy_error err;

    printf("| shape |");
    for (uint32_t i = 0; i < level_count; i++)
        printf(" %s µs | products/ns |", hy_kernel_isa_level_name(at[i]));
    printf("\n");
    for (size_t i = 0; level_count > 0 && i < sizeof shapes / sizeof *shapes; i++)
        if (strstr(shapes[i].name, word) && measure(&shapes[i], at, level_count, &err) != HY_OK) {
            fprintf(stderr, "kernel_speed: %s\n", err.text);
            return 1;
        }
    return 0;
}
