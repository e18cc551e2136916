/*
 * The arithmetic of the sample device, written to be read: plain loops that a compiler can
 * vectorise. Quantised results are bit for bit those of TensorFlow Lite's built-in kernels.
 */
#include "kernels.h"

#include "elements.h"
#include "fully_connected.h"
#include "lstm.h"

/* ---- Fixed point ----------------------------------------------------------------------------- */

struct sample_multiplier sample_multiplier_of(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent); /* in [0.5, 1), or 0 */
    int64_t multiplier = (int64_t)round(fraction * 2147483648.0);
    if (multiplier == INT64_C(1) << 31) {
        multiplier /= 2;
        exponent++;
    }
    if (multiplier == 0 || exponent < -31)
        return (struct sample_multiplier){0, 0};
    return (struct sample_multiplier){(int32_t)multiplier, exponent};
}

/* Where `by` has an exponent above 0: x * 2^exponent, within 32 bits. */
static int64_t shift_left(int64_t x, const struct sample_multiplier *by)
{
    return by->exponent > 0 ? saturate_i32(x * (INT64_C(1) << by->exponent)) : x;
}

int64_t sample_rescale_up(int64_t x, const struct sample_multiplier *by)
{
    int64_t high = (shift_left(x, by) * by->multiplier + (INT64_C(1) << 30)) >> 31;
    int right = by->exponent < 0 ? -by->exponent : 0;
    return right ? (high + (INT64_C(1) << (right - 1))) >> right : high;
}

/* x * by, rounded twice, halves away from zero; the reference arithmetic of NNAPI. */
static int64_t rescale_away(int64_t x, const struct sample_multiplier *by)
{
    int64_t product = shift_left(x, by) * by->multiplier;
    int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
    int64_t high = (product + nudge) / (INT64_C(1) << 31); /* truncates */

    int right = by->exponent < 0 ? -by->exponent : 0;
    int64_t mask = (INT64_C(1) << right) - 1;
    int64_t threshold = (mask >> 1) + (high < 0);
    return (high >> right) + ((high & mask) > threshold);
}

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

static void softmax_f32(const struct sample_softmax *softmax, const uint8_t *input, uint8_t *output,
                        size_t first)
{
    float max = load_f32(input, first);
    for (size_t i = 1; i < softmax->count; i++)
        max = fmaxf(max, load_f32(input, first + i * softmax->inner));

    /* The exponentials are worked out twice: the output may be memory that cannot be read. */
    float sum = 0;
    for (size_t i = 0; i < softmax->count; i++)
        sum += expf((load_f32(input, first + i * softmax->inner) - max) * softmax->beta);
    for (size_t i = 0; i < softmax->count; i++) {
        const size_t at = first + i * softmax->inner;
        store_f32(output, at, expf((load_f32(input, at) - max) * softmax->beta) / sum);
    }
}

/* A distance from the maximum, as an index that stays inside the table even if somebody writes to
 * the input while we read it twice. */
static uint8_t distance(int32_t max, const uint8_t *input, size_t at)
{
    return (uint8_t)(max - load_q8(input, at));
}

/* The output is in steps of 1/256 from -128. */
static void softmax_q8(const struct sample_softmax *softmax, const uint8_t *input, uint8_t *output,
                       size_t first)
{
    int32_t max = INT8_MIN;
    for (size_t i = 0; i < softmax->count; i++) {
        int32_t value = load_q8(input, first + i * softmax->inner);
        max = value > max ? value : max;
    }

    float sum = 0;
    for (size_t i = 0; i < softmax->count; i++)
        sum += softmax->table[distance(max, input, first + i * softmax->inner)];

    const struct hy_value_range all = {.quant_low = INT8_MIN, .quant_high = INT8_MAX};
    const float inverse = 1.0f / (sum * (1.0f / 256));
    for (size_t i = 0; i < softmax->count; i++) {
        const size_t at = first + i * softmax->inner;
        float share = softmax->table[distance(max, input, at)] * inverse;
        output[at] = clamp_q8(&all, (int64_t)roundf(share) + INT8_MIN);
    }
}

/* Index of the first element of sum number `index`. */
static size_t first_of(const struct sample_softmax *softmax, size_t index)
{
    return index / softmax->inner * softmax->count * softmax->inner + index % softmax->inner;
}

static void run_softmax_f32(const struct sample_step *step, const uint8_t *const *inputs,
                            uint8_t *output)
{
    const struct sample_softmax *softmax = &step->as.softmax;
    for (size_t i = 0; i < (size_t)softmax->outer * softmax->inner; i++)
        softmax_f32(softmax, inputs[0], output, first_of(softmax, i));
}

