#include "operations.h"

#include "driver_kit/tensor.h"
#include "driver_kit/window.h"
#include "lstm.h"

#include <android/NeuralNetworks.h>

#include <math.h>
#include <string.h>

#define MAX_RANK  SAMPLE_MAX_RANK
#define MAX_DEPTH 32768u /* of FULLY_CONNECTED: its 32-bit sums cannot overflow */

#define PREFIX_BITS 16 /* of an operation type: the upper half names an extension */
#define CODE_MASK   0xffff

/* ---- FULLY_CONNECTED ------------------------------------------------------------------------- */

/* The constant operands of FULLY_CONNECTED, of the shapes that fit together. */
static bool check_weights(struct hy_model_reader *reader, const struct hy_operand *input,
                          const struct hy_operand *weights, const struct hy_operand *bias)
{
    if (!hy_is_constant(weights) || !hy_is_constant(bias))
        return hy_refuse(reader, "weights and bias must be constant");
    if (input->rank < 2 || weights->rank != 2 || bias->rank != 1)
        return hy_refuse(
            reader, "input, weights and bias have ranks %u, %u and %u, need 2 or more, 2 and 1",
            input->rank, weights->rank, bias->rank);
    if (weights->dims[1] > MAX_DEPTH)
        return hy_refuse(reader, "weights have a depth of %u, at most %u is supported",
                         weights->dims[1], MAX_DEPTH);
    if (hy_tensor_elements(input) % weights->dims[1] != 0 || bias->dims[0] != weights->dims[0])
        return hy_refuse(reader, "the shapes of input, weights [%u, %u] and bias [%u] do not match",
                         weights->dims[0], weights->dims[1], bias->dims[0]);
    return true;
}

static bool make_fully_connected(struct hy_model_reader *reader,
                                 const struct hy_operation *operation,
                                 const struct hy_operand *input, struct sample_step *step)
{
    const int32_t bias_type =
        step->is_quantised ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32;
    const struct hy_operand *weights = hy_tensor_read_input(reader, operation, 1, input->type);
    const struct hy_operand *bias =
        weights ? hy_tensor_read_input(reader, operation, 2, bias_type) : NULL;
    if (!bias || !check_weights(reader, input, weights, bias))
        return false;

    struct sample_fully_connected *fc = &step->as.fully_connected;
    fc->panel = 1;
    fc->depth = weights->dims[1];
    fc->units = weights->dims[0];
    fc->batches = (uint32_t)(hy_tensor_elements(input) / fc->depth);
    const uint32_t dims[] = {fc->batches, fc->units};
    const struct hy_operand *output =
        hy_tensor_read_output(reader, operation, 0, input->type, 2, dims);
    if (!output || !hy_read_activation(reader, operation, 3, output, &fc->range))
        return false;

    fc->input_zero = input->zero_point;
    fc->weight_zero = weights->zero_point;
    fc->output_zero = output->zero_point;
    if (step->is_quantised) {
        double ratio = (double)(input->scale * weights->scale) / output->scale;
        if (!(ratio < 1 << 30))
            return hy_refuse(reader, "the scales of input * weights / output are %g", ratio);
        fc->rescale = hy_multiplier_from_double(ratio);
    }
    return true;
}

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

static bool read_axis(struct hy_model_reader *reader, const struct hy_operation *operation,
                      uint32_t rank, uint32_t *axis)
{
    int32_t value = -1;
    if (operation->input_count == 3 && !hy_read_i32(reader, operation, 2, &value))
        return false;
    return hy_resolve_axis(reader, value, rank, axis);
}

/* All that the exponential can be asked for, worked out once. */
static bool fill_table(struct hy_model_reader *reader, const struct hy_operand *input,
                       const struct hy_operand *output, struct sample_softmax *softmax)
{
    if (output->scale != 1.0f / 256 || output->zero_point != INT8_MIN)
        return hy_refuse(reader, "output 0 has scale %g, zero point %d, needs 1/256 and -128",
                         (double)output->scale, output->zero_point);
    const float factor = -input->scale * softmax->beta;
    if (!isfinite(factor))
        return hy_refuse(reader, "scale %g times beta %g is too large", (double)input->scale,
                         (double)softmax->beta);
    for (int i = 0; i < 256; i++)
        softmax->table[i] = expf(factor * (float)i);
    return true;
}

