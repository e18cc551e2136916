/*
 * Steps that are computed in bands, one after the other, give the bytes that they give one by one,
 * on any number of threads. A model of which every tensor is an output has no such steps.
 */
#include <android/NeuralNetworksTypes.h>
#include <stdlib.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/cpu_fallback/kit/samples.h"
#include "tests/unit/cpu_fallback/kit/team.h"

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define U8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define S8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

#define MOST_LINKS 5u

/* One operation: CONV_2D, DEPTHWISE_CONV_2D, or one on elements. */
struct link {
    int32_t operation;
    uint32_t filter, stride, dilation; /* of convolutions */
    uint32_t out_c;
    int32_t pads[4]; /* left, right, top, bottom */
};

struct sequence {
    int32_t type;
    uint32_t batch, height, width, channels;
    uint32_t count;
    struct link links[MOST_LINKS];
};

/* A tensor on its way through the model. */
struct image {
    struct hy_builder_type type;
    uint32_t operand;
};

static uint32_t count_of(const struct hy_builder_type *type)
{
    uint32_t count = 1;

    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->dims[i];
    return count;
}

static uint32_t element_size(int32_t type)
{
    return type == F32 || type == ANEURALNETWORKS_TENSOR_INT32 ? 4 : 1;
}

static struct hy_builder_type type_of(int32_t type, uint32_t rank, const uint32_t *dims)
{
    struct hy_builder_type made = {.type = type, .rank = rank};

    if (type != F32) {
        made.scale = 0.0625f;
        made.zero_point = type == U8 ? 120 : -9;
    }
    memcpy(made.dims, dims, rank * sizeof *dims);
    return made;
}

static void *allocate(uint64_t bytes)
{
    void *memory = malloc(bytes);

    if (!memory)
        abort();
    return memory;
}

/* Reals in [-2, 2), or any bytes. */
static void *make_numbers(const struct hy_builder_type *type, uint32_t seed)
{
    const uint32_t count = count_of(type);
    float *numbers = allocate(count * sizeof *numbers);

    hy_sample_numbers(seed, count, numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (type->type == F32)
            numbers[i] *= 2;
        else
            ((int8_t *)numbers)[i] = (int8_t)(numbers[i] * 128); /* behind what is read */
    }
    return numbers;
}

static uint32_t add_constant(struct hy_builder *builder, const struct hy_builder_type *type,
                             uint32_t seed)
{
    void *numbers = make_numbers(type, seed);
    const uint32_t constant = hy_builder_constant(
        builder, type, numbers, (uint64_t)count_of(type) * element_size(type->type));

    free(numbers);
    return constant;
}

static uint32_t add_bias(struct hy_builder *builder, int32_t type, float scale, uint32_t channels)
{
    const struct hy_builder_type real = type_of(F32, 1, &channels);
    struct hy_builder_type fixed = type_of(ANEURALNETWORKS_TENSOR_INT32, 1, &channels);
    int32_t zeros[256] = {0};

    fixed.scale = scale;
    fixed.zero_point = 0;
    return type == F32 ? add_constant(builder, &real, 3)
                       : hy_builder_constant(builder, &fixed, zeros, channels * sizeof *zeros);
}

static uint32_t extent(uint32_t in, const struct link *link, int32_t head, int32_t tail)
{
    const uint32_t covered = (link->filter - 1) * link->dilation + 1;

    return (in + (uint32_t)head + (uint32_t)tail - covered) / link->stride + 1;
}

/* Adds what a convolution reads, and gives how much; `out` becomes the type of what it writes. */
static uint32_t add_conv(struct hy_builder *builder, const struct link *link,
                         const struct image *in, uint32_t inputs[16], struct hy_builder_type *out)
{
    const bool is_depthwise = link->operation == HY_OP_DEPTHWISE_CONV_2D;
    const uint32_t size = link->filter, depth = in->type.dims[3];
    struct hy_builder_type filter =
        type_of(in->type.type, 4,
                is_depthwise ? (uint32_t[]){1, size, size, depth}
                             : (uint32_t[]){link->out_c, size, size, depth});
    uint32_t count = 0;

    out->dims[1] = extent(in->type.dims[1], link, link->pads[2], link->pads[3]);
    out->dims[2] = extent(in->type.dims[2], link, link->pads[0], link->pads[1]);
    out->dims[3] = is_depthwise ? depth : link->out_c;
    if (filter.scale != 0)
        filter.scale = 0.03125f;
    if (filter.type == S8)
        filter.zero_point = 0;
    inputs[count++] = in->operand;
    inputs[count++] = add_constant(builder, &filter, 1);
    inputs[count++] = add_bias(builder, in->type.type, in->type.scale * filter.scale, out->dims[3]);
    for (uint32_t i = 0; i < 4; i++)
        inputs[count++] = hy_builder_int(builder, link->pads[i]);
    inputs[count++] = hy_builder_int(builder, (int32_t)link->stride);
    inputs[count++] = hy_builder_int(builder, (int32_t)link->stride);
    if (is_depthwise)
        inputs[count++] = hy_builder_int(builder, 1);
    inputs[count++] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
    inputs[count++] = hy_builder_bool(builder, false);
    inputs[count++] = hy_builder_int(builder, (int32_t)link->dilation);
    inputs[count++] = hy_builder_int(builder, (int32_t)link->dilation);
    return count;
}

