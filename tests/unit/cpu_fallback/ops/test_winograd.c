/* Which convolutions are computed by minimal filtering, and what comes of it in a model. */
#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/operations/operation.h"
#include "common/random.h"
#include "cpu_fallback/ops/conv/conv_winograd.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* ---- The rule -------------------------------------------------------------------------------- */

/* One that pays: from 16 to 32 channels, 20x20. */
static const struct hy_conv_params usual = {.batch = 1,
                                            .in_h = 20,
                                            .in_w = 20,
                                            .in_c = 16,
                                            .out_h = 20,
                                            .out_w = 20,
                                            .out_c = 32,
                                            .filter_h = 3,
                                            .filter_w = 3,
                                            .stride_h = 1,
                                            .stride_w = 1,
                                            .dilation_h = 1,
                                            .dilation_w = 1,
                                            .pad_top = 1,
                                            .pad_left = 1,
                                            .groups = 1};

/* What is chosen on a machine with so large a second cache, where the slot may hold weights. */
static const struct hy_conv_kernel *choose(const struct hy_conv_params *params, int32_t type,
                                           struct hy_cpu_weights *slot, uint64_t l2_bytes)
{
    struct hy_value value = {.type = type};
    const uint32_t inputs[] = {0};
    const struct hy_call call = {.input_count = 1, .inputs = inputs, .values = &value};
    const struct hy_cpu_resolve_ctx ctx = {.call = &call,
                                           .kernels = hy_kernels_fast(),
                                           .reference = hy_kernels_reference(),
                                           .weights = slot,
                                           .threads = 1,
                                           .l2_bytes = l2_bytes};

    const enum hy_element element = hy_cpu_element(type);
    return hy_conv_winograd(&ctx, element, &ctx.kernels->conv[element], params);
}

static bool is_supported(const struct hy_conv_params *params)
{
    struct hy_cpu_weights slot = {.weights_arena = NULL};

    return choose(params, ANEURALNETWORKS_TENSOR_FLOAT32, &slot, 1 << 20) != NULL;
}

static bool has_kernel(void)
{
    return hy_kernels_fast()->winograd_conv[HY_ELEMENT_F32].run != NULL;
}

TEST(winograd, filters_of_3x3_take_it_and_no_others)
{
    struct hy_conv_params p = usual;

    EXPECT(is_supported(&p) == has_kernel());
    uint32_t *const fields[] = {&p.filter_h,   &p.filter_w,   &p.stride_h, &p.stride_w,
                                &p.dilation_h, &p.dilation_w, &p.groups};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        p = usual;
        *fields[i] = 2;
        EXPECT(!is_supported(&p));
    }
}

TEST(winograd, few_channels_or_pixels_do_not_pay)
{
    struct hy_conv_params p = usual;

    p.in_c = 15;
    EXPECT(!is_supported(&p));
    p = usual;
    p.out_c = 15;
    EXPECT(!is_supported(&p));
    p = usual;
    p.out_h = p.out_w = 2;
    EXPECT(!is_supported(&p));
    p.batch = 4;
    EXPECT(is_supported(&p) == has_kernel());
}

TEST(winograd, weights_from_far_want_more_pixels)
{
    struct hy_conv_params p = usual;

    p.in_c = p.out_c = 512;
    p.out_h = p.out_w = 10;
    EXPECT(!is_supported(&p));
    p.out_h = p.out_w = 11;
    EXPECT(is_supported(&p) == has_kernel());
}

