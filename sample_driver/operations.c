#include "operations.h"

#include "driver_kit/window.h"
#include "lstm.h"
#include "operands.h"

#include <android/NeuralNetworks.h>

#include <math.h>
#include <string.h>

#define MAX_RANK  SAMPLE_MAX_RANK
#define MAX_DEPTH 32768u /* of FULLY_CONNECTED: its 32-bit sums cannot overflow */

#define PREFIX_BITS 16 /* of an operation type: the upper half names an extension */
#define CODE_MASK   0xffff

/* The tensors of most operations: the first inputs, all but a bias of the type of `input`, and the
 * output. */
static bool use_arguments(const struct hy_operation *operation, const struct hy_operand *input,
                          uint32_t input_count, struct sample_step *step)
{
    step->is_quantised = sample_is_quantised(input);
    step->input_count = input_count;
    step->output_count = 1;
    memcpy(step->inputs, operation->inputs, input_count * sizeof *step->inputs);
    step->outputs[0] = operation->outputs[0];
    return true;
}

/* ---- FULLY_CONNECTED ------------------------------------------------------------------------- */

/* The constant operands of FULLY_CONNECTED, of the shapes that fit together. */
static bool check_weights(struct sample_source *source, const struct hy_operand *input,
                          const struct hy_operand *weights, const struct hy_operand *bias)
{
    if (!hy_is_constant(weights) || !hy_is_constant(bias))
        return hy_refuse(&source->reader, "weights and bias need to be constant");
    if (input->rank < 2 || weights->rank != 2 || bias->rank != 1)
        return hy_refuse(&source->reader, "input, weights and bias have ranks %u, %u and %u",
                         input->rank, weights->rank, bias->rank);
    if (weights->dims[1] > MAX_DEPTH)
        return hy_refuse(&source->reader, "weights have a depth of %u, at most %u is supported",
                         weights->dims[1], MAX_DEPTH);
    if (hy_tensor_elements(input) % weights->dims[1] != 0 || bias->dims[0] != weights->dims[0])
        return hy_refuse(&source->reader,
                         "input, weights [%u, %u] and bias [%u] do not fit together",
                         weights->dims[0], weights->dims[1], bias->dims[0]);
    return true;
}

static bool make_fully_connected(struct sample_source *source, const struct hy_operation *operation,
                                 struct sample_step *step)
{
    const struct hy_operand *input = sample_first_input(source, operation);
    if (!input)
        return false;
    bool quantised = sample_is_quantised(input);
    const struct hy_operand *weights = sample_input(source, operation, 1, input->type);
    const struct hy_operand *bias =
        sample_input(source, operation, 2,
                     quantised ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32);
    if (!weights || !bias || !check_weights(source, input, weights, bias))
        return false;

    struct sample_fully_connected *fc = &step->as.fully_connected;
    fc->panel = 1;
    fc->depth = weights->dims[1];
    fc->units = weights->dims[0];
    fc->batches = (uint32_t)(hy_tensor_elements(input) / fc->depth);
    const uint32_t dims[] = {fc->batches, fc->units};
    const struct hy_operand *output = sample_output(source, operation, 0, input->type, 2, dims);
    if (!output || !sample_activation(source, operation, 3, output, &fc->range))
        return false;

    fc->input_zero = input->zero_point;
    fc->weight_zero = weights->zero_point;
    fc->output_zero = output->zero_point;
    if (quantised) {
        double ratio = (double)(input->scale * weights->scale) / output->scale;
        if (!(ratio < 1 << 30))
            return hy_refuse(&source->reader, "the scales of input * weights / output are %g",
                             ratio);
        fc->rescale = sample_multiplier_of(ratio);
    }
    return use_arguments(operation, input, 3, step);
}

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