static void run_softmax_q8(const struct sample_step *step, const uint8_t *const *inputs,
                           uint8_t *output)
{
    const struct sample_softmax *softmax = &step->as.softmax;
    for (size_t i = 0; i < (size_t)softmax->outer * softmax->inner; i++)
        softmax_q8(softmax, inputs[0], output, first_of(softmax, i));
}

/* ---- ADD ------------------------------------------------------------------------------------- */

/* Output rows are counted over the three outer dimensions together. */
static size_t row_count(const struct sample_add *add)
{
    return (size_t)add->dims[0] * add->dims[1] * add->dims[2];
}

/* Index of the first element of an input that goes into this output row. */
static size_t row_start(const struct sample_add *add, const uint32_t *strides, size_t row)
{
    size_t third = row % add->dims[2], second = row / add->dims[2] % add->dims[1];
    size_t first = row / add->dims[2] / add->dims[1];
    return first * strides[0] + second * strides[1] + third * strides[2];
}

static void run_add_f32(const struct sample_step *step, const uint8_t *const *inputs,
                        uint8_t *output)
{
    const struct sample_add *add = &step->as.add;
    size_t at = 0;
    for (size_t row = 0; row < row_count(add); row++) {
        size_t a = row_start(add, add->a_strides, row), b = row_start(add, add->b_strides, row);
        for (uint32_t i = 0; i < add->dims[3]; i++, at++) {
            store_f32(output, at,
                      clamp_f32(&add->range, load_f32(inputs[0], a) + load_f32(inputs[1], b)));
            a += add->a_strides[3];
            b += add->b_strides[3];
        }
    }
}

/* Both sides in units of half the larger scale / 2^20, so that their sum is exact enough. */
static uint8_t sum_q8(const struct sample_add *add, int32_t a, int32_t b)
{
    const int64_t one = INT64_C(1) << SAMPLE_ADD_SHIFT;
    int64_t sum = rescale_away((a - add->a_zero) * one, &add->a_rescale) +
                  rescale_away((b - add->b_zero) * one, &add->b_rescale);
    return clamp_q8(&add->range, rescale_away(sum, &add->output_rescale) + add->output_zero);
}

static void run_add_q8(const struct sample_step *step, const uint8_t *const *inputs,
                       uint8_t *output)
{
    const struct sample_add *add = &step->as.add;
    size_t at = 0;
    for (size_t row = 0; row < row_count(add); row++) {
        size_t a = row_start(add, add->a_strides, row), b = row_start(add, add->b_strides, row);
        for (uint32_t i = 0; i < add->dims[3]; i++, at++) {
            output[at] = sum_q8(add, load_q8(inputs[0], a), load_q8(inputs[1], b));
            a += add->a_strides[3];
            b += add->b_strides[3];
        }
    }
}

/* ---- AVERAGE_POOL_2D ------------------------------------------------------------------------- */

/* The cells of the input under one window: rows [top, bottom), columns [left, right). */
struct window {
    size_t batch;
    uint32_t top, bottom, left, right;
};

/* The part of [index * stride - padding, ... + filter) that lies inside [0, size); never empty. */
static void clip(size_t index, uint32_t stride, uint32_t padding, uint32_t filter, uint32_t size,
                 uint32_t *begin, uint32_t *end)
{
    int64_t first = (int64_t)index * stride - padding, last = first + filter;
    *begin = first < 0 ? 0 : (uint32_t)first;
    *end = last > size ? size : (uint32_t)last;
}

/* Windows are counted over batches, rows and columns of the output together. */
static size_t window_count(const struct sample_average_pool *pool)
{
    return (size_t)pool->batches * pool->out_height * pool->out_width;
}

static struct window window_at(const struct sample_average_pool *pool, size_t index)
{
    size_t x = index % pool->out_width, y = index / pool->out_width % pool->out_height;
    struct window window = {.batch = index / pool->out_width / pool->out_height};
    clip(y, pool->stride_height, pool->top, pool->filter_height, pool->in_height, &window.top,
         &window.bottom);
    clip(x, pool->stride_width, pool->left, pool->filter_width, pool->in_width, &window.left,
         &window.right);
    return window;
}

static int64_t cell_count(const struct window *window)
{
    return (int64_t)(window->bottom - window->top) * (window->right - window->left);
}

static size_t cell(const struct sample_average_pool *pool, const struct window *window, uint32_t y,
                   uint32_t x)
{
    return ((window->batch * pool->in_height + y) * pool->in_width + x) * pool->channels;
}