/* With weights that are all the same: what is chosen for bytes at a level. */
static bool are_chosen_over(enum hy_kernel_isa_level level, const struct hy_conv_kernel *direct,
                            const struct hy_conv_params *params, uint8_t weight, uint64_t l2_bytes)
{
    const size_t count = (size_t)9 * params->in_c * params->out_c;
    uint8_t *filter = malloc(count);
    struct hy_value values[] = {
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
        {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .data = filter},
    };
    const uint32_t inputs[] = {0, 1};
    const struct hy_call call = {.input_count = 2, .inputs = inputs, .values = values};
    struct hy_cpu_weights slot = {.weights_arena = NULL};
    const struct hy_cpu_resolve_ctx ctx = {.call = &call,
                                           .kernels = hy_kernels_at(level),
                                           .reference = hy_kernels_reference(),
                                           .weights = &slot,
                                           .threads = 1,
                                           .l2_bytes = l2_bytes};

    if (!filter)
        abort();
    memset(filter, weight, count);
    const bool is_chosen = hy_conv_winograd(&ctx, HY_ELEMENT_U8, direct, params) != NULL;
    free(filter);
    return is_chosen;
}

static bool are_chosen_at(enum hy_kernel_isa_level level, const struct hy_conv_params *params,
                          uint8_t weight, uint64_t l2_bytes)
{
    return are_chosen_over(level, &hy_kernels_at(level)->conv[HY_ELEMENT_U8], params, weight,
                           l2_bytes);
}

/* Levels with a kernel for bytes that is not slower than the direct one: those whose products of
 * bytes are quicker than of 16 bits, or the other. */
static uint32_t isa_levels_of_bytes(bool are_quicker)
{
    uint32_t isa_levels = 0;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *table = hy_kernels_at((enum hy_kernel_isa_level)level);
        const struct hy_conv_kernel *kernel = table ? &table->winograd_conv[HY_ELEMENT_U8] : NULL;
        if (kernel && kernel->run &&
            kernel->products_per_us > table->conv[HY_ELEMENT_U8].products_per_us &&
            (level != HY_KERNEL_AVX2) == are_quicker)
            isa_levels |= 1u << level;
    }
    return isa_levels;
}

static void expect_bytes_chosen(uint32_t isa_levels, const struct hy_conv_params *params,
                                uint8_t weight, uint64_t l2_bytes, bool want)
{
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++)
        if (isa_levels & 1u << level)
            EXPECT(are_chosen_at((enum hy_kernel_isa_level)level, params, weight, l2_bytes) ==
                   want);
}

static void expect_chosen(uint32_t isa_levels, const struct hy_conv_params *params, bool want)
{
    expect_bytes_chosen(isa_levels, params, 1, 1 << 20, want);
}

/* As tiles are. */
TEST(winograd, direct_kernels_that_are_as_quick_leave_nothing_to_it)
{
    const uint32_t isa_levels = isa_levels_of_bytes(true);
    struct hy_conv_params p = usual;

    p.in_c = p.out_c = 64;
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        if (!(isa_levels & 1u << level))
            continue;
        const struct hy_kernel_table *table = hy_kernels_at((enum hy_kernel_isa_level)level);
        struct hy_conv_kernel direct = table->conv[HY_ELEMENT_U8];
        EXPECT(are_chosen_over((enum hy_kernel_isa_level)level, &direct, &p, 1, 1 << 20));
        direct.products_per_us = table->winograd_conv[HY_ELEMENT_U8].products_per_us;
        EXPECT(!are_chosen_over((enum hy_kernel_isa_level)level, &direct, &p, 1, 1 << 20));
    }
}

TEST(winograd, bytes_take_it_with_more_channels_and_more_pixels)
{
    const uint32_t isa_levels = isa_levels_of_bytes(true);
    struct hy_conv_params p = usual;

    p.in_c = 64;
    expect_chosen(isa_levels, &p, true);
    p.in_c = 63;
    expect_chosen(isa_levels, &p, false);
    p.in_c = 64;
    p.out_c = 31;
    expect_chosen(isa_levels, &p, false);
    p.out_c = 32;
    p.out_h = p.out_w = 12;
    expect_chosen(isa_levels, &p, false);
    p.out_w = 21;
    expect_chosen(isa_levels, &p, true);
    p.in_c = 32;
    expect_chosen(isa_levels, &p, false);
}

