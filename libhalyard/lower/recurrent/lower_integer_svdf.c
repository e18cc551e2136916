#include "libhalyard/lower/int32.h"
#include "libhalyard/lower/recurrent/recurrent.h"

#include <stdlib.h>
#include <string.h>

/*
 * SVDF of int8 with a state of 16 bits, to the bit. The state is float32 and holds whole numbers.
 *
 *     newest = sat16(scale(feature weights * (input - zero point)))       [batch, filters]
 *     state  = state without its oldest column, newest                    [batch * filters, memory]
 *     output = sat8(scale(sum of time weights * state over memory and rank, bias) + zero point)
 *
 * Sums of features are exact in float32, other sums wrap around in int32.
 */

/* Inputs of SVDF. */
enum { FEATURE_WEIGHTS = 1, TIME_WEIGHTS = 2, BIAS = 3, STATE = 4 };

#define MAX_EXACT_FLOAT (INT64_C(1) << 24)

struct svdf {
    uint32_t batch, inputs, filters, memory, units;
    double feature_scale, output_scale; /* what the two sums are multiplied by */
};

/* ---- What the node says ---------------------------------------------------------------------- */

static bool is_constant(const struct hy_graph_tensor *tensor, enum hy_element element,
                        uint32_t rank)
{
    return tensor->data && !tensor->sparsity && tensor->element == element && tensor->rank == rank;
}

static bool has_scale(const struct hy_graph_tensor *tensor)
{
    return tensor->quantisation.count == 1 && tensor->quantisation.scales[0] > 0.0f;
}

/* The product of two scales over a third, as TensorFlow Lite rounds it. */
static double relative_scale(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b,
                             const struct hy_graph_tensor *over)
{
    return (double)(a->quantisation.scales[0] * b->quantisation.scales[0] /
                    over->quantisation.scales[0]);
}

/* Every sum of a filter's features is exact in float32, whatever the input and the order. */
static bool sums_are_exact(const struct hy_graph_tensor *weights)
{
    const int8_t *row = weights->data;

    for (int32_t i = 0; i < weights->extents[0]; i++) {
        int64_t sum = 0;
        for (int32_t j = 0; j < weights->extents[1]; j++)
            sum += UINT8_MAX * abs(*row++);
        if (sum > MAX_EXACT_FLOAT)
            return false;
    }
    return true;
}

static void check_weights(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *features = hy_input(lowering, FEATURE_WEIGHTS);
    const struct hy_graph_tensor *times = hy_input(lowering, TIME_WEIGHTS);

    hy_expect(lowering,
              is_constant(features, HY_ELEMENT_INT8, 2) &&
                  is_constant(times, HY_ELEMENT_INT16, 2) &&
                  features->extents[0] == times->extents[0] && times->extents[1] > 0,
              "an integer SVDF with weights of these types or shapes");
    if (lowering->code == HY_OK)
        hy_expect(lowering, sums_are_exact(features), "an integer SVDF of so many features");
}

enum { MAX_COLUMNS = 4096 }; /* the model has an addition per column */

/* Filters come in groups of `rank`, whose columns are summed. */
static bool has_rank(const struct hy_graph_tensor *times, int32_t rank)
{
    return rank > 0 && times->extents[0] > 0 && times->extents[0] % rank == 0 &&
           (int64_t)rank * times->extents[1] <= MAX_COLUMNS;
}

static void check_state(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *state = hy_input(lowering, STATE);

    hy_expect(lowering, state->element == HY_ELEMENT_FLOAT32 && lowering->node->output_count == 2,
              "an integer SVDF whose state is no variable");
}

static bool read_svdf(struct hy_lowering *lowering, struct svdf *svdf)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0), *state = hy_input(lowering, STATE);
    const struct hy_graph_tensor *features = hy_input(lowering, FEATURE_WEIGHTS);
    const struct hy_graph_tensor *times = hy_input(lowering, TIME_WEIGHTS);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const int32_t rank = lowering->node->attributes.svdf.rank;

    check_weights(lowering);
    check_state(lowering);
    hy_expect(lowering,
              input->rank == 2 && input->extents[0] > 0 &&
                  input->extents[1] == features->extents[1],
              "an integer SVDF with an input of this shape");
    hy_expect(lowering, has_rank(times, rank), "an integer SVDF of this rank");
    hy_expect(lowering,
              has_scale(input) && has_scale(features) && has_scale(times) && has_scale(state) &&
                  has_scale(output),
              "an integer SVDF without scales");
    if (lowering->code != HY_OK)
        return false;
    *svdf = (struct svdf){.batch = (uint32_t)input->extents[0],
                          .inputs = (uint32_t)input->extents[1],
                          .filters = (uint32_t)times->extents[0],
                          .memory = (uint32_t)times->extents[1],
                          .units = (uint32_t)(times->extents[0] / rank),
                          .feature_scale = relative_scale(input, features, state),
                          .output_scale = relative_scale(state, times, output)};
    return true;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static const struct hy_graph_tensor real_values = {.element = HY_ELEMENT_FLOAT32};