static float average_f32(const struct sample_average_pool *pool, const struct window *window,
                         const uint8_t *input, uint32_t channel)
{
    float sum = 0;
    for (uint32_t y = window->top; y < window->bottom; y++) {
        for (uint32_t x = window->left; x < window->right; x++)
            sum += load_f32(input, cell(pool, window, y, x) + channel);
    }
    return clamp_f32(&pool->range, sum / (float)cell_count(window));
}

/* Scale and zero point of the output are those of the input, so raw values are averaged. */
static uint8_t average_q8(const struct sample_average_pool *pool, const struct window *window,
                          const uint8_t *input, uint32_t channel)
{
    int64_t sum = 0, count = cell_count(window);
    for (uint32_t y = window->top; y < window->bottom; y++) {
        for (uint32_t x = window->left; x < window->right; x++)
            sum += load_q8(input, cell(pool, window, y, x) + channel);
    }
    sum += sum > 0 ? count / 2 : -(count / 2); /* the division truncates: halves away from zero */
    return clamp_q8(&pool->range, sum / count);
}

static void run_average_pool_f32(const struct sample_step *step, const uint8_t *const *inputs,
                                 uint8_t *output)
{
    const struct sample_average_pool *pool = &step->as.average_pool;
    size_t at = 0;
    for (size_t i = 0; i < window_count(pool); i++) {
        const struct window window = window_at(pool, i);
        for (uint32_t channel = 0; channel < pool->channels; channel++, at++)
            store_f32(output, at, average_f32(pool, &window, inputs[0], channel));
    }
}

static void run_average_pool_q8(const struct sample_step *step, const uint8_t *const *inputs,
                                uint8_t *output)
{
    const struct sample_average_pool *pool = &step->as.average_pool;
    size_t at = 0;
    for (size_t i = 0; i < window_count(pool); i++) {
        const struct window window = window_at(pool, i);
        for (uint32_t channel = 0; channel < pool->channels; channel++, at++)
            output[at] = average_q8(pool, &window, inputs[0], channel);
    }
}

/* ---- LEAKY_RELU ------------------------------------------------------------------------------ */

static void run_leaky_relu_f32(const struct sample_step *step, const uint8_t *const *inputs,
                               uint8_t *output)
{
    const struct sample_leaky_relu *relu = &step->as.leaky_relu;
    for (size_t i = 0; i < relu->count; i++) {
        const float value = load_f32(inputs[0], i);
        store_f32(output, i, value < 0 ? relu->slope * value : value);
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

uint64_t sample_step_work_bytes(const struct sample_step *step)
{
    return step->kernel == SAMPLE_KERNEL_LSTM_F32 ? sample_lstm_work_bytes(&step->as.lstm) : 0;
}

bool sample_step_is_whole(const struct sample_step *step, const uint8_t *const *inputs)
{
    return step->kernel != SAMPLE_KERNEL_LSTM_F32 || sample_lstm_is_whole(&step->as.lstm, inputs);
}

void sample_step_run(const struct sample_step *step, const uint8_t *const *inputs,
                     uint8_t *const *outputs, void *work)
{
    static void (*const kernels[SAMPLE_KERNEL_COUNT])(const struct sample_step *,
                                                      const uint8_t *const *, uint8_t *) = {
        [SAMPLE_KERNEL_FULLY_CONNECTED_F32] = sample_fully_connected_f32,
        [SAMPLE_KERNEL_FULLY_CONNECTED_Q8] = sample_fully_connected_q8,
        [SAMPLE_KERNEL_PACKED_F32] = sample_packed_f32,
        [SAMPLE_KERNEL_PACKED_Q8] = sample_packed_q8,
        [SAMPLE_KERNEL_SOFTMAX_F32] = run_softmax_f32,
        [SAMPLE_KERNEL_SOFTMAX_Q8] = run_softmax_q8,
        [SAMPLE_KERNEL_ADD_F32] = run_add_f32,
        [SAMPLE_KERNEL_ADD_Q8] = run_add_q8,
        [SAMPLE_KERNEL_AVERAGE_POOL_F32] = run_average_pool_f32,
        [SAMPLE_KERNEL_AVERAGE_POOL_Q8] = run_average_pool_q8,
        [SAMPLE_KERNEL_LEAKY_RELU_F32] = run_leaky_relu_f32,
    };
    if (step->kernel == SAMPLE_KERNEL_LSTM_F32)
        sample_lstm_run(&step->as.lstm, inputs, outputs, work);
    else
        kernels[step->kernel](step, inputs, outputs[0]);
}
