#include "random_network.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS     64u
#define MOST_CHANNELS 64u
#define MOST_UNITS    8u

static uint32_t below(struct random_network *network, uint32_t count)
{
    return hy_random_below(&network->numbers, count);
}

static uint64_t element_count(const struct hy_builder_type *type)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->dims[i];
    return count;
}

/* A tensor for an operation to write, an output of the model at times. */
static uint32_t add_tensor(struct random_network *network, const struct hy_builder_type *type)
{
    const uint32_t index = network->tensor_count++;
    const bool is_output = below(network, 4) == 0;
    network->tensors[index].operand = is_output ? hy_builder_output(&network->builder, type)
                                                : hy_builder_temporary(&network->builder, type);
    network->tensors[index].type = *type;
    network->tensors[index].is_output = is_output;
    return network->tensors[index].operand;
}

static const struct hy_builder_type *type_of(const struct random_network *network, uint32_t tensor)
{
    return &network->tensors[tensor].type;
}

static uint32_t integer(struct random_network *network, int32_t value)
{
    return hy_builder_int(&network->builder, value);
}

static uint32_t constant(struct random_network *network, const struct hy_builder_type *type)
{
    float values[MOST_UNITS * MOST_CHANNELS];
    const uint64_t count = element_count(type);
    for (uint64_t i = 0; i < count; i++)
        values[i] = hy_random_real(&network->numbers, -1, 1);
    return hy_builder_constant(&network->builder, type, values, count * sizeof *values);
}

/* One input, one output and whatever stands between. */
static void operation(struct random_network *network, int32_t type, uint32_t count,
                      const uint32_t *inputs, const struct hy_builder_type *out)
{
    const uint32_t output = add_tensor(network, out);
    hy_builder_operation(&network->builder, type, count, inputs, 1, &output);
}

static void relu(struct random_network *network, uint32_t from)
{
    operation(network, ANEURALNETWORKS_RELU6, 1, &network->tensors[from].operand,
              type_of(network, from));
}

static void pool(struct random_network *network, uint32_t from)
{
    const uint32_t inputs[] = {network->tensors[from].operand,
                               integer(network, ANEURALNETWORKS_PADDING_SAME),
                               integer(network, 1),
                               integer(network, 1),
                               integer(network, 4),
                               integer(network, 4),
                               integer(network, 0)};
    operation(network, ANEURALNETWORKS_MAX_POOL_2D, 7, inputs, type_of(network, from));
}

static void convolution(struct random_network *network, uint32_t from)
{
    const struct hy_builder_type *in = type_of(network, from);
    struct hy_builder_type out = *in;
    out.dims[3] = 1 + below(network, MOST_UNITS);
    const struct hy_builder_type filter = {
        .type = F32, .rank = 4, .dims = {out.dims[3], 1, 1, in->dims[3]}};
    const struct hy_builder_type bias = {.type = F32, .rank = 1, .dims = {out.dims[3]}};
    const uint32_t inputs[] = {network->tensors[from].operand,
                               constant(network, &filter),
                               constant(network, &bias),
                               integer(network, ANEURALNETWORKS_PADDING_VALID),
                               integer(network, 1),
                               integer(network, 1),
                               integer(network, 0)};
    operation(network, ANEURALNETWORKS_CONV_2D, 7, inputs, &out);
}

static void add(struct random_network *network, uint32_t a, uint32_t b)
{
    const uint32_t inputs[] = {network->tensors[a].operand, network->tensors[b].operand,
                               integer(network, 0)};
    if (type_of(network, a)->dims[3] == type_of(network, b)->dims[3] &&
        type_of(network, a)->dims[1] == type_of(network, b)->dims[1])
        operation(network, ANEURALNETWORKS_ADD, 3, inputs, type_of(network, a));
    else
        relu(network, a);
}

