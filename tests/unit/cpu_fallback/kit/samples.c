#include "samples.h"

#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"

#define CHANNELS 8
#define POOLED   (4 * 4 * CHANNELS)

static struct hy_builder_type f32(uint32_t rank, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (struct hy_builder_type){ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {a, b, c, d}};
}

uint32_t hy_sample_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void hy_sample_numbers(uint32_t seed, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (float)(hy_sample_random(&seed) % 2048) / 1024 - 1;
}

static uint32_t weights(struct hy_builder *builder, const struct hy_builder_type *type,
                        uint32_t count)
{
    float values[POOLED * HY_SAMPLE_CLASSES];

    hy_sample_numbers(count, count, values);
    return hy_builder_pool_constant(builder, type, values, count * sizeof *values);
}

/* A filter kept in 8 bits. */
static uint32_t dequantized(struct hy_builder *builder)
{
    const struct hy_builder_type stored = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1.0f / 128, 128, 4, {CHANNELS, 3, 3, 3}};
    struct hy_builder_type wide = f32(4, CHANNELS, 3, 3, 3);
    uint8_t bytes[CHANNELS * 27];
    uint32_t seed = 7;

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)hy_sample_random(&seed);
    uint32_t in = hy_builder_constant(builder, &stored, bytes, sizeof bytes);
    uint32_t out = hy_builder_temporary(builder, &wide);
    hy_builder_operation(builder, HY_OP_DEQUANTIZE, 1, &in, 1, &out);
    return out;
}

static uint32_t convolve(struct hy_builder *builder, uint32_t in, uint32_t batch)
{
    struct hy_builder_type image = f32(4, batch, 8, 8, CHANNELS), bias = f32(1, CHANNELS, 0, 0, 0);
    uint32_t out = hy_builder_temporary(builder, &image);
    uint32_t inputs[] = {in,
                         dequantized(builder),
                         weights(builder, &bias, CHANNELS),
                         hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME),
                         hy_builder_int(builder, 1),
                         hy_builder_int(builder, 1),
                         hy_builder_int(builder, ANEURALNETWORKS_FUSED_RELU)};

    hy_builder_operation(builder, HY_OP_CONV_2D, 7, inputs, 1, &out);
    return out;
}

static uint32_t convolve_depthwise(struct hy_builder *builder, uint32_t in, uint32_t batch)
{
    struct hy_builder_type image = f32(4, batch, 8, 8, CHANNELS);
    struct hy_builder_type filter = f32(4, 1, 3, 3, CHANNELS), bias = f32(1, CHANNELS, 0, 0, 0);
    uint32_t out = hy_builder_temporary(builder, &image);
    uint32_t inputs[] = {in,
                         weights(builder, &filter, 9 * CHANNELS),
                         weights(builder, &bias, CHANNELS),
                         hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME),
                         hy_builder_int(builder, 1),
                         hy_builder_int(builder, 1),
                         hy_builder_int(builder, 1),
                         hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};

    hy_builder_operation(builder, HY_OP_DEPTHWISE_CONV_2D, 8, inputs, 1, &out);
    return out;
}

static uint32_t add(struct hy_builder *builder, uint32_t a, uint32_t b, uint32_t batch)
{
    struct hy_builder_type image = f32(4, batch, 8, 8, CHANNELS);
    uint32_t out = hy_builder_temporary(builder, &image);
    uint32_t inputs[] = {a, b, hy_builder_int(builder, ANEURALNETWORKS_FUSED_RELU6)};

    hy_builder_operation(builder, HY_OP_ADD, 3, inputs, 1, &out);
    return out;
}

static uint32_t pool(struct hy_builder *builder, uint32_t in, uint32_t batch)
{
    struct hy_builder_type image = f32(4, batch, batch ? 4 : 0, batch ? 4 : 0, CHANNELS);
    uint32_t out = hy_builder_temporary(builder, &image);
    uint32_t two = hy_builder_int(builder, 2);
    uint32_t inputs[] = {in,  hy_builder_int(builder, ANEURALNETWORKS_PADDING_VALID), two, two, two,
                         two, hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};

    hy_builder_operation(builder, HY_OP_AVERAGE_POOL_2D, 7, inputs, 1, &out);
    return out;
}

static uint32_t flatten(struct hy_builder *builder, uint32_t in, uint32_t batch)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {2}};
    const int32_t shape[] = {-1, POOLED};
    struct hy_builder_type rows = f32(batch ? 2 : 0, batch, POOLED, 0, 0);
    uint32_t out = hy_builder_temporary(builder, &rows);
    uint32_t inputs[] = {in, hy_builder_constant(builder, &list, shape, sizeof shape)};

    hy_builder_operation(builder, HY_OP_RESHAPE, 2, inputs, 1, &out);
    return out;
}