static bool make_softmax(struct hy_model_reader *reader, const struct hy_operation *operation,
                         const struct hy_operand *input, struct sample_step *step)
{
    const struct hy_operand *output =
        hy_tensor_read_output(reader, operation, 0, input->type, input->rank, input->dims);
    struct sample_softmax *softmax = &step->as.softmax;
    uint32_t axis = 0;
    if (!output || !hy_read_f32(reader, operation, 1, &softmax->beta) ||
        !read_axis(reader, operation, input->rank, &axis))
        return false;
    if (!isfinite(softmax->beta) || !(softmax->beta > 0))
        return hy_refuse(reader, "beta is %g, needs to be above 0", (double)softmax->beta);

    softmax->outer = softmax->inner = 1;
    for (uint32_t i = 0; i < axis; i++)
        softmax->outer *= input->dims[i];
    for (uint32_t i = axis + 1; i < input->rank; i++)
        softmax->inner *= input->dims[i];
    softmax->count = input->dims[axis];
    return !step->is_quantised || fill_table(reader, input, output, softmax);
}

/* ---- ADD ------------------------------------------------------------------------------------- */

/* Shapes seen as having four dimensions: 1 for those that are missing in front. */
static uint32_t dim4(uint32_t rank, const uint32_t *dims, uint32_t index)
{
    const uint32_t missing = MAX_RANK - rank;
    return index < missing ? 1 : dims[index - missing];
}