TEST(winograd, bytes_take_it_sooner_where_their_products_are_slow)
{
    const uint32_t isa_levels = isa_levels_of_bytes(false);
    struct hy_conv_params p = usual;

    p.in_c = p.out_c = 16;
    expect_chosen(isa_levels, &p, true);
    p.out_c = 15;
    expect_chosen(isa_levels, &p, false);
    p.in_c = p.out_c = 32;
    p.out_h = p.out_w = 5;
    expect_chosen(isa_levels, &p, true);
    p.out_w = 4;
    expect_chosen(isa_levels, &p, false);
    p.out_w = 5;
    p.in_c = 16;
    expect_chosen(isa_levels, &p, false);
}

TEST(winograd, bytes_do_not_take_it_with_weights_too_large_for_their_sums_or_the_cache)
{
    const uint32_t isa_levels = isa_levels_of_bytes(true) | isa_levels_of_bytes(false);
    struct hy_conv_params p = usual;

    p.in_c = p.out_c = 128;
    expect_chosen(isa_levels, &p, true);
    expect_bytes_chosen(isa_levels, &p, 100, 1 << 20, true);
    expect_bytes_chosen(isa_levels, &p, 200, 1 << 20, false);
    expect_bytes_chosen(isa_levels, &p, 1, 1 << 18, false);
}

TEST(winograd, other_types_and_weights_that_change_do_not_take_it)
{
    struct hy_cpu_weights slot = {.weights_arena = NULL};

    EXPECT(!choose(&usual, ANEURALNETWORKS_TENSOR_FLOAT16, &slot, 1 << 20));
    EXPECT(!choose(&usual, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 1 << 20));
}

/* Packs for a kernel what its shape wants. */
static void fill_slot(struct hy_cpu_weights *slot, const struct hy_conv_kernel *kernel)
{
    const size_t count = (size_t)9 * usual.in_c * usual.out_c;
    float *filter = calloc(count, sizeof *filter), bias[32] = {0};
    const void *packed = NULL;

    if (!filter)
        abort();
    EXPECT_INT(hy_cpu_weights_get(slot, kernel, &usual, filter, bias, &packed, NULL), HY_OK);
    EXPECT(packed != NULL);
    free(filter);
}

TEST(winograd, weights_that_are_packed_decide)
{
    const struct hy_kernel_table *kernels = hy_kernels_fast();
    struct hy_conv_params small = usual;
    struct hy_cpu_weights direct = {.weights_arena = NULL}, winograd = {.weights_arena = NULL};

    if (!has_kernel())
        return;
    small.out_h = small.out_w = 1;
    fill_slot(&direct, &kernels->conv[HY_ELEMENT_F32]);
    fill_slot(&winograd, &kernels->winograd_conv[HY_ELEMENT_F32]);
    EXPECT(!choose(&usual, ANEURALNETWORKS_TENSOR_FLOAT32, &direct, 1 << 20));
    EXPECT(choose(&small, ANEURALNETWORKS_TENSOR_FLOAT32, &winograd, 1 << 20) ==
           &kernels->winograd_conv[HY_ELEMENT_F32]);
    small.stride_h = 2;
    EXPECT(!choose(&small, ANEURALNETWORKS_TENSOR_FLOAT32, &winograd, 1 << 20));
    hy_cpu_weights_finish(&direct);
    hy_cpu_weights_finish(&winograd);
}

/* ---- In models ------------------------------------------------------------------------------- */

#define CHANNELS    16u
#define MOST_SIZE   12u
#define MOST_VALUES (MOST_SIZE * MOST_SIZE * CHANNELS)

