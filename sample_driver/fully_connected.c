/* FULLY_CONNECTED over panels of weights. */
#include "fully_connected.h"

#include "elements.h"

#define LANES 8u /* partial sums of floats, so that a compiler may use vector registers */

/* Of the units of one panel. */
struct sums {
    float f32[SAMPLE_MAX_PANEL];
    int32_t q8[SAMPLE_MAX_PANEL];
};

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

FOR_EACH_WIDTH void panel_f32(uint32_t depth, uint32_t width, const uint8_t *input,
                              const uint8_t *panel, float *sums)
{
    float lanes[LANES * SAMPLE_MAX_PANEL];
    size_t i = 0;
    memset(lanes, 0, (size_t)LANES * width * sizeof *lanes);
    for (; i + LANES <= depth; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const float value = load_f32(input, i + lane);
            for (size_t u = 0; u < width; u++)
                lanes[lane * width + u] += value * load_f32(panel, (i + lane) * width + u);
        }
    }
    for (size_t u = 0; u < width; u++) {
        sums[u] = 0;
        for (size_t lane = 0; lane < LANES; lane++)
            sums[u] += lanes[lane * width + u];
        for (size_t k = i; k < depth; k++)
            sums[u] += load_f32(input, k) * load_f32(panel, k * width + u);
    }
}

/* Cannot overflow: operations.c limits the depth. Factors of 16 bits, because processors have an
 * instruction for sums of their products. */
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

FOR_EACH_WIDTH void sum_width(const struct sample_step *step, uint32_t width, const uint8_t *input,
                              const uint8_t *panel, struct sums *sums)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    if (step->is_quantised)
        panel_q8(fc, width, input, panel, sums->q8);
    else
        panel_f32(fc->depth, width, input, panel, sums->f32);
}

/* No other width can come out of a checked file. */
static void sum_panel(const struct sample_step *step, const uint8_t *input, const uint8_t *panel,
                      struct sums *sums)
{
    switch (step->as.fully_connected.panel) {
    case 1:
        sum_width(step, 1, input, panel, sums);
        break;
    case 2:
        sum_width(step, 2, input, panel, sums);
        break;
    case 4:
        sum_width(step, 4, input, panel, sums);
        break;
    case 8:
        sum_width(step, 8, input, panel, sums);
        break;
    default:
        sum_width(step, 16, input, panel, sums);
        break;
    }
}

void sample_fully_connected(const struct sample_step *step, const uint8_t *const *inputs,
                            uint8_t *const *outputs, void *work)
{
    const struct sample_fully_connected *fc = &step->as.fully_connected;
    const size_t row = fc->depth * (step->is_quantised ? 1 : sizeof(float));
    struct sums sums;
    (void)work;
    for (size_t batch = 0; batch < fc->batches; batch++) {
        for (uint32_t unit = 0; unit < fc->units; unit++) {
            const uint32_t u = unit % fc->panel;
            const size_t at = batch * fc->units + unit;
            if (u == 0)
                sum_panel(step, inputs[0] + batch * row, inputs[1] + unit * row, &sums);
            if (step->is_quantised) {
                const int64_t sum = (int64_t)sums.q8[u] + load_i32(inputs[2], unit);
                const int64_t steps =
                    hy_scale_half_up(hy_clamp_int32(sum, INT32_MIN, INT32_MAX), fc->rescale);
                outputs[0][at] = clamp_q8(&fc->range, steps + fc->output_zero);
            } else {
                store_f32(outputs[0], at,
                          clamp_f32(&fc->range, sums.f32[u] + load_f32(inputs[2], unit)));
            }
        }
    }
}
