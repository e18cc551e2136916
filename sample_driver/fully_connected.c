#include "fully_connected.h"

#include "elements.h"

/* ---- Weights as they come -------------------------------------------------------------------- */

#define LANES 8u /* partial sums, so that a compiler may use vector registers */

static float dot_f32(const uint8_t *a, const uint8_t *b, size_t count)
{
    float sums[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] += load_f32(a, i + lane) * load_f32(b, i + lane);
    }
    float sum = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        sum += sums[lane];
    for (; i < count; i++)
        sum += load_f32(a, i) * load_f32(b, i);
    return sum;
}

void sample_fully_connected_f32(const struct sample_step *step, const uint8_t *const *inputs,
                                uint8_t *output)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    const size_t row_bytes = fc->depth * sizeof(float);
    size_t at = 0;
    for (size_t batch = 0; batch < fc->batches; batch++) {
        for (size_t unit = 0; unit < fc->units; unit++, at++) {
            float sum =
                dot_f32(inputs[0] + batch * row_bytes, inputs[1] + unit * row_bytes, fc->depth);
            store_f32(output, at, clamp_f32(&fc->range, sum + load_f32(inputs[2], unit)));
        }
    }
}

/* Cannot overflow: operations.c limits the depth. Factors of 16 bits, because processors have an
 * instruction for sums of their products. */
static int32_t dot_q8(const struct sample_fully_connected *fc, const uint8_t *a, const uint8_t *b)
{
    const int16_t input_zero = (int16_t)fc->input_zero, weight_zero = (int16_t)fc->weight_zero;
    int32_t sum = 0;
    for (size_t i = 0; i < fc->depth; i++) {
        int16_t input = (int16_t)(load_q8(a, i) - input_zero);
        int16_t weight = (int16_t)(load_q8(b, i) - weight_zero);
        sum += input * weight;
    }
    return sum;
}

void sample_fully_connected_q8(const struct sample_step *step, const uint8_t *const *inputs,
                               uint8_t *output)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    size_t at = 0;
    for (size_t batch = 0; batch < fc->batches; batch++) {
        for (size_t unit = 0; unit < fc->units; unit++, at++) {
            int64_t sum = dot_q8(fc, inputs[0] + batch * fc->depth, inputs[1] + unit * fc->depth);
            sum = saturate_i32(sum + load_i32(inputs[2], unit));
            output[at] =
                clamp_q8(&fc->range, sample_rescale_up(sum, &fc->rescale) + fc->output_zero);
        }
    }
}

/* ---- Packed weights -------------------------------------------------------------------------- */

uint64_t sample_packed_bytes(const struct sample_fully_connected *fc, uint32_t panel, uint64_t size)
{
    const uint64_t panels = (fc->units + (uint64_t)panel - 1) / panel;
    return panels * panel * fc->depth * size;
}

void sample_pack(const struct sample_fully_connected *fc, uint32_t panel, uint64_t size,
                 const uint8_t *weights, uint8_t *packed)
{
    for (uint64_t unit = 0; unit < fc->units; unit++) {
        uint8_t *to = packed + (unit / panel * panel * fc->depth + unit % panel) * size;
        const uint8_t *from = weights + unit * fc->depth * size;
        for (uint64_t i = 0; i < fc->depth; i++, to += panel * size, from += size)
            memcpy(to, from, size);
    }
}

/* A compiler makes a loop of its own for each width that it is called with. */
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))

/* The sums of one panel, each in the order of dot_f32. */
FOR_EACH_WIDTH void panel_f32(uint32_t depth, uint32_t width, const uint8_t *input,
                              const uint8_t *panel, float *sums)
{
    float lanes[LANES][SAMPLE_MAX_PANEL] = {{0}};
    size_t i = 0;
    for (; i + LANES <= depth; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const float value = load_f32(input, i + lane);
            for (size_t u = 0; u < width; u++)
                lanes[lane][u] += value * load_f32(panel, (i + lane) * width + u);
        }
    }
    for (size_t u = 0; u < width; u++) {
        sums[u] = 0;
        for (size_t lane = 0; lane < LANES; lane++)
            sums[u] += lanes[lane][u];
        for (size_t k = i; k < depth; k++)
            sums[u] += load_f32(input, k) * load_f32(panel, k * width + u);
    }
}

