#include "random_case.h"

#include "common/operations/operand_type.h"
#include "tests/kit/test.h"

#include <math.h>
#include <stdlib.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

static uint32_t below(struct random_case *random, uint32_t count)
{
    return hy_random_below(&random->numbers, count);
}

static bool one_in(struct random_case *random, uint32_t count)
{
    return below(random, count) == 0;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static struct hy_builder_type tensor_type(struct random_case *random, int32_t type, uint32_t rank,
                                          const uint32_t *dims)
{
    struct hy_builder_type made = {.type = type, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        made.dims[i] = dims ? dims[i] : 0;
    if (type == QU8 || type == QS8) {
        made.scale = exp2f(hy_random_real(&random->numbers, -6, 0));
        if (one_in(random, 16)) /* far out */
            made.scale *= exp2f(hy_random_real(&random->numbers, -24, 16));
        made.zero_point = (int32_t)below(random, 256) - (type == QS8 ? 128 : 0);
    }
    return made;
}

static uint64_t element_count(const struct hy_builder_type *type)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->dims[i];
    return count;
}

/* Bytes of the type; floats of [low, high). The caller frees them. */
static void *fill(struct random_case *random, const struct hy_builder_type *type, float low,
                  float high, uint64_t *length)
{
    const bool is_wide = type->type == F32 || type->type == I32;
    const uint64_t count = element_count(type);
    *length = count * (is_wide ? 4 : 1);
    uint8_t *bytes = malloc(*length + 1);
    if (!bytes)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        const float real = hy_random_real(&random->numbers, low, high);
        const int32_t whole = (int32_t)below(random, 2001) - 1000;
        if (type->type == F32)
            memcpy(bytes + 4 * i, &real, 4);
        else if (is_wide)
            memcpy(bytes + 4 * i, &whole, 4);
        else
            bytes[i] = (uint8_t)below(random, 256);
    }
    return bytes;
}

static uint32_t input(struct random_case *random, const struct hy_builder_type *type, float low,
                      float high)
{
    const uint32_t index = random->input_count++;
    random->inputs[index] = fill(random, type, low, high, &random->lengths[index]);
    return hy_builder_input(&random->builder, type);
}

static uint32_t constant(struct random_case *random, const struct hy_builder_type *type, float low,
                         float high)
{
    uint64_t length = 0;
    void *bytes = fill(random, type, low, high, &length);
    const uint32_t index = one_in(random, 2)
                               ? hy_builder_constant(&random->builder, type, bytes, length)
                               : hy_builder_pool_constant(&random->builder, type, bytes, length);
    free(bytes);
    return index;
}