static void fill_strides(const struct hy_operand *operand, uint32_t strides[MAX_RANK])
{
    uint32_t stride = 1;
    for (uint32_t i = MAX_RANK; i-- > 0;) {
        const uint32_t dim = dim4(operand->rank, operand->dims, i);
        strides[i] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
}

static bool fill_add_scales(struct hy_model_reader *reader, const struct hy_operand *a,
                            const struct hy_operand *b, const struct hy_operand *output,
                            struct sample_add *add)
{
    const double shared = 2.0 * (a->scale > b->scale ? a->scale : b->scale);
    const double ratio = shared / ((double)(1 << SAMPLE_ADD_SHIFT) * output->scale);
    if (!(ratio < 1))
        return hy_refuse(reader, "the scales %g and %g are too large for the output's %g",
                         (double)a->scale, (double)b->scale, (double)output->scale);
    add->a_rescale = hy_multiplier_from_double(a->scale / shared);
    add->b_rescale = hy_multiplier_from_double(b->scale / shared);
    add->output_rescale = hy_multiplier_from_double(ratio);
    add->a_zero = a->zero_point;
    add->b_zero = b->zero_point;
    add->output_zero = output->zero_point;
    return true;
}

static bool make_add(struct hy_model_reader *reader, const struct hy_operation *operation,
                     const struct hy_operand *a, struct sample_step *step)
{
    const struct hy_operand *b = hy_tensor_read_input(reader, operation, 1, a->type);
    struct sample_add *add = &step->as.add;
    uint32_t rank, dims[HY_MAX_RANK];
    if (!b || !hy_broadcast(reader, a->rank, a->dims, b->rank, b->dims, &rank, dims))
        return false;
    const struct hy_operand *output =
        hy_tensor_read_output(reader, operation, 0, a->type, rank, dims);
    if (!output || !hy_read_activation(reader, operation, 2, output, &add->range))
        return false;

    for (uint32_t i = 0; i < MAX_RANK; i++)
        add->dims[i] = dim4(rank, dims, i);
    fill_strides(a, add->a_strides);
    fill_strides(b, add->b_strides);
    return !step->is_quantised || fill_add_scales(reader, a, b, output, add);
}

/* ---- AVERAGE_POOL_2D ------------------------------------------------------------------------- */

static bool make_average_pool(struct hy_model_reader *reader, const struct hy_operation *operation,
                              const struct hy_operand *input, struct sample_step *step)
{
    struct sample_average_pool *pool = &step->as.average_pool;
    uint32_t activation;
    struct hy_window window;
    if (input->rank != 4)
        return hy_refuse(reader, "input 0 has rank %u, needs 4", input->rank);
    if (!hy_window_read_pool(reader, operation, input->dims, &window, &activation))
        return false;

    pool->height = window.height;
    pool->width = window.width;
    pool->batches = input->dims[0];
    pool->channels = input->dims[3];
    const uint32_t dims[] = {pool->batches, (uint32_t)pool->height.out, (uint32_t)pool->width.out,
                             pool->channels};
    const struct hy_operand *output =
        hy_tensor_read_output(reader, operation, 0, input->type, 4, dims);
    if (!output || !hy_read_activation(reader, operation, activation, output, &pool->range))
        return false;
    if (step->is_quantised &&
        (output->scale != input->scale || output->zero_point != input->zero_point))
        return hy_refuse(reader, "scale and zero point differ between output 0 and input 0");
    return true;
}

/* ---- LEAKY_RELU, of the extension ------------------------------------------------------------ */

static bool make_leaky_relu(struct hy_model_reader *reader, const struct hy_operation *operation,
                            const struct hy_operand *input, struct sample_step *step)
{
    struct sample_leaky_relu *relu = &step->as.leaky_relu;
    if (step->is_quantised)
        return hy_refuse(reader, "input 0 has type %d, needs TENSOR_FLOAT32", input->type);
    relu->count = hy_tensor_elements(input);
    return hy_read_f32(reader, operation, 1, &relu->slope) &&
           hy_tensor_read_output(reader, operation, 0, input->type, input->rank, input->dims);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const char leaky_relu[] = SAMPLE_EXTENSION ".LEAKY_RELU";

const char *const sample_operation_names[] = {
    "ADD", "AVERAGE_POOL_2D", "FULLY_CONNECTED", "SOFTMAX", leaky_relu, "LSTM", NULL};

const char *const sample_type_names[] = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM_SIGNED", NULL};

/* The counts of inputs are bits, 1 << count. */
static const struct operation {
    int32_t type; /* SAMPLE_LEAKY_RELU: a code of our extension */
    uint32_t input_counts, output_count;
    uint32_t tensor_count; /* the first inputs, which are the step's; 0: `make` finds them */
    bool (*make)(struct hy_model_reader *reader, const struct hy_operation *operation,
                 const struct hy_operand *input, struct sample_step *step);
    sample_kernel *run;
} operations[SAMPLE_OPERATION_COUNT] = {
    [SAMPLE_ADD] = {ANEURALNETWORKS_ADD, 1u << 3, 1, 2, make_add, sample_add},
    [SAMPLE_AVERAGE_POOL_2D] = {ANEURALNETWORKS_AVERAGE_POOL_2D,
                                1u << 7 | 1u << 8 | 1u << 10 | 1u << 11, 1, 1, make_average_pool,
                                sample_average_pool},
    [SAMPLE_FULLY_CONNECTED] = {ANEURALNETWORKS_FULLY_CONNECTED, 1u << 4, 1, 3,
                                make_fully_connected, sample_fully_connected},
    [SAMPLE_SOFTMAX] = {ANEURALNETWORKS_SOFTMAX, 1u << 2 | 1u << 3, 1, 1, make_softmax,
                        sample_softmax},
    [SAMPLE_LEAKY_RELU] = {SAMPLE_EXTENSION_LEAKY_RELU, 1u << 2, 1, 1, make_leaky_relu,
                           sample_leaky_relu},
    [SAMPLE_LSTM] = {ANEURALNETWORKS_LSTM, 1u << 23 | 1u << 27, SAMPLE_MAX_OUTPUTS, 0,
                     sample_lstm_make, sample_lstm_run},
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

/* Input 0, float32 or signed quant8, from which the type of all else follows. */
static const struct hy_operand *read_first_input(struct sample_source *source,
                                                 const struct hy_operation *operation)
{
    const struct hy_operand *operand = hy_read_input(&source->reader, operation, 0);
    if (!operand)
        return NULL;
    const bool is_quantised = operand->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    if (!(source->types & (is_quantised ? SAMPLE_QUANTISED_TENSORS : SAMPLE_FLOAT_TENSORS))) {
        hy_refuse(&source->reader, "the device does not support %s tensors",
                  is_quantised ? "signed quantised" : "float32");
        return NULL;
    }
    return hy_tensor_read_input(&source->reader, operation, 0,
                                is_quantised ? operand->type : ANEURALNETWORKS_TENSOR_FLOAT32);
}

static bool make(struct sample_source *source, const struct hy_operation *operation,
                 const struct operation *known, struct sample_step *step)
{
    const struct hy_operand *input = read_first_input(source, operation);
    if (!input)
        return false;
    step->operation = (uint32_t)(known - operations);
    step->is_quantised = input->type != ANEURALNETWORKS_TENSOR_FLOAT32;
    step->input_count = known->tensor_count;
    step->output_count = known->output_count;
    memcpy(step->inputs, operation->inputs, known->tensor_count * sizeof *step->inputs);
    memcpy(step->outputs, operation->outputs, known->output_count * sizeof *step->outputs);
    return known->make(&source->reader, operation, input, step);
}

bool sample_step_make(struct sample_source *source, const struct hy_operation *operation,
                      struct sample_step *step)
{
    const struct operation *known = find_operation(source, operation->type);
    if (!known)
        return hy_refuse(&source->reader, "the device does not support operation type %d",
                         operation->type);
    const char *name = sample_operation_names[known - operations];
    if (operation->input_count >= 32 || !(known->input_counts >> operation->input_count & 1) ||
        operation->output_count != known->output_count)
        return hy_refuse(&source->reader, "%s with %u inputs and %u outputs is not supported", name,
                         operation->input_count, operation->output_count);
    memset(step, 0, sizeof *step); /* with all of its padding: a step may go into a cache file */
    return make(source, operation, known, step) || hy_refuse_as(&source->reader, name);
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