/* Along the channels, or the rows where that fits. */
static void join(struct random_network *network, uint32_t a, uint32_t b)
{
    const struct hy_builder_type *first = type_of(network, a), *second = type_of(network, b);
    const bool along_rows = first->dims[3] == second->dims[3];
    const uint32_t inputs[] = {network->tensors[a].operand, network->tensors[b].operand,
                               integer(network, along_rows ? 1 : 3)};
    struct hy_builder_type out = *first;
    out.dims[along_rows ? 1 : 3] += second->dims[along_rows ? 1 : 3];
    const bool fits = along_rows || first->dims[1] == second->dims[1];
    if (fits && out.dims[1] <= MOST_ROWS && out.dims[3] <= MOST_CHANNELS)
        operation(network, ANEURALNETWORKS_CONCATENATION, 3, inputs, &out);
    else
        relu(network, a);
}

static void split(struct random_network *network, uint32_t from)
{
    struct hy_builder_type part = *type_of(network, from);
    const uint32_t axis = below(network, 2) ? 3 : 1;
    const uint32_t inputs[] = {network->tensors[from].operand, integer(network, (int32_t)axis),
                               integer(network, 2)};
    if (part.dims[axis] % 2 != 0) {
        relu(network, from);
        return;
    }
    part.dims[axis] /= 2;
    const uint32_t outputs[] = {add_tensor(network, &part), add_tensor(network, &part)};
    hy_builder_operation(&network->builder, ANEURALNETWORKS_SPLIT, 3, inputs, 2, outputs);
}

/* To [1, H, W, C] by way of RESHAPE, from whatever was [1, H, W, C] before: twice the same. */
static void reshape(struct random_network *network, uint32_t from)
{
    const struct hy_builder_type *in = type_of(network, from);
    const struct hy_builder_type list = {.type = I32, .rank = 1, .dims = {4}};
    const int32_t shape[] = {1, (int32_t)in->dims[1], -1, (int32_t)in->dims[3]};
    const uint32_t inputs[] = {network->tensors[from].operand,
                               hy_builder_constant(&network->builder, &list, shape, sizeof shape)};
    operation(network, ANEURALNETWORKS_RESHAPE, 2, inputs, in);
}

static void add_operation(struct random_network *network)
{
    const uint32_t a = below(network, network->tensor_count);
    const uint32_t b = below(network, network->tensor_count);
    switch (below(network, 8)) {
    case 0:
        relu(network, a);
        break;
    case 1:
        pool(network, a);
        break;
    case 2:
        add(network, a, b);
        break;
    case 3:
        split(network, a);
        break;
    case 4:
        reshape(network, a);
        break;
    case 5:
        convolution(network, a);
        break;
    default:
        join(network, a, b);
        break;
    }
}

void random_network_init(struct random_network *network, uint64_t seed, uint32_t operations)
{
    *network = (struct random_network){.numbers = {seed}};
    hy_builder_init(&network->builder);
    const struct hy_builder_type image = {.type = F32, .rank = 4, .dims = {1, 4, 5, 6}};
    network->tensors[0].operand = hy_builder_input(&network->builder, &image);
    network->tensors[0].type = image;
    network->tensor_count = 1;
    network->input_length = element_count(&image) * sizeof *network->input;
    network->input = malloc(network->input_length);
    for (uint64_t i = 0; network->input && i < element_count(&image); i++)
        network->input[i] = hy_random_real(&network->numbers, -2, 2);

    for (uint32_t i = 0; i < operations && network->tensor_count + 3 < NETWORK_TENSORS; i++)
        add_operation(network);
    /* The last tensor is an output in any case. */
    const uint32_t last = network->tensor_count - 1, index = network->tensor_count++;
    network->tensors[index].type = network->tensors[last].type;
    network->tensors[index].is_output = true;
    network->tensors[index].operand =
        hy_builder_output(&network->builder, &network->tensors[last].type);
    hy_builder_operation(&network->builder, ANEURALNETWORKS_RELU, 1,
                         &network->tensors[last].operand, 1, &network->tensors[index].operand);
}

void random_network_finish(struct random_network *network)
{
    free(network->input);
    hy_builder_finish(&network->builder);
}

uint64_t random_network_output_length(const struct random_network *network, uint32_t index)
{
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        if (network->tensors[i].is_output && index-- == 0)
            return element_count(&network->tensors[i].type) * sizeof(float);
    }
    return 0;
}