static uint32_t ints(struct random_case *random, uint32_t rank, const uint32_t *dims,
                     const int32_t *values)
{
    struct hy_builder_type type = {.type = I32, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        type.dims[i] = dims[i];
    return hy_builder_constant(&random->builder, &type, values, element_count(&type) * 4);
}

static uint32_t integer(struct random_case *random, int32_t value)
{
    return hy_builder_int(&random->builder, value);
}

/* The output, and the operation, which ends the model. */
static void finish(struct random_case *random, const struct hy_builder_type *type,
                   uint32_t input_count, const uint32_t *inputs)
{
    struct hy_builder_type open = *type;
    memset(open.dims, 0, sizeof open.dims);
    const uint32_t output = hy_builder_output(&random->builder, &open);
    random->output_types[random->output_count++] = type->type;
    hy_builder_operation(&random->builder, random->operation, input_count, inputs, 1, &output);
}

static int32_t main_type(struct random_case *random)
{
    static const int32_t types[] = {F32, QU8, QS8};
    return types[below(random, 3)];
}

static void random_dims(struct random_case *random, uint32_t rank, uint32_t most, uint32_t *dims)
{
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = 1 + below(random, most);
}

/* ---- Weighted operations --------------------------------------------------------------------- */

/* Filter and bias; the output gets a scale that most sums fit in. */
static void weights(struct random_case *random, const struct hy_builder_type *in, uint32_t rank,
                    const uint32_t *dims, uint32_t units_dim, uint32_t *inputs,
                    struct hy_builder_type *out)
{
    const bool is_float = in->type == F32;
    const bool per_channel =
        in->type == QS8 && random->operation != ANEURALNETWORKS_FULLY_CONNECTED &&
        random->operation != ANEURALNETWORKS_TRANSPOSE_CONV_2D && one_in(random, 2);
    struct hy_builder_type filter = tensor_type(random, per_channel ? QC8 : in->type, rank, dims);
    if (filter.type == QS8)
        filter.zero_point = 0;
    const uint32_t units = dims[units_dim];
    struct hy_builder_type bias = {.type = is_float ? F32 : I32,
                                   .rank = 1,
                                   .dims = {units},
                                   .scale = in->scale * filter.scale};
    inputs[1] = constant(random, &filter, -1, 1);
    inputs[2] = constant(random, &bias, -1, 1);

    *out = tensor_type(random, in->type, out->rank, NULL);
    out->scale = in->scale * (per_channel ? 0.01f : filter.scale) *
                 hy_random_real(&random->numbers, 50, 5000);
    if (per_channel) {
        float scales[512];
        for (uint32_t i = 0; i < units; i++)
            scales[i] = hy_random_real(&random->numbers, 0.001f, 0.02f);
        hy_builder_channel_scales(&random->builder, inputs[1], units_dim, units, scales);
    }
}

static uint32_t pads_and_strides(struct random_case *random, bool implicit, uint32_t height,
                                 uint32_t width, uint32_t at, uint32_t *inputs)
{
    if (implicit) {
        inputs[at++] = integer(random, 1 + (int32_t)below(random, 2));
    } else {
        for (uint32_t i = 0; i < 4; i++)
            inputs[at++] = integer(random, (int32_t)below(random, i < 2 ? width : height));
    }
    for (uint32_t i = 0; i < 2; i++)
        inputs[at++] = integer(random, 1 + (int32_t)below(random, 4));
    return at;
}

static void convolution(struct random_case *random)
{
    const bool depthwise = random->operation == ANEURALNETWORKS_DEPTHWISE_CONV_2D;
    const bool grouped = random->operation == ANEURALNETWORKS_GROUPED_CONV_2D;
    const uint32_t groups = grouped ? 1 + below(random, 3) : 1;
    const uint32_t multiplier = 1 + (one_in(random, 2) ? below(random, 3) : 0);
    const uint32_t depth = 1 + below(random, one_in(random, 4) ? 40 : 6);
    const uint32_t image[] = {1 + below(random, 2), 1 + below(random, 12), 1 + below(random, 12),
                              depth * groups};
    const uint32_t height = 1 + below(random, 6), width = 1 + below(random, 6);
    const uint32_t units = groups * (1 + below(random, 20));
    const uint32_t plain[] = {units, height, width, depth};
    const uint32_t deep[] = {1, height, width, multiplier * image[3]};
    const bool implicit = one_in(random, 2);
    uint32_t inputs[16], count = 3;

    struct hy_builder_type in = tensor_type(random, main_type(random), 4, image);
    struct hy_builder_type out = {.rank = 4};
    inputs[0] = input(random, &in, -1, 1);
    weights(random, &in, 4, depthwise ? deep : plain, depthwise ? 3 : 0, inputs, &out);
    count = pads_and_strides(random, implicit, height, width, count, inputs);
    if (depthwise || grouped)
        inputs[count++] = integer(random, (int32_t)(depthwise ? multiplier : groups));
    inputs[count++] = integer(random, (int32_t)below(random, 4));
    if (grouped || one_in(random, 2))
        inputs[count++] = hy_builder_bool(&random->builder, 0);
    if (!grouped && count > 7 && one_in(random, 2) && count != (implicit ? 7u : 10u) + depthwise) {
        inputs[count++] = integer(random, 1 + (int32_t)below(random, 3));
        inputs[count++] = integer(random, 1 + (int32_t)below(random, 3));
    }
    finish(random, &out, count, inputs);
}

static void transpose_convolution(struct random_case *random)
{
    const uint32_t image[] = {1 + below(random, 2), 1 + below(random, 7), 1 + below(random, 7),
                              1 + below(random, 8)};
    const uint32_t height = 1 + below(random, 6), width = 1 + below(random, 6);
    const uint32_t dims[] = {1 + below(random, 8), height, width, image[3]};
    const bool implicit = one_in(random, 2);
    uint32_t inputs[16], count = 3;
    struct hy_builder_type in = tensor_type(random, main_type(random), 4, image);
    struct hy_builder_type out = {.rank = 4};
    inputs[0] = input(random, &in, -1, 1);
    weights(random, &in, 4, dims, 0, inputs, &out);
    if (implicit) {
        const int32_t shape[] = {(int32_t)image[0], 1 + (int32_t)below(random, 20),
                                 1 + (int32_t)below(random, 20), (int32_t)dims[0]};
        inputs[count++] = ints(random, 1, (const uint32_t[]){4}, shape);
        inputs[count++] = integer(random, 1 + (int32_t)below(random, 2));
    } else {
        for (int32_t i = 0; i < 4; i++)
            inputs[count++] = integer(random, (int32_t)below(random, 4) - i % 2);
    }
    for (uint32_t i = 0; i < 2; i++)
        inputs[count++] = integer(random, 1 + (int32_t)below(random, 4));
    inputs[count++] = integer(random, (int32_t)below(random, 4));
    inputs[count++] = hy_builder_bool(&random->builder, 0);
    finish(random, &out, count, inputs);
}

static void fully_connected(struct random_case *random)
{
    const uint32_t rank = 2 + below(random, 3), depth = 1 + below(random, 70);
    const uint32_t units = 1 + below(random, 40);
    uint32_t dims[4], inputs[4];
    random_dims(random, rank, 3, dims);
    dims[rank - 1] = depth;
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    struct hy_builder_type out = {.rank = 2};
    inputs[0] = input(random, &in, -1, 1);
    weights(random, &in, 2, (const uint32_t[]){units, depth}, 0, inputs, &out);
    inputs[3] = integer(random, (int32_t)below(random, 4));
    finish(random, &out, 4, inputs);
}

/* ---- Images ---------------------------------------------------------------------------------- */

static void pool(struct random_case *random)
{
    const uint32_t image[] = {1 + below(random, 2), 1 + below(random, 12), 1 + below(random, 12),
                              1 + below(random, 40)};
    const bool whole = one_in(random, 4);
    const uint32_t height = whole ? image[1] : 1 + below(random, 6);
    const uint32_t width = whole ? image[2] : 1 + below(random, 6);
    uint32_t inputs[16], count = 1;
    struct hy_builder_type in = tensor_type(random, main_type(random), 4, image);
    inputs[0] = input(random, &in, -8, 8);
    count = pads_and_strides(random, one_in(random, 2), height, width, count, inputs);
    inputs[count++] = integer(random, (int32_t)width);
    inputs[count++] = integer(random, (int32_t)height);
    inputs[count++] = integer(random, (int32_t)below(random, 4));
    if (one_in(random, 2))
        inputs[count++] = hy_builder_bool(&random->builder, 0);
    finish(random, &in, count, inputs);
}

static void resize(struct random_case *random)
{
    const uint32_t most = one_in(random, 10) ? 80 : 12;
    const uint32_t image[] = {1 + below(random, 2), 1 + below(random, most),
                              1 + below(random, most), 1 + below(random, 9)};
    const bool by_factor = one_in(random, 4);
    const uint32_t corners = below(random, 3);
    uint32_t inputs[6];
    struct hy_builder_type in = tensor_type(random, main_type(random), 4, image);
    inputs[0] = input(random, &in, -8, 8);
    for (uint32_t i = 1; i < 3; i++)
        inputs[i] = by_factor ? hy_builder_float(&random->builder,
                                                 hy_random_real(&random->numbers, 0.3f, 1.4f))
                              : integer(random, 1 + (int32_t)below(random, most + 10));
    inputs[3] = hy_builder_bool(&random->builder, 0);
    inputs[4] = hy_builder_bool(&random->builder, corners == 1);
    inputs[5] = hy_builder_bool(&random->builder, corners == 2);
    finish(random, &in, 3 + below(random, 4), inputs);
}

static void depth_to_space(struct random_case *random)
{
    const uint32_t block = 1 + below(random, 4);
    const uint32_t image[] = {1 + below(random, 2), 1 + below(random, 6), 1 + below(random, 6),
                              block * block * (1 + below(random, 5))};
    struct hy_builder_type in = tensor_type(random, F32, 4, image);
    const uint32_t inputs[] = {input(random, &in, -8, 8), integer(random, (int32_t)block)};
    finish(random, &in, 2, inputs);
}

static void channel_shuffle(struct random_case *random)
{
    const uint32_t groups = 1 + below(random, 5);
    uint32_t dims[4], rank = 1 + below(random, 4);
    random_dims(random, rank, 5, dims);
    dims[rank - 1] = groups * (1 + below(random, 30));
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    const uint32_t inputs[] = {input(random, &in, -8, 8), integer(random, (int32_t)groups),
                               integer(random, one_in(random, 2) ? -1 : (int32_t)rank - 1)};
    finish(random, &in, 3, inputs);
}

static void pad(struct random_case *random)
{
    const bool with_value = random->operation == ANEURALNETWORKS_PAD_V2;
    uint32_t dims[4], rank = 1 + below(random, 4), inputs[3];
    int32_t pads[8];
    random_dims(random, rank, 6, dims);
    for (uint32_t i = 0; i < 8; i++)
        pads[i] = one_in(random, 2) ? 0 : (int32_t)below(random, 4);
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    inputs[0] = input(random, &in, -8, 8);
    inputs[1] = ints(random, 2, (const uint32_t[]){rank, 2}, pads);
    if (with_value)
        inputs[2] = in.type == F32 ? hy_builder_float(&random->builder, 1.5f)
                                   : integer(random, in.zero_point);
    finish(random, &in, with_value ? 3 : 2, inputs);
}

/* ---- Elements -------------------------------------------------------------------------------- */

static void pair(struct random_case *random)
{
    const bool is_plain = random->operation == ANEURALNETWORKS_MAXIMUM ||
                          random->operation == ANEURALNETWORKS_MINIMUM;
    const bool is_float = is_plain || random->operation == ANEURALNETWORKS_DIV;
    const int32_t type = is_float ? F32 : main_type(random);
    const uint32_t rank = 1 + below(random, 4);
    uint32_t dims[4], inputs[3];
    random_dims(random, rank, one_in(random, 8) ? 18 : 5, dims);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t own[4];
        const uint32_t dropped = one_in(random, 4) ? below(random, rank) : 0;
        for (uint32_t k = 0; k < rank; k++)
            own[k] = one_in(random, 5) ? 1 : dims[k];
        struct hy_builder_type in = tensor_type(random, type, rank - dropped, own + dropped);
        inputs[i] =
            one_in(random, 6) ? constant(random, &in, 0.5f, 2) : input(random, &in, 0.5f, 2);
    }
    struct hy_builder_type out = tensor_type(random, type, rank, NULL);
    if (random->operation == ANEURALNETWORKS_MUL)
        out.scale *= 64;
    inputs[2] = integer(random, (int32_t)below(random, 4));
    finish(random, &out, is_plain ? 2 : 3, inputs);
}