static uint32_t connect(struct hy_builder *builder, uint32_t in, uint32_t batch)
{
    struct hy_builder_type classes = f32(2, batch, HY_SAMPLE_CLASSES, 0, 0);
    struct hy_builder_type filter = f32(2, HY_SAMPLE_CLASSES, POOLED, 0, 0);
    struct hy_builder_type bias = f32(1, HY_SAMPLE_CLASSES, 0, 0, 0);
    uint32_t out = hy_builder_temporary(builder, &classes);
    uint32_t inputs[] = {in, weights(builder, &filter, HY_SAMPLE_CLASSES * POOLED),
                         weights(builder, &bias, HY_SAMPLE_CLASSES),
                         hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};

    hy_builder_operation(builder, HY_OP_FULLY_CONNECTED, 4, inputs, 1, &out);
    return out;
}

void hy_sample_network(struct hy_builder *builder, uint32_t batch)
{
    struct hy_builder_type image = f32(batch ? 4 : 0, batch, 8, 8, 3);
    struct hy_builder_type classes = f32(batch ? 2 : 0, batch, HY_SAMPLE_CLASSES, 0, 0);

    uint32_t in = hy_builder_input(builder, &image);
    uint32_t first = convolve(builder, in, batch);
    uint32_t second = convolve_depthwise(builder, first, batch);
    uint32_t sum = add(builder, first, second, batch);
    uint32_t rows = flatten(builder, pool(builder, sum, batch), batch);
    uint32_t inputs[] = {connect(builder, rows, batch), hy_builder_float(builder, 0.1f)};
    uint32_t out = hy_builder_output(builder, &classes);
    hy_builder_operation(builder, HY_OP_SOFTMAX, 2, inputs, 1, &out);
}

void hy_sample_per_channel(struct hy_builder *builder, uint32_t channels, bool is_shared)
{
    const struct hy_builder_type in = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.5f, 120, 4, {1, 1, 1, 8}};
    const struct hy_builder_type out = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2.0f, 100, 4, {1, 1, 1, channels}};
    const struct hy_builder_type filter = {
        ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0, 4, {channels, 1, 1, 8}};
    const struct hy_builder_type bias = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {channels}};
    const struct hy_builder_type real = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {channels, 1, 1, 8}};
    static const int32_t zeros[HY_SAMPLE_MOST_CHANNELS];
    float scales[HY_SAMPLE_MOST_CHANNELS];
    int8_t weights[8 * HY_SAMPLE_MOST_CHANNELS];
    uint32_t seed = 7;

    for (uint32_t i = 0; i < channels; i++)
        scales[i] = 0.01f * (float)(i + 1);
    for (uint32_t i = 0; i < 8 * channels; i++)
        weights[i] = (int8_t)hy_sample_random(&seed);
    const uint32_t f = hy_builder_pool_constant(builder, &filter, weights, 8 * channels);
    const uint32_t one = hy_builder_int(builder, 1);
    hy_builder_channel_scales(builder, f, 0, channels, scales);
    const uint32_t inputs[] = {
        hy_builder_input(builder, &in),
        f,
        hy_builder_pool_constant(builder, &bias, zeros, channels * sizeof *zeros),
        one,
        one,
        one,
        hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t y = hy_builder_output(builder, &out);
    hy_builder_operation(builder, HY_OP_CONV_2D, 7, inputs, 1, &y);
    if (!is_shared)
        return;
    const uint32_t r = hy_builder_output(builder, &real);
    hy_builder_operation(builder, HY_OP_DEQUANTIZE, 1, &f, 1, &r);
}

void hy_sample_lstm(struct hy_builder *builder, uint32_t steps, uint32_t inputs, uint32_t units)
{
    const struct hy_builder_type in = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 3, {steps, 1, inputs}};
    const struct hy_builder_type out = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 3, {steps, 1, units}};
    const struct hy_builder_type weights = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {units, inputs}};
    const struct hy_builder_type recurrent = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {units, units}};
    const struct hy_builder_type state = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, units}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {units}};
    float numbers[HY_SAMPLE_MOST_WEIGHTS];
    uint32_t operands[28] = {hy_builder_input(builder, &in)};

    for (uint32_t i = 1; i < 28; i++)
        operands[i] = hy_builder_no_value(builder, i == 16 ? &recurrent : &list);
    for (uint32_t gate = 0; gate < 4; gate++) {
        hy_sample_numbers(1 + gate, units * inputs, numbers);
        operands[1 + gate] =
            hy_builder_pool_constant(builder, &weights, numbers, units * inputs * sizeof *numbers);
        hy_sample_numbers(5 + gate, units * units, numbers);
        operands[5 + gate] =
            hy_builder_pool_constant(builder, &recurrent, numbers, units * units * sizeof *numbers);
        hy_sample_numbers(9 + gate, units, numbers);
        operands[12 + gate] =
            hy_builder_pool_constant(builder, &list, numbers, units * sizeof *numbers);
    }
    hy_sample_numbers(13, units, numbers);
    operands[18] = operands[19] =
        hy_builder_pool_constant(builder, &state, numbers, units * sizeof *numbers);
    operands[20] = hy_builder_int(builder, 4);
    operands[21] = operands[22] = hy_builder_float(builder, 0);
    operands[23] = hy_builder_bool(builder, true);
    const uint32_t y = hy_builder_output(builder, &out);
    hy_builder_operation(builder, HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, 28, operands, 1, &y);
}
