/*
 * The arithmetic of the sample device, written to be read: plain loops. Quantised results are bit
 * for bit those of TensorFlow Lite's built-in kernels.
 */
#include "elements.h"

/* ---- SOFTMAX --------------------------------------------------------------------------------- */

static float element(const struct sample_step *step, const uint8_t *tensor, size_t at)
{
    return step->is_quantised ? (float)load_q8(tensor, at) : load_f32(tensor, at);
}

/* The index stays inside the table even if somebody writes to the input while the kernel reads. */
static float exponential(const struct sample_step *step, float max, float value)
{
    return step->is_quantised ? step->as.softmax.table[(uint8_t)(int32_t)(max - value)]
                              : expf((value - max) * step->as.softmax.beta);
}

/* The exponentials are worked out twice: the output may be memory that cannot be read. A quantised
 * output is in steps of 1/256 from -128. */
void sample_softmax(const struct sample_step *step, const uint8_t *const *inputs,
                    uint8_t *const *outputs, void *work)
{
    static const struct hy_value_range all = {.quant_low = INT8_MIN, .quant_high = INT8_MAX};
    const size_t inner = step->as.softmax.inner, span = step->as.softmax.count * inner;
    (void)work;
    for (size_t i = 0; i < step->as.softmax.outer * inner; i++) {
        const size_t first = i / inner * span + i % inner, past_end = first + span;
        float max = element(step, inputs[0], first), sum = 0;
        for (size_t at = first; at < past_end; at += inner)
            max = fmaxf(max, element(step, inputs[0], at));
        for (size_t at = first; at < past_end; at += inner)
            sum += exponential(step, max, element(step, inputs[0], at));
        const float inverse = 1.0f / (sum * (1.0f / 256));
        for (size_t at = first; at < past_end; at += inner) {
            const float share = exponential(step, max, element(step, inputs[0], at));
            if (step->is_quantised)
                outputs[0][at] = clamp_q8(&all, (int64_t)roundf(share * inverse) + INT8_MIN);
            else
                store_f32(outputs[0], at, share / sum);
        }
    }
}

/* ---- ADD ------------------------------------------------------------------------------------- */

/* Index of the first element of an input that goes into this output row. Rows are counted over the
 * three outer dimensions together. */
static size_t row_start(const struct sample_add *add, const uint32_t *strides, size_t row)
{
    size_t third = row % add->dims[2], second = row / add->dims[2] % add->dims[1];
    size_t first = row / add->dims[2] / add->dims[1];
    return first * strides[0] + second * strides[1] + third * strides[2];
}

/* Both sides in units of half the larger scale / 2^20, so that their sum is exact enough. */
static uint8_t sum_q8(const struct sample_add *add, int32_t a, int32_t b)
{
    const int32_t one = 1 << SAMPLE_ADD_SHIFT;
    const int32_t sum = hy_scale_half_away((a - add->a_zero) * one, add->a_rescale) +
                        hy_scale_half_away((b - add->b_zero) * one, add->b_rescale);
    return clamp_q8(&add->range, hy_scale_half_away(sum, add->output_rescale) + add->output_zero);
}

void sample_add(const struct sample_step *step, const uint8_t *const *inputs,
                uint8_t *const *outputs, void *work)
{
    const struct sample_add *add = &step->as.add;
    const size_t rows = (size_t)add->dims[0] * add->dims[1] * add->dims[2];
    size_t at = 0;
    (void)work;
    for (size_t row = 0; row < rows; row++) {
        size_t a = row_start(add, add->a_strides, row), b = row_start(add, add->b_strides, row);
        for (uint32_t i = 0; i < add->dims[3]; i++, at++) {
            if (step->is_quantised)
                outputs[0][at] = sum_q8(add, load_q8(inputs[0], a), load_q8(inputs[1], b));
            else
                store_f32(outputs[0], at,
                          clamp_f32(&add->range, load_f32(inputs[0], a) + load_f32(inputs[1], b)));
            a += add->a_strides[3];
            b += add->b_strides[3];
        }
    }
}

/* ---- AVERAGE_POOL_2D ------------------------------------------------------------------------- */

/* The part of [index * stride - head, ... + filter) that lies inside the image; never empty. */
static void clip(const struct hy_window_side *side, size_t index, size_t *begin, size_t *end)
{
    const int64_t first = (int64_t)index * side->stride - side->head, last = first + side->filter;
    *begin = first < 0 ? 0 : (size_t)first;
    *end = (size_t)(last > side->size ? side->size : last);
}

/* One window of one channel. Scale and zero point of a quantised output are those of the input, so
 * raw values are averaged. */
static void average(const struct sample_step *step, const uint8_t *input, size_t y, size_t x,
                    uint8_t *output, size_t at)
{
    const struct sample_average_pool *pool = &step->as.average_pool;
    const size_t columns = (size_t)pool->width.size;
    size_t top, bottom, left, right;
    int64_t quant_sum = 0;
    float sum = 0;
    clip(&pool->height, y, &top, &bottom);
    clip(&pool->width, x, &left, &right);
    for (size_t row = top; row < bottom; row++) {
        for (size_t column = left; column < right; column++) {
            const size_t from = (row * columns + column) * pool->channels;
            if (step->is_quantised)
                quant_sum += load_q8(input, from);
            else
                sum += load_f32(input, from);
        }
    }
    const int64_t count = (int64_t)((bottom - top) * (right - left));
    quant_sum += quant_sum > 0 ? count / 2 : -(count / 2); /* halves away from zero */
    if (step->is_quantised)
        output[at] = clamp_q8(&pool->range, quant_sum / count);
    else
        store_f32(output, at, clamp_f32(&pool->range, sum / (float)count));
}

void sample_average_pool(const struct sample_step *step, const uint8_t *const *inputs,
                         uint8_t *const *outputs, void *work)
{
    const struct sample_average_pool *pool = &step->as.average_pool;
    const struct hy_window_side *height = &pool->height, *width = &pool->width;
    const size_t size = step->is_quantised ? 1 : sizeof(float);
    const size_t image = (size_t)(height->size * width->size) * pool->channels * size;
    size_t at = 0;
    (void)work;
    for (size_t batch = 0; batch < pool->batches; batch++)
        for (size_t y = 0; y < (size_t)height->out; y++)
            for (size_t x = 0; x < (size_t)width->out; x++)
                for (size_t channel = 0; channel < pool->channels; channel++, at++)
                    average(step, inputs[0] + batch * image + channel * size, y, x, outputs[0], at);
}

/* ---- LEAKY_RELU ------------------------------------------------------------------------------ */

void sample_leaky_relu(const struct sample_step *step, const uint8_t *const *inputs,
                       uint8_t *const *outputs, void *work)
{
    (void)work;
    for (size_t i = 0; i < step->as.leaky_relu.count; i++) {
        const float value = load_f32(inputs[0], i);
        store_f32(outputs[0], i, value < 0 ? step->as.leaky_relu.slope * value : value);
    }
}

/* ---- Layouts --------------------------------------------------------------------------------- */

void sample_transpose(uint32_t rows, uint32_t columns, const uint8_t *from, uint8_t *to)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            store_f32(to, column * rows + row, load_f32(from, row * columns + column));
}