FOR_EACH_WIDTH void panel_q8(const struct sample_fully_connected *fc, uint32_t width,
                             const uint8_t *input, const uint8_t *panel, int32_t *sums)
{
    const int16_t input_zero = (int16_t)fc->input_zero, weight_zero = (int16_t)fc->weight_zero;
    int32_t own[SAMPLE_MAX_PANEL] = {0};
    for (size_t i = 0; i < fc->depth; i++) {
        const int16_t value = (int16_t)(load_q8(input, i) - input_zero);
        for (size_t u = 0; u < width; u++)
            own[u] += value * (int16_t)(load_q8(panel, i * width + u) - weight_zero);
    }
    memcpy(sums, own, width * sizeof *sums);
}

/* Only these widths are made; another one cannot come out of a checked file. */
#define WITH_WIDTH(width, call_1, call_2, call_4, call_8, call_16) \
    ((width) == 1   ? call_1 \
     : (width) == 2 ? call_2 \
     : (width) == 4 ? call_4 \
     : (width) == 8 ? call_8 \
                    : call_16)

static void sum_panel_f32(const struct sample_fully_connected *fc, const uint8_t *input,
                          const uint8_t *panel, float *sums)
{
    const uint32_t depth = fc->depth;
    WITH_WIDTH(fc->panel, panel_f32(depth, 1, input, panel, sums),
               panel_f32(depth, 2, input, panel, sums), panel_f32(depth, 4, input, panel, sums),
               panel_f32(depth, 8, input, panel, sums), panel_f32(depth, 16, input, panel, sums));
}

static void sum_panel_q8(const struct sample_fully_connected *fc, const uint8_t *input,
                         const uint8_t *panel, int32_t *sums)
{
    WITH_WIDTH(fc->panel, panel_q8(fc, 1, input, panel, sums), panel_q8(fc, 2, input, panel, sums),
               panel_q8(fc, 4, input, panel, sums), panel_q8(fc, 8, input, panel, sums),
               panel_q8(fc, 16, input, panel, sums));
}

/* Units of the panel that begins with `first`: the last panel may be part empty. */
static uint32_t units_in(const struct sample_fully_connected *fc, uint32_t first)
{
    return fc->units - first < fc->panel ? fc->units - first : fc->panel;
}

void sample_packed_f32(const struct sample_step *step, const uint8_t *const *inputs,
                       uint8_t *output)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    float sums[SAMPLE_MAX_PANEL];
    for (size_t batch = 0; batch < fc->batches; batch++) {
        const uint8_t *input = inputs[0] + batch * fc->depth * sizeof(float);
        for (uint32_t first = 0; first < fc->units; first += fc->panel) {
            const size_t start = (size_t)first * fc->depth * sizeof(float);
            sum_panel_f32(fc, input, inputs[1] + start, sums);
            for (uint32_t u = 0; u < units_in(fc, first); u++)
                store_f32(output, batch * fc->units + first + u,
                          clamp_f32(&fc->range, sums[u] + load_f32(inputs[2], first + u)));
        }
    }
}

void sample_packed_q8(const struct sample_step *step, const uint8_t *const *inputs, uint8_t *output)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    int32_t sums[SAMPLE_MAX_PANEL];
    for (size_t batch = 0; batch < fc->batches; batch++) {
        const uint8_t *input = inputs[0] + batch * fc->depth;
        for (uint32_t first = 0; first < fc->units; first += fc->panel) {
            sum_panel_q8(fc, input, inputs[1] + (size_t)first * fc->depth, sums);
            for (uint32_t u = 0; u < units_in(fc, first); u++) {
                const int64_t sum = saturate_i32((int64_t)sums[u] + load_i32(inputs[2], first + u));
                output[batch * fc->units + first + u] =
                    clamp_q8(&fc->range, sample_rescale_up(sum, &fc->rescale) + fc->output_zero);
            }
        }
    }
}