/* The same for an operation on elements: ADD of another tensor, PRELU with a number for each
 * channel, MUL by one for each pixel, HARD_SWISH. */
static uint32_t add_elements(struct hy_builder *builder, const struct link *link,
                             const struct image *in, uint32_t inputs[16])
{
    struct hy_builder_type other = in->type;
    uint32_t count = 0;

    if (link->operation == HY_OP_PRELU)
        other = type_of(in->type.type, 1, &in->type.dims[3]);
    else if (link->operation == HY_OP_MUL)
        other.dims[3] = 1;
    inputs[count++] = in->operand;
    if (link->operation == HY_OP_HARD_SWISH)
        return count;
    inputs[count++] = add_constant(builder, &other, 7);
    if (link->operation != HY_OP_PRELU)
        inputs[count++] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
    return count;
}

/* With `apart` every tensor is an output of the model, the last one first. */
static struct hy_builder_type build(struct hy_builder *builder, const struct sequence *sequence,
                                    bool apart)
{
    struct image image = {.type = type_of(sequence->type, 4,
                                          (uint32_t[]){sequence->batch, sequence->height,
                                                       sequence->width, sequence->channels})};

    hy_builder_init(builder);
    image.operand = hy_builder_input(builder, &image.type);
    for (uint32_t i = 0; i < sequence->count; i++) {
        const struct link *link = &sequence->links[i];
        struct hy_builder_type out = image.type;
        uint32_t inputs[16];
        const uint32_t count = link->filter > 0 ? add_conv(builder, link, &image, inputs, &out)
                                                : add_elements(builder, link, &image, inputs);
        image.type = out;
        image.operand = apart || i + 1 == sequence->count ? hy_builder_output(builder, &out)
                                                          : hy_builder_temporary(builder, &out);
        hy_builder_operation(builder, link->operation, count, inputs, 1, &image.operand);
    }
    return image.type;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

struct result {
    void *bytes; /* of the last tensor; the caller frees them */
    uint64_t length;
    struct hy_cpu_stats stats;
};

static struct result run(const struct sequence *sequence, const struct hy_kernel_table *kernels,
                         bool apart, uint32_t threads)
{
    struct team team = {.threads = threads};
    const struct hy_host host = team_host(&team);
    struct hy_builder builder;
    struct hy_cpu_device device;
    struct hy_runner runner = {
        .table = &hy_cpu_device_table, .device = &device, .deadline = HY_NO_DEADLINE};
    const struct hy_builder_type out = build(&builder, sequence, apart);
    const struct hy_builder_type in = type_of(
        sequence->type, 4,
        (uint32_t[]){sequence->batch, sequence->height, sequence->width, sequence->channels});
    struct result result = {.length = (uint64_t)count_of(&out) * element_size(out.type)};
    void *numbers = make_numbers(&in, 11), *others[MOST_LINKS] = {0};

    result.bytes = allocate(result.length);
    memset(result.bytes, 0x55, result.length);
    hy_cpu_device_init(&device, "halyard-cpu", &host, kernels, threads, 1);
    device.l2_bytes = 1 << 20;
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    EXPECT_STR(runner.message, "");
    result.stats = hy_cpu_prepared_stats(runner.prepared);
    hy_runner_input(&runner, numbers, (uint64_t)count_of(&in) * element_size(in.type), 0, NULL);
    for (uint32_t i = 0; apart && i + 1 < sequence->count; i++) {
        const struct hy_operand *operand = &builder.operands[builder.outputs[i]];
        uint64_t length = element_size(operand->type);
        for (uint32_t d = 0; d < operand->rank; d++)
            length *= operand->dims[d];
        others[i] = allocate(length);
        hy_runner_output(&runner, others[i], length, 0, NULL);
    }
    hy_runner_output(&runner, result.bytes, result.length, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT_STR(runner.message, "");
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
    for (uint32_t i = 0; i < MOST_LINKS; i++)
        free(others[i]);
    free(numbers);
    return result;
}

/* Gives how many steps are computed with a later one. */
static uint32_t compare_on(const struct sequence *sequence, const struct hy_kernel_table *kernels,
                           const char *name)
{
    static const uint32_t threads[] = {1, 3};
    const struct result apart = run(sequence, kernels, true, 1);
    uint32_t joined = 0;

    EXPECT_INT(apart.stats.joined, 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        const struct result together = run(sequence, kernels, false, threads[i]);
        uint64_t at = 0;
        while (at < apart.length && ((uint8_t *)apart.bytes)[at] == ((uint8_t *)together.bytes)[at])
            at++;
        if (at < apart.length)
            hy_test_fail(__FILE__, __LINE__, "%s on %u threads: byte %llu differs", name,
                         threads[i], (unsigned long long)at);
        joined = together.stats.joined;
        free(together.bytes);
    }
    free(apart.bytes);
    return joined;
}

/* The same on each set of kernels that the machine has; gives the least. */
static uint32_t compare(const struct sequence *sequence, const char *name)
{
    uint32_t joined = UINT32_MAX;

    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const struct hy_kernel_table *kernels = hy_kernels_at((enum hy_kernel_isa_level)level);
        if (!kernels || kernels == hy_kernels_reference())
            continue;
        const uint32_t count = compare_on(sequence, kernels, name);
        joined = count < joined ? count : joined;
    }
    return joined;
}

/* ---- The tests ------------------------------------------------------------------------------- */

#define ELEMENTS(operation) \
    { \
        operation, 0, 0, 0, 0, \
        { \
            0 \
        } \
    }
#define POINTWISE(out_c) \
    { \
        HY_OP_CONV_2D, 1, 1, 1, out_c, \
        { \
            0 \
        } \
    }
#define SAME_3X3(operation, out_c) \
    { \
        operation, 3, 1, 1, out_c, \
        { \
            1, 1, 1, 1 \
        } \
    }

static const int32_t types[] = {F32, U8, S8};

TEST(chain, a_depthwise_convolution_and_what_follows_it_are_computed_together)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct sequence sequence = {types[i],
                                          1,
                                          90,
                                          61,
                                          48,
                                          5,
                                          {SAME_3X3(HY_OP_DEPTHWISE_CONV_2D, 0), POINTWISE(48),
                                           ELEMENTS(HY_OP_ADD), ELEMENTS(HY_OP_PRELU),
                                           ELEMENTS(HY_OP_HARD_SWISH)}};
        EXPECT_INT(compare(&sequence, "all of them"), 4);
    }
}