/* output = CONV_2D of an image of `size`, 0 if the model leaves that open, by 3x3, SAME. */
static void build_conv(struct hy_builder *builder, uint32_t size)
{
    const struct hy_builder_type image = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, size, size, CHANNELS}};
    const struct hy_builder_type filter = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {CHANNELS, 3, 3, CHANNELS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {CHANNELS}};
    float weights[9 * CHANNELS * CHANNELS], bias[CHANNELS];

    hy_sample_numbers(1, 9 * CHANNELS * CHANNELS, weights);
    hy_sample_numbers(2, CHANNELS, bias);
    const uint32_t inputs[] = {hy_builder_input(builder, &image),
                               hy_builder_pool_constant(builder, &filter, weights, sizeof weights),
                               hy_builder_constant(builder, &list, bias, sizeof bias),
                               hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME),
                               hy_builder_int(builder, 1),
                               hy_builder_int(builder, 1),
                               hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t output = hy_builder_output(builder, &image);
    hy_builder_operation(builder, HY_OP_CONV_2D, 7, inputs, 1, &output);
}

static void run_conv(struct hy_cache_fixture *fixture, uint32_t size, float out[MOST_VALUES])
{
    static float in[MOST_VALUES];
    const uint32_t dims[] = {1, size, size, CHANNELS};
    const uint64_t bytes = (uint64_t)size * size * CHANNELS * sizeof(float);

    hy_sample_numbers(3, size * size * CHANNELS, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, bytes, 4, dims);
    hy_runner_output(&fixture->runner, out, bytes, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

static void expect_near(const float *want, const float *got, uint32_t size)
{
    for (uint32_t i = 0; i < size * size * CHANNELS; i++)
        EXPECT(fabsf(want[i] - got[i]) < 1e-4f);
}

TEST(winograd, cached_model_gives_the_same_bits)
{
    static float before[MOST_VALUES], after[MOST_VALUES], reference[MOST_VALUES];
    struct hy_cache_fixture fixtures[2];

    for (uint32_t device = 0; device < 2; device++) {
        hy_cache_fixture_open(&fixtures[device], device);
        build_conv(&fixtures[device].builder, MOST_SIZE);
        EXPECT_INT(hy_cache_fixture_prepare(&fixtures[device]), HY_STATUS_OK);
    }
    run_conv(&fixtures[HY_CACHE_FAST], MOST_SIZE, before);
    EXPECT_INT(hy_cache_host_restore(&fixtures[HY_CACHE_FAST].runner), HY_STATUS_OK);
    run_conv(&fixtures[HY_CACHE_FAST], MOST_SIZE, after);
    EXPECT(memcmp(before, after, sizeof before) == 0);
    run_conv(&fixtures[HY_CACHE_REFERENCE], MOST_SIZE, reference);
    expect_near(reference, after, MOST_SIZE);
    hy_cache_fixture_close(&fixtures[HY_CACHE_FAST]);
    hy_cache_fixture_close(&fixtures[HY_CACHE_REFERENCE]);
}

/* The first size packs; the others run with what is there, or pack again. */
TEST(winograd, images_of_any_size_run_one_after_the_other)
{
    static const uint32_t sizes[] = {1, MOST_SIZE, 2, 5, 1, MOST_SIZE};
    static float got[MOST_VALUES], want[MOST_VALUES];
    struct hy_cache_fixture fixtures[2];

    for (uint32_t first = 0; first < 2; first++) {
        for (uint32_t device = 0; device < 2; device++) {
            hy_cache_fixture_open(&fixtures[device], device);
            build_conv(&fixtures[device].builder, 0);
            EXPECT_INT(hy_cache_fixture_prepare(&fixtures[device]), HY_STATUS_OK);
        }
        for (uint32_t i = first; i < sizeof sizes / sizeof *sizes; i++) {
            run_conv(&fixtures[HY_CACHE_FAST], sizes[i], got);
            run_conv(&fixtures[HY_CACHE_REFERENCE], sizes[i], want);
            expect_near(want, got, sizes[i]);
            if (i == first)
                EXPECT_INT(hy_cache_host_restore(&fixtures[HY_CACHE_FAST].runner), HY_STATUS_OK);
        }
        hy_cache_fixture_close(&fixtures[HY_CACHE_FAST]);
        hy_cache_fixture_close(&fixtures[HY_CACHE_REFERENCE]);
    }
}

/* ---- In models of bytes ---------------------------------------------------------------------- */

#define BYTE_CHANNELS 32u
#define BYTE_SIZE     22u
#define BYTE_COUNT    (BYTE_SIZE * BYTE_SIZE * BYTE_CHANNELS)
#define WEIGHT_COUNT  (9 * BYTE_CHANNELS * BYTE_CHANNELS)

static void fill_bytes(uint32_t seed, uint32_t count, uint8_t *bytes)
{
    struct hy_random random = {seed};

    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)hy_random_next(&random);
}

/* output = RELU(CONV_2D of an image by 3x3, SAME). */
static void build_byte_conv(struct hy_builder *builder)
{
    const struct hy_builder_type in = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                       0.5f,
                                       100,
                                       4,
                                       {1, BYTE_SIZE, BYTE_SIZE, BYTE_CHANNELS}};
    const struct hy_builder_type out = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                        70.0f,
                                        50,
                                        4,
                                        {1, BYTE_SIZE, BYTE_SIZE, BYTE_CHANNELS}};
    const struct hy_builder_type filter = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.25f, 130, 4, {BYTE_CHANNELS, 3, 3, BYTE_CHANNELS}};
    const struct hy_builder_type list = {
        ANEURALNETWORKS_TENSOR_INT32, 0.125f, 0, 1, {BYTE_CHANNELS}};
    static uint8_t weights[WEIGHT_COUNT];
    int32_t bias[BYTE_CHANNELS];

    fill_bytes(1, WEIGHT_COUNT, weights);
    for (uint32_t i = 0; i < BYTE_CHANNELS; i++)
        bias[i] = (int32_t)i * 1000;
    const uint32_t inputs[] = {hy_builder_input(builder, &in),
                               hy_builder_pool_constant(builder, &filter, weights, sizeof weights),
                               hy_builder_constant(builder, &list, bias, sizeof bias),
                               hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME),
                               hy_builder_int(builder, 1),
                               hy_builder_int(builder, 1),
                               hy_builder_int(builder, ANEURALNETWORKS_FUSED_RELU)};
    const uint32_t output = hy_builder_output(builder, &out);
    hy_builder_operation(builder, HY_OP_CONV_2D, 7, inputs, 1, &output);
}