static bool read_axis(struct sample_source *source, const struct hy_operation *operation,
                      uint32_t rank, uint32_t *axis)
{
    int32_t value = -1;
    if (operation->input_count == 3 && !hy_read_i32(&source->reader, operation, 2, &value))
        return false;
    return hy_resolve_axis(&source->reader, value, rank, axis);
}

/* All that the exponential can be asked for, worked out once. */
static bool fill_table(struct sample_source *source, const struct hy_operand *input,
                       const struct hy_operand *output, struct sample_softmax *softmax)
{
    if (output->scale != 1.0f / 256 || output->zero_point != INT8_MIN)
        return hy_refuse(&source->reader,
                         "output 0 has scale %g, zero point %d, needs 1/256 and -128",
                         (double)output->scale, output->zero_point);
    const float factor = -input->scale * softmax->beta;
    if (!isfinite(factor))
        return hy_refuse(&source->reader, "scale %g times beta %g is too large",
                         (double)input->scale, (double)softmax->beta);
    for (int i = 0; i < 256; i++)
        softmax->table[i] = expf(factor * (float)i);
    return true;
}

static bool make_softmax(struct sample_source *source, const struct hy_operation *operation,
                         struct sample_step *step)
{
    const struct hy_operand *input = sample_first_input(source, operation);
    if (!input)
        return false;
    const struct hy_operand *output =
        sample_output(source, operation, 0, input->type, input->rank, input->dims);
    struct sample_softmax *softmax = &step->as.softmax;
    uint32_t axis = 0;
    if (!output || !hy_read_f32(&source->reader, operation, 1, &softmax->beta) ||
        !read_axis(source, operation, input->rank, &axis))
        return false;
    if (!isfinite(softmax->beta) || !(softmax->beta > 0))
        return hy_refuse(&source->reader, "beta is %g, needs to be above 0", (double)softmax->beta);

    softmax->outer = softmax->inner = 1;
    for (uint32_t i = 0; i < axis; i++)
        softmax->outer *= input->dims[i];
    for (uint32_t i = axis + 1; i < input->rank; i++)
        softmax->inner *= input->dims[i];
    softmax->count = input->dims[axis];
    if (sample_is_quantised(input) && !fill_table(source, input, output, softmax))
        return false;
    return use_arguments(operation, input, 1, step);
}

/* ---- ADD ------------------------------------------------------------------------------------- */

/* Shapes seen as having four dimensions: 1 for those that are missing in front. */
static uint32_t dim4(const struct hy_operand *operand, uint32_t index)
{
    uint32_t missing = MAX_RANK - operand->rank;
    return index < missing ? 1 : operand->dims[index - missing];
}