TEST(chain, a_convolution_of_any_filter_can_be_the_first)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct sequence sequence = {
            types[i],
            2,
            98,
            102,
            21,
            2,
            {{HY_OP_CONV_2D, 5, 2, 1, 67, {2, 1, 0, 2}}, ELEMENTS(HY_OP_PRELU)}};
        EXPECT_INT(compare(&sequence, "5x5"), 1);
        sequence.links[0] = (struct link)POINTWISE(130);
        EXPECT_INT(compare(&sequence, "1x1"), 1);
    }
}

TEST(chain, what_the_cache_holds_is_computed_one_by_one)
{
    const struct sequence sequence = {
        F32, 1, 8, 8, 8, 2, {SAME_3X3(HY_OP_DEPTHWISE_CONV_2D, 0), POINTWISE(8)}};

    EXPECT_INT(compare(&sequence, "small"), 0);
}

/* Of the second cache, which has 1 MiB here. */
TEST(chain, convolutions_alone_are_joined_where_half_the_cache_is_too_small_for_what_is_between)
{
    struct sequence sequence = {
        F32, 1, 60, 60, 32, 2, {SAME_3X3(HY_OP_DEPTHWISE_CONV_2D, 0), POINTWISE(32)}};

    EXPECT_INT(compare(&sequence, "460800 bytes"), 0);
    sequence.height = sequence.width = 72;
    EXPECT_INT(compare(&sequence, "663552 bytes"), 1);
}

/* Steps that are computed with a later one. */
static uint32_t joined_of(const struct sequence *sequence, size_t *arena)
{
    const struct result together = run(sequence, hy_kernels_fast(), false, 1);

    free(together.bytes);
    *arena = together.stats.arena_bytes;
    return together.stats.joined;
}

/* What a 1x1 convolution expands, and a depthwise one with a stride reads, has no place. */
TEST(chain, a_depthwise_convolution_reads_lines_of_what_is_before_it)
{
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t batch = 1; batch <= 2; batch++) {
            const struct sequence sequence = {types[i],
                                              batch,
                                              128,
                                              96,
                                              24,
                                              4,
                                              {POINTWISE(72),
                                               {HY_OP_DEPTHWISE_CONV_2D, 3, 2, 1, 0, {0, 1, 0, 1}},
                                               POINTWISE(16),
                                               ELEMENTS(HY_OP_ADD)}};
            size_t arena;
            EXPECT_INT(compare(&sequence, "expanded"), 3);
            EXPECT_INT(joined_of(&sequence, &arena), 3);
            EXPECT(arena < (size_t)batch * 128 * 96 * 72 * element_size(types[i]));
        }
    }
}