static void run_byte_conv(struct hy_cache_fixture *fixture, uint8_t out[BYTE_COUNT])
{
    static uint8_t in[BYTE_COUNT];
    const uint32_t dims[] = {1, BYTE_SIZE, BYTE_SIZE, BYTE_CHANNELS};

    fill_bytes(2, BYTE_COUNT, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, BYTE_COUNT, 4, dims);
    hy_runner_output(&fixture->runner, out, BYTE_COUNT, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

TEST(winograd, models_of_bytes_give_the_bits_of_the_reference_also_from_a_cache)
{
    static uint8_t want[BYTE_COUNT], got[BYTE_COUNT], again[BYTE_COUNT];
    struct hy_cache_fixture fixtures[2];

    for (uint32_t device = 0; device < 2; device++) {
        hy_cache_fixture_open(&fixtures[device], device);
        build_byte_conv(&fixtures[device].builder);
        EXPECT_INT(hy_cache_fixture_prepare(&fixtures[device]), HY_STATUS_OK);
    }
    run_byte_conv(&fixtures[HY_CACHE_REFERENCE], want);
    run_byte_conv(&fixtures[HY_CACHE_FAST], got);
    EXPECT_INT(hy_cache_host_restore(&fixtures[HY_CACHE_FAST].runner), HY_STATUS_OK);
    run_byte_conv(&fixtures[HY_CACHE_FAST], again);
    EXPECT(memcmp(want, got, sizeof want) == 0);
    EXPECT(memcmp(want, again, sizeof want) == 0);
    EXPECT(memchr(want, 51, sizeof want) && memchr(want, 52, sizeof want)); /* not all alike */
    hy_cache_fixture_close(&fixtures[HY_CACHE_FAST]);
    hy_cache_fixture_close(&fixtures[HY_CACHE_REFERENCE]);
}