static void unary(struct random_case *random)
{
    const bool has_bytes =
        random->operation == ANEURALNETWORKS_LOGISTIC ||
        random->operation == ANEURALNETWORKS_TANH || random->operation == ANEURALNETWORKS_RELU ||
        random->operation == ANEURALNETWORKS_RELU1 || random->operation == ANEURALNETWORKS_RELU6;
    const bool is_root = random->operation == ANEURALNETWORKS_SQRT;
    uint32_t dims[4], rank = 1 + below(random, 4);
    random_dims(random, rank, 9, dims);
    struct hy_builder_type in =
        tensor_type(random, has_bytes ? main_type(random) : F32, rank, dims);
    struct hy_builder_type out = in;
    if (random->operation == ANEURALNETWORKS_LOGISTIC && in.type != F32) {
        out.scale = 1 / 256.0f;
        out.zero_point = in.type == QU8 ? 0 : -128;
    }
    if (random->operation == ANEURALNETWORKS_TANH && in.type != F32) {
        out.scale = 1 / 128.0f;
        out.zero_point = in.type == QU8 ? 128 : 0;
    }
    const uint32_t inputs[] = {input(random, &in, is_root ? 0 : -9, 9)};
    finish(random, &out, 1, inputs);
}

static void with_parameter(struct random_case *random)
{
    uint32_t dims[4], rank = 1 + below(random, 4), inputs[2];
    random_dims(random, rank, 9, dims);
    struct hy_builder_type in = tensor_type(random, F32, rank, dims);
    inputs[0] = input(random, &in, -3, 3);
    const struct hy_builder_type slopes = {
        .type = F32, .rank = 1, .dims = {one_in(random, 3) ? 1 : dims[rank - 1]}};
    inputs[1] = random->operation == ANEURALNETWORKS_ELU
                    ? hy_builder_float(&random->builder, hy_random_real(&random->numbers, 0.1f, 2))
                    : constant(random, &slopes, -1, 1);
    finish(random, &in, 2, inputs);
}