TEST(chain, several_windows_follow_each_other)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct sequence sequence = {types[i],
                                          1,
                                          256,
                                          288,
                                          3,
                                          5,
                                          {{HY_OP_CONV_2D, 3, 2, 1, 48, {1, 1, 1, 1}},
                                           SAME_3X3(HY_OP_DEPTHWISE_CONV_2D, 0),
                                           POINTWISE(64),
                                           {HY_OP_DEPTHWISE_CONV_2D, 5, 2, 2, 0, {4, 4, 4, 4}},
                                           POINTWISE(16)}};
        EXPECT_INT(compare(&sequence, "windows"), 4);
    }
}

/* Bands of elements replace those that they were made of. */
TEST(chain, elements_take_the_place_of_their_input)
{
    const struct sequence sequence = {F32,
                                      1,
                                      96,
                                      96,
                                      48,
                                      4,
                                      {SAME_3X3(HY_OP_CONV_2D, 48), ELEMENTS(HY_OP_ADD),
                                       ELEMENTS(HY_OP_HARD_SWISH), SAME_3X3(HY_OP_CONV_2D, 48)}};
    const size_t tensor = 96 * 96 * 48 * sizeof(float);
    size_t arena;

    EXPECT_INT(compare(&sequence, "elements"), 1);
    EXPECT_INT(joined_of(&sequence, &arena), 1);
    EXPECT(arena >= tensor && arena < tensor + tensor / 2);
}

/* The input would be there while the last output is written, and was gone before. */
TEST(chain, an_arena_does_not_become_larger)
{
    const struct sequence grows = {F32,
                                   1,
                                   96,
                                   96,
                                   32,
                                   4,
                                   {ELEMENTS(HY_OP_HARD_SWISH),
                                    {HY_OP_DEPTHWISE_CONV_2D, 3, 2, 1, 0, {1, 1, 1, 1}},
                                    POINTWISE(64),
                                    {HY_OP_DEPTHWISE_CONV_2D, 3, 2, 1, 0, {1, 1, 1, 1}}}};
    const struct result together = run(&grows, hy_kernels_fast(), false, 1);

    EXPECT(together.stats.arena_bytes <= (64 + 32) * 48 * 48 * 4 + 96 * 96 * 32 * 4);
    free(together.bytes);
}

static uint32_t draw(uint32_t *state, uint32_t least, uint32_t most)
{
    return least + hy_sample_random(state) % (most - least + 1);
}

/* The first link is a convolution that leaves something of the image. */
static struct link draw_first(uint32_t *state, bool is_depthwise)
{
    struct link link = {.operation = is_depthwise ? HY_OP_DEPTHWISE_CONV_2D : HY_OP_CONV_2D,
                        .filter = draw(state, 1, 5),
                        .stride = draw(state, 1, 3),
                        .dilation = draw(state, 1, 2),
                        .out_c = draw(state, 1, 70)};
    const uint32_t reach = (link.filter - 1) * link.dilation;

    for (uint32_t i = 0; i < 4; i++)
        link.pads[i] = (int32_t)draw(state, 0, reach);
    return link;
}

TEST(chain, random_sequences_give_the_bytes_of_their_steps)
{
    static const struct link followers[] = {POINTWISE(0),
                                            ELEMENTS(HY_OP_ADD),
                                            ELEMENTS(HY_OP_PRELU),
                                            ELEMENTS(HY_OP_HARD_SWISH),
                                            ELEMENTS(HY_OP_MUL),
                                            SAME_3X3(HY_OP_DEPTHWISE_CONV_2D, 0),
                                            SAME_3X3(HY_OP_CONV_2D, 0),
                                            {HY_OP_DEPTHWISE_CONV_2D, 3, 2, 1, 0, {1, 1, 1, 1}}};
    enum { SEQUENCES = HY_SLOWNESS > 1 ? 18 : 90 };
    uint32_t state = 2026, joined = 0;

    for (uint32_t i = 0; i < SEQUENCES; i++) {
        struct sequence sequence = {.type = types[i % 3],
                                    .batch = draw(&state, 1, 2),
                                    .height = draw(&state, 60, 160),
                                    .width = draw(&state, 20, 100),
                                    .channels = draw(&state, 1, 70),
                                    .count = draw(&state, 2, MOST_LINKS)};
        char name[32];
        snprintf(name, sizeof name, "sequence %u", i);
        sequence.links[0] = draw_first(&state, i % 2);
        for (uint32_t k = 1; k < sequence.count; k++) {
            sequence.links[k] = followers[draw(&state, 0, 7)];
            sequence.links[k].out_c = draw(&state, 1, 70);
        }
        joined += compare(&sequence, name) > 0;
    }
    EXPECT(joined >= SEQUENCES / 3); /* the others are small, or would take more memory */
}