static const struct hy_graph_tensor int_values = {.element = HY_ELEMENT_INT32};

static uint32_t real_matrix(struct hy_lowering *lowering, uint32_t rows, uint32_t columns)
{
    return hy_temporary_operand_of(lowering, &real_values, 2, (const uint32_t[]){rows, columns});
}

static void push_real(struct hy_lowering *lowering, float value)
{
    hy_push(lowering, hy_constant_operand_like(lowering, &real_values, 1, (const uint32_t[]){1},
                                               &value, sizeof value));
}

static void emit_reshape(struct hy_lowering *lowering, uint32_t from, uint32_t to, uint32_t rows,
                         uint32_t columns)
{
    hy_push(lowering, from);
    hy_push_ints(lowering, (const int32_t[]){(int32_t)rows, (int32_t)columns}, 2);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, to);
}

/* A matrix of whole numbers of float32 or int32 in another shape. */
static uint32_t reshape(struct hy_lowering *lowering, const struct hy_graph_tensor *like,
                        uint32_t from, uint32_t rows, uint32_t columns)
{
    const uint32_t to =
        hy_temporary_operand_of(lowering, like, 2, (const uint32_t[]){rows, columns});
    emit_reshape(lowering, from, to, rows, columns);
    return to;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* The stored numbers of the input, less the zero point: the real numbers over the scale, whose
 * rounding errors FLOOR takes off. */
static uint32_t whole_input(struct hy_lowering *lowering, const struct svdf *svdf)
{
    const float scale = hy_input(lowering, 0)->quantisation.scales[0];
    const uint32_t real = hy_real_operand(lowering, 0);
    const uint32_t divided = real_matrix(lowering, svdf->batch, svdf->inputs);
    const uint32_t raised = real_matrix(lowering, svdf->batch, svdf->inputs);
    const uint32_t whole = real_matrix(lowering, svdf->batch, svdf->inputs);

    hy_push(lowering, real);
    push_real(lowering, scale);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_DIV, divided);
    hy_push(lowering, divided);
    push_real(lowering, 0.5f);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_ADD, raised);
    hy_push(lowering, raised);
    hy_emit_to(lowering, ANEURALNETWORKS_FLOOR, whole);
    return whole;
}

/* The weights of int8 as whole numbers of float32, and a bias of zeros. */
static void push_features(struct hy_lowering *lowering, const struct svdf *svdf)
{
    const int8_t *weights = hy_input(lowering, FEATURE_WEIGHTS)->data;
    const size_t count = (size_t)svdf->filters * svdf->inputs;
    float *reals = hy_scratch_memory(lowering, count, sizeof *reals);
    float *zeros = hy_scratch_memory(lowering, svdf->filters, sizeof *zeros);

    if (!reals || !zeros)
        return;
    for (size_t i = 0; i < count; i++)
        reals[i] = weights[i];
    memset(zeros, 0, svdf->filters * sizeof *zeros);
    hy_push(lowering, hy_constant_operand_like(lowering, &real_values, 2,
                                               (const uint32_t[]){svdf->filters, svdf->inputs},
                                               reals, count * sizeof *reals));
    hy_push(lowering, hy_constant_operand_like(lowering, &real_values, 1, &svdf->filters, zeros,
                                               svdf->filters * sizeof *zeros));
}

/* The newest column of the state: [batch * filters, 1] of float32. */
static uint32_t newest_column(struct hy_lowering *lowering, const struct svdf *svdf)
{
    const uint32_t extents[2] = {svdf->batch, svdf->filters};
    const uint32_t input = whole_input(lowering, svdf);
    const uint32_t sums = real_matrix(lowering, svdf->batch, svdf->filters);

    hy_push(lowering, input);
    push_features(lowering, svdf);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_FULLY_CONNECTED, sums);
    struct hy_int32 newest = hy_int32_of_float(lowering, sums, extents);
    newest = hy_int32_scale(lowering, newest, svdf->feature_scale);
    newest = hy_int32_apply_number(lowering, ANEURALNETWORKS_MINIMUM, newest, INT16_MAX);
    newest = hy_int32_apply_number(lowering, ANEURALNETWORKS_MAXIMUM, newest, INT16_MIN);
    return reshape(lowering, &real_values, hy_int32_as_float(lowering, newest),
                   svdf->batch * svdf->filters, 1);
}

/* ---- State ----------------------------------------------------------------------------------- */