static void softmax(struct random_case *random)
{
    uint32_t dims[4], rank = 1 + below(random, 4), inputs[3];
    random_dims(random, rank, 6, dims);
    dims[rank - 1] = 1 + below(random, 100);
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    struct hy_builder_type out = in;
    if (in.type != F32) {
        out.scale = 1 / 256.0f;
        out.zero_point = in.type == QU8 ? 0 : -128;
    }
    inputs[0] = input(random, &in, -4, 4);
    inputs[1] = hy_builder_float(&random->builder,
                                 one_in(random, 2) ? 1 : hy_random_real(&random->numbers, 0.2f, 3));
    inputs[2] = integer(random, -1);
    finish(random, &out, 2 + below(random, 2), inputs);
}

static void convert(struct random_case *random)
{
    const bool to_bytes = random->operation == ANEURALNETWORKS_QUANTIZE;
    const int32_t bytes = one_in(random, 2) ? QU8 : QS8;
    uint32_t dims[4], rank = 1 + below(random, 4);
    random_dims(random, rank, 9, dims);
    const struct hy_builder_type in = tensor_type(random, to_bytes ? F32 : bytes, rank, dims);
    const struct hy_builder_type out = tensor_type(random, to_bytes ? bytes : F32, rank, NULL);
    const uint32_t inputs[] = {one_in(random, 4) ? constant(random, &in, -5, 5)
                                                 : input(random, &in, -5, 5)};
    finish(random, &out, 1, inputs);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void mean(struct random_case *random)
{
    uint32_t dims[4], rank = 1 + below(random, 4);
    random_dims(random, rank, one_in(random, 8) ? 18 : 6, dims);
    const uint32_t from = below(random, rank), count = 1 + below(random, rank - from);
    int32_t axes[4];
    for (uint32_t i = 0; i < count; i++)
        axes[i] = (int32_t)(from + i) - (one_in(random, 2) ? (int32_t)rank : 0);
    const bool keep_dimensions = one_in(random, 2);
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    const uint32_t inputs[] = {input(random, &in, -4, 4), ints(random, 1, &count, axes),
                               integer(random, keep_dimensions)};
    struct hy_builder_type out = in;
    if (!keep_dimensions)
        out.rank = rank > count ? rank - count : 1;
    finish(random, &out, 3, inputs);
}

static void concatenation(struct random_case *random)
{
    uint32_t dims[4], rank = 1 + below(random, 4), inputs[4], count = 1 + below(random, 3);
    random_dims(random, rank, 6, dims);
    const uint32_t axis = below(random, rank);
    const int32_t type = main_type(random);
    const bool same_scale = one_in(random, 2);
    struct hy_builder_type first = tensor_type(random, type, rank, dims);
    for (uint32_t i = 0; i < count; i++) {
        struct hy_builder_type part = same_scale ? first : tensor_type(random, type, rank, dims);
        part.dims[axis] = 1 + below(random, 9);
        inputs[i] = input(random, &part, -4, 4);
    }
    inputs[count] = integer(random, (int32_t)axis);
    finish(random, &first, count + 1, inputs);
}

static void split(struct random_case *random)
{
    const uint32_t count = 1 + below(random, RANDOM_CASE_OUTPUTS);
    uint32_t dims[4], rank = 1 + below(random, 4), outputs[RANDOM_CASE_OUTPUTS];
    random_dims(random, rank, 6, dims);
    const uint32_t axis = below(random, rank);
    dims[axis] *= count;
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    const uint32_t inputs[] = {input(random, &in, -4, 4), integer(random, (int32_t)axis),
                               integer(random, (int32_t)count)};
    memset(in.dims, 0, sizeof in.dims);
    for (uint32_t i = 0; i < count; i++) {
        outputs[i] = hy_builder_output(&random->builder, &in);
        random->output_types[random->output_count++] = in.type;
    }
    hy_builder_operation(&random->builder, random->operation, 3, inputs, count, outputs);
}

static void reshape(struct random_case *random)
{
    uint32_t dims[4], rank = 1 + below(random, 4);
    random_dims(random, rank, 5, dims);
    const int32_t shape[] = {-1, (int32_t)dims[rank - 1]};
    struct hy_builder_type in = tensor_type(random, main_type(random), rank, dims);
    const uint32_t inputs[] = {input(random, &in, -4, 4),
                               ints(random, 1, (const uint32_t[]){2}, shape)};
    in.rank = 2;
    finish(random, &in, 2, inputs);
}

/* ---- The list -------------------------------------------------------------------------------- */

static const struct {
    int32_t operation;
    void (*make)(struct random_case *random);
} makers[] = {
    {ANEURALNETWORKS_CONV_2D, convolution},
    {ANEURALNETWORKS_DEPTHWISE_CONV_2D, convolution},
    {ANEURALNETWORKS_GROUPED_CONV_2D, convolution},
    {ANEURALNETWORKS_TRANSPOSE_CONV_2D, transpose_convolution},
    {ANEURALNETWORKS_FULLY_CONNECTED, fully_connected},
    {ANEURALNETWORKS_AVERAGE_POOL_2D, pool},
    {ANEURALNETWORKS_MAX_POOL_2D, pool},
    {ANEURALNETWORKS_RESIZE_BILINEAR, resize},
    {ANEURALNETWORKS_DEPTH_TO_SPACE, depth_to_space},
    {ANEURALNETWORKS_CHANNEL_SHUFFLE, channel_shuffle},
    {ANEURALNETWORKS_PAD, pad},
    {ANEURALNETWORKS_PAD_V2, pad},
    {ANEURALNETWORKS_ADD, pair},
    {ANEURALNETWORKS_SUB, pair},
    {ANEURALNETWORKS_MUL, pair},
    {ANEURALNETWORKS_DIV, pair},
    {ANEURALNETWORKS_MAXIMUM, pair},
    {ANEURALNETWORKS_MINIMUM, pair},
    {ANEURALNETWORKS_ABS, unary},
    {ANEURALNETWORKS_NEG, unary},
    {ANEURALNETWORKS_FLOOR, unary},
    {ANEURALNETWORKS_SQRT, unary},
    {ANEURALNETWORKS_HARD_SWISH, unary},
    {ANEURALNETWORKS_LOGISTIC, unary},
    {ANEURALNETWORKS_TANH, unary},
    {ANEURALNETWORKS_RELU, unary},
    {ANEURALNETWORKS_RELU1, unary},
    {ANEURALNETWORKS_RELU6, unary},
    {ANEURALNETWORKS_ELU, with_parameter},
    {ANEURALNETWORKS_PRELU, with_parameter},
    {ANEURALNETWORKS_SOFTMAX, softmax},
    {ANEURALNETWORKS_QUANTIZE, convert},
    {ANEURALNETWORKS_DEQUANTIZE, convert},
    {ANEURALNETWORKS_MEAN, mean},
    {ANEURALNETWORKS_CONCATENATION, concatenation},
    {ANEURALNETWORKS_SPLIT, split},
    {ANEURALNETWORKS_RESHAPE, reshape},
};

uint32_t random_case_operations(void)
{
    return sizeof makers / sizeof *makers;
}

void random_case_init(struct random_case *random, uint32_t operation, uint64_t seed)
{
    *random = (struct random_case){.operation = makers[operation].operation,
                                   .numbers = {hy_random_mix(seed, operation)}};
    hy_builder_init(&random->builder);
    makers[operation].make(random);
}

void random_case_finish(struct random_case *random)
{
    for (uint32_t i = 0; i < random->input_count; i++)
        free(random->inputs[i]);
    hy_builder_finish(&random->builder);
}