static void fill_strides(const struct hy_operand *operand, uint32_t strides[MAX_RANK])
{
    uint32_t stride = 1;
    for (uint32_t i = MAX_RANK; i-- > 0;) {
        uint32_t dim = dim4(operand, i);
        strides[i] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
}

static bool broadcast(struct sample_source *source, const struct hy_operand *a,
                      const struct hy_operand *b, struct sample_add *add)
{
    for (uint32_t i = 0; i < MAX_RANK; i++) {
        uint32_t of_a = dim4(a, i), of_b = dim4(b, i);
        if (of_a != of_b && of_a != 1 && of_b != 1)
            return hy_refuse(&source->reader, "extents %u and %u cannot be broadcast", of_a, of_b);
        add->dims[i] = of_a == 1 ? of_b : of_a;
    }
    fill_strides(a, add->a_strides);
    fill_strides(b, add->b_strides);
    return true;
}

static bool fill_add_scales(struct sample_source *source, const struct hy_operand *a,
                            const struct hy_operand *b, const struct hy_operand *output,
                            struct sample_add *add)
{
    const double shared = 2.0 * (a->scale > b->scale ? a->scale : b->scale);
    const double ratio = shared / ((double)(1 << SAMPLE_ADD_SHIFT) * output->scale);
    if (!(ratio < 1))
        return hy_refuse(&source->reader, "the scales %g and %g are too large for the output's %g",
                         (double)a->scale, (double)b->scale, (double)output->scale);
    add->a_rescale = sample_multiplier_of(a->scale / shared);
    add->b_rescale = sample_multiplier_of(b->scale / shared);
    add->output_rescale = sample_multiplier_of(ratio);
    add->a_zero = a->zero_point;
    add->b_zero = b->zero_point;
    add->output_zero = output->zero_point;
    return true;
}

static bool make_add(struct sample_source *source, const struct hy_operation *operation,
                     struct sample_step *step)
{
    const struct hy_operand *a = sample_first_input(source, operation);
    const struct hy_operand *b = a ? sample_input(source, operation, 1, a->type) : NULL;
    struct sample_add *add = &step->as.add;
    if (!b || !broadcast(source, a, b, add))
        return false;

    const uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    const struct hy_operand *output =
        sample_output(source, operation, 0, a->type, rank, add->dims + (MAX_RANK - rank));
    if (!output || !sample_activation(source, operation, 2, output, &add->range))
        return false;
    if (sample_is_quantised(a) && !fill_add_scales(source, a, b, output, add))
        return false;
    return use_arguments(operation, a, 2, step);
}

/* ---- AVERAGE_POOL_2D ------------------------------------------------------------------------- */

static bool make_average_pool(struct sample_source *source, const struct hy_operation *operation,
                              struct sample_step *step)
{
    const struct hy_operand *input = sample_first_input(source, operation);
    struct sample_average_pool *pool = &step->as.average_pool;
    if (!input)
        return false;
    if (input->rank != 4)
        return hy_refuse(&source->reader, "input 0 has rank %u, needs 4", input->rank);
    uint32_t activation;
    struct hy_window window;
    if (!hy_window_read_pool(&source->reader, operation, input->dims, &window, &activation))
        return false;

    pool->height = window.height;
    pool->width = window.width;
    pool->batches = input->dims[0];
    pool->channels = input->dims[3];
    const uint32_t dims[] = {pool->batches, (uint32_t)pool->height.out, (uint32_t)pool->width.out,
                             pool->channels};
    const struct hy_operand *output = sample_output(source, operation, 0, input->type, 4, dims);
    if (!output || !sample_activation(source, operation, activation, output, &pool->range))
        return false;
    if (sample_is_quantised(input) &&
        (output->scale != input->scale || output->zero_point != input->zero_point))
        return hy_refuse(&source->reader,
                         "scale and zero point of output 0 differ from those of input 0");
    return use_arguments(operation, input, 1, step);
}

/* ---- LEAKY_RELU, of the extension ------------------------------------------------------------ */

static bool make_leaky_relu(struct sample_source *source, const struct hy_operation *operation,
                            struct sample_step *step)
{
    const struct hy_operand *input = sample_first_input(source, operation);
    if (!input)
        return false;
    if (sample_is_quantised(input))
        return hy_refuse(&source->reader, "input 0 has type %d, needs TENSOR_FLOAT32", input->type);

    struct sample_leaky_relu *relu = &step->as.leaky_relu;
    relu->count = hy_tensor_elements(input);
    if (!hy_read_f32(&source->reader, operation, 1, &relu->slope) ||
        !sample_output(source, operation, 0, input->type, input->rank, input->dims))
        return false;
    return use_arguments(operation, input, 1, step);
}

/* ---- All of them ----------------------------------------------------------------------------- */

const char *const sample_operation_names[] = {
    "ADD", "AVERAGE_POOL_2D", "FULLY_CONNECTED", "SOFTMAX", SAMPLE_EXTENSION ".LEAKY_RELU", "LSTM",
    NULL};

const char *const sample_type_names[] = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM_SIGNED", NULL};

/* The counts of inputs are bits, 1 << count. */
static const struct operation {
    int32_t type; /* SAMPLE_LEAKY_RELU: a code of our extension */
    uint32_t input_counts;
    uint32_t output_count;
    bool (*make)(struct sample_source *source, const struct hy_operation *operation,
                 struct sample_step *step);
    sample_kernel *run;
} operations[SAMPLE_OPERATION_COUNT] = {
    [SAMPLE_ADD] = {ANEURALNETWORKS_ADD, 1u << 3, 1, make_add, sample_add},
    [SAMPLE_AVERAGE_POOL_2D] = {ANEURALNETWORKS_AVERAGE_POOL_2D,
                                1u << 7 | 1u << 8 | 1u << 10 | 1u << 11, 1, make_average_pool,
                                sample_average_pool},
    [SAMPLE_FULLY_CONNECTED] = {ANEURALNETWORKS_FULLY_CONNECTED, 1u << 4, 1, make_fully_connected,
                                sample_fully_connected},
    [SAMPLE_SOFTMAX] = {ANEURALNETWORKS_SOFTMAX, 1u << 2 | 1u << 3, 1, make_softmax,
                        sample_softmax},
    [SAMPLE_LEAKY_RELU] = {SAMPLE_EXTENSION_LEAKY_RELU, 1u << 2, 1, make_leaky_relu,
                           sample_leaky_relu},
    [SAMPLE_LSTM] = {ANEURALNETWORKS_LSTM, 1u << 23 | 1u << 27, 4, sample_lstm_make,
                     sample_lstm_run},
};

/* Whether a prefix is that of our extension: each process gives out its own, the model tells. */
static bool is_own_prefix(const struct hy_model *model, uint32_t prefix)
{
    for (uint32_t i = 0; i < model->extension_count; i++) {
        const struct hy_extension_prefix *extension = &model->extensions[i];
        if (extension->prefix == prefix)
            return strcmp(extension->name, SAMPLE_EXTENSION) == 0;
    }
    return false;
}

static const struct operation *find_operation(const struct sample_source *source, int32_t type)
{
    const uint32_t prefix = (uint32_t)type >> PREFIX_BITS;
    if (prefix != 0 && !is_own_prefix(source->reader.model, prefix))
        return NULL;
    for (uint32_t i = 0; i < SAMPLE_OPERATION_COUNT; i++)
        if ((i == SAMPLE_LEAKY_RELU) == (prefix != 0) && operations[i].type == (type & CODE_MASK) &&
            (source->operations >> i & 1))
            return &operations[i];
    return NULL;
}

bool sample_step_make(struct sample_source *source, const struct hy_operation *operation,
                      struct sample_step *step)
{
    const struct operation *known = find_operation(source, operation->type);
    if (!known)
        return hy_refuse(&source->reader, "operation type %d is not served by this device",
                         operation->type);
    const uint32_t number = (uint32_t)(known - operations);
    const char *name = sample_operation_names[number];
    if (operation->input_count >= 32 || !(known->input_counts >> operation->input_count & 1) ||
        operation->output_count != known->output_count)
        return hy_refuse(&source->reader, "%s with %u inputs and %u outputs", name,
                         operation->input_count, operation->output_count);

    struct sample_step made;
    memset(&made, 0, sizeof made); /* with all of its padding: a step may go into a cache file */
    made.operation = number;
    if (!known->make(source, operation, &made))
        return hy_refuse_as(&source->reader, name);
    *step = made;
    return true;
}

void sample_step_run(const struct sample_step *step, const uint8_t *const *inputs,
                     uint8_t *const *outputs, void *work)
{
    operations[step->operation].run(step, inputs, outputs, work);
}

uint64_t sample_step_work_bytes(const struct sample_step *step)
{
    return step->operation == SAMPLE_LSTM ? sample_lstm_work_bytes(&step->as.lstm) : 0;
}

bool sample_step_is_whole(const struct sample_step *step, const uint8_t *const *inputs)
{
    return step->operation != SAMPLE_LSTM || sample_lstm_is_whole(&step->as.lstm, inputs);
}