/* The state after the run, as [batch * filters, memory], and as output of the node. */
static uint32_t advance_state(struct hy_lowering *lowering, const struct svdf *svdf,
                              uint32_t newest)
{
    const uint32_t rows = svdf->batch * svdf->filters;
    uint32_t state = newest;

    if (svdf->memory > 1) {
        const int32_t begin[] = {0, 1}, size[] = {(int32_t)rows, (int32_t)svdf->memory - 1};
        const uint32_t before =
            reshape(lowering, &real_values, hy_input_operand(lowering, STATE), rows, svdf->memory);
        const uint32_t kept = real_matrix(lowering, rows, svdf->memory - 1);
        hy_push(lowering, before);
        hy_push_ints(lowering, begin, 2);
        hy_push_ints(lowering, size, 2);
        hy_emit_to(lowering, ANEURALNETWORKS_SLICE, kept);
        state = real_matrix(lowering, rows, svdf->memory);
        hy_push(lowering, kept);
        hy_push(lowering, newest);
        hy_push_int(lowering, 1);
        hy_emit_to(lowering, ANEURALNETWORKS_CONCATENATION, state);
    }
    emit_reshape(lowering, state, hy_output_operand(lowering, 1), svdf->batch,
                 svdf->filters * svdf->memory);
    return state;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* The time weights of int16 as [1, filters * memory] of int32. */
static uint32_t time_weights(struct hy_lowering *lowering, const struct svdf *svdf)
{
    const char *from = hy_input(lowering, TIME_WEIGHTS)->data;
    const uint32_t count = svdf->filters * svdf->memory;
    int32_t *weights = hy_scratch_memory(lowering, count, sizeof *weights);

    for (uint32_t i = 0; weights && i < count; i++) {
        int16_t weight;
        memcpy(&weight, from + i * sizeof weight, sizeof weight);
        weights[i] = weight;
    }
    return hy_constant_operand_like(lowering, &int_values, 2, (const uint32_t[]){1, count}, weights,
                                    count * sizeof *weights);
}

/* Sums over each unit's columns, [batch * units, 1]. */
static struct hy_int32 sum_columns(struct hy_lowering *lowering, const struct svdf *svdf,
                                   struct hy_int32 products)
{
    const uint32_t rows = svdf->batch * svdf->units;
    const uint32_t count = svdf->filters / svdf->units * svdf->memory;
    struct hy_int32 sum = {reshape(lowering, &int_values, products.operand, rows, count),
                           {rows, 1}};
    uint32_t *columns = hy_scratch_memory(lowering, count, sizeof *columns);

    if (!columns || count == 1)
        return sum;
    for (uint32_t i = 0; i < count; i++)
        columns[i] = hy_temporary_operand_of(lowering, &int_values, 2, sum.extents);
    hy_push(lowering, sum.operand);
    hy_push_int(lowering, 1);
    hy_push_int(lowering, (int32_t)count);
    hy_emit_to_list(lowering, ANEURALNETWORKS_SPLIT, columns, count);
    sum.operand = columns[0];
    for (uint32_t i = 1; i < count; i++)
        sum = hy_int32_apply(lowering, ANEURALNETWORKS_ADD, sum, columns[i]);
    return sum;
}

/* The sums as numbers of the output's steps, [batch, units]. */
static struct hy_int32 output_steps(struct hy_lowering *lowering, const struct svdf *svdf,
                                    uint32_t state)
{
    const uint32_t wide[2] = {svdf->batch, svdf->filters * svdf->memory};
    const uint32_t numbers = reshape(lowering, &real_values, state, wide[0], wide[1]);
    struct hy_int32 sums = hy_int32_of_float(lowering, numbers, wide);

    sums = hy_int32_apply(lowering, ANEURALNETWORKS_MUL, sums, time_weights(lowering, svdf));
    sums = sum_columns(lowering, svdf, sums);
    sums = (struct hy_int32){reshape(lowering, &int_values, sums.operand, svdf->batch, svdf->units),
                             {svdf->batch, svdf->units}};
    if (hy_has_input(lowering, BIAS)) {
        const uint32_t bias =
            hy_bias_operand(lowering, BIAS, ANEURALNETWORKS_TENSOR_INT32, svdf->units, 0.0f);
        sums = hy_int32_apply(lowering, ANEURALNETWORKS_ADD, sums, bias);
    }
    return hy_int32_scale(lowering, sums, svdf->output_scale);
}

/* As TensorFlow Lite does, without the activation: the output's range has it. */
void hy_lower_integer_svdf(struct hy_lowering *lowering)
{
    struct svdf svdf;

    if (!read_svdf(lowering, &svdf))
        return;
    const uint32_t state = advance_state(lowering, &svdf, newest_column(lowering, &svdf));
    const struct hy_int32 steps = output_steps(lowering, &svdf, state);
    const uint32_t whole = hy_int32_as_float(lowering, steps);
    const uint32_t real = real_matrix(lowering, svdf.batch, svdf.units);

    hy_push(lowering, whole);
    push_real(lowering, hy_output(lowering, 0)->quantisation.scales[0]);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_MUL, real);
    hy_push(lowering, real);
    hy_emit_to(lowering, ANEURALNETWORKS_QUANTIZE, hy_output_operand(lowering, 0));
}
