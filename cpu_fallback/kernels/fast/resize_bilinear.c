#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * RESIZE_BILINEAR in float32 and 8 bits, a vector of channels at a time. Each product and each sum
 * is rounded as in the reference, and in the same order: the same bits.
 */

/* With fewer channels most lanes are empty, and the reference is as fast. */
#define FEWEST_CHANNELS 3

#if HY_IS_FLOAT
static inline vf load_part(const float *from, size_t count)
{
    return vf_load_part(from, count);
}

static inline void store_part(float *to, vf mean, size_t count)
{
    vf_store_part(to, mean, count);
}
#else
static inline vf load_part(const HY_T *from, size_t count)
{
#if defined(HY_S8)
    return vf_from_vi(vi_load_s8_part(from, count));
#else
    return vf_from_vi(vi_load_u8_part(from, count));
#endif
}

/* Rounds halves up; a mean of bytes fits a byte. */
static inline void store_part(HY_T *to, vf mean, size_t count)
{
    vi_store_bytes_part(to, vi_floor(vf_add(mean, vf_set1(0.5f))), count);
}
#endif

/* The four input pixels around an output pixel, and the weight of each. */
struct corners {
    const HY_T *top_low, *top_high, *bottom_low, *bottom_high;
    vf of_top_low, of_top_high, of_bottom_low, of_bottom_high;
};

static inline __attribute__((always_inline)) void mix_part(const struct corners *k, size_t c,
                                                           size_t count, HY_T *out)
{
    vf sum = vf_multiply(load_part(k->top_low + c, count), k->of_top_low);

    sum = vf_add(sum, vf_multiply(load_part(k->top_high + c, count), k->of_top_high));
    sum = vf_add(sum, vf_multiply(load_part(k->bottom_low + c, count), k->of_bottom_low));
    sum = vf_add(sum, vf_multiply(load_part(k->bottom_high + c, count), k->of_bottom_high));
    store_part(out + c, sum, count);
}

/* One output pixel, between the pixels of two rows of the input. */
static inline void mix_pixel(size_t channels, const struct hy_resize_tap *column, float down,
                             const HY_T *top, const HY_T *bottom, HY_T *out)
{
    const size_t low = column->low * channels, high = column->high * channels;
    const float right = column->weight;
    const struct corners corners = {
        .top_low = top + low,
        .top_high = top + high,
        .bottom_low = bottom + low,
        .bottom_high = bottom + high,
        .of_top_low = vf_set1((1 - down) * (1 - right)),
        .of_top_high = vf_set1((1 - down) * right),
        .of_bottom_low = vf_set1(down * (1 - right)),
        .of_bottom_high = vf_set1(down * right),
    };
    size_t c = 0;

    for (; c + HY_LANES <= channels; c += HY_LANES)
        mix_part(&corners, c, HY_LANES, out);
    if (c < channels)
        mix_part(&corners, c, channels - c, out);
}

void HY_SIMD_FN(resize_bilinear)(const struct hy_resize_params *params, const void *in, void *out)
{
    const size_t channels = params->channels, row = params->in_w * channels;
    const HY_T *image = in;
    HY_T *pixel = out;
    struct hy_stop_watch *watch = hy_stop_here();

    if (channels < FEWEST_CHANNELS) {
        HY_FN(resize_bilinear)(params, in, out);
        return;
    }
    for (size_t n = 0; n < params->batch; n++, image += params->in_h * row)
        for (uint32_t y = 0; y < params->out_h; y++) {
            const struct hy_resize_tap *tap = &params->rows[y];
            const HY_T *top = image + tap->low * row, *bottom = image + tap->high * row;
            for (uint32_t x = 0; x < params->out_w; x++, pixel += channels) {
                if (hy_stop_after(watch, channels))
                    return;
                mix_pixel(channels, &params->columns[x], tap->weight, top, bottom, pixel);
            }
        }
}
