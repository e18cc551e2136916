#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/resize.h"
#include "cpu_fallback/kernels/stop.h"

void HY_FN(resize_nearest)(const struct hy_resize_params *params, const void *in, void *out)
{
    size_t channels = params->channels, row = params->in_w * channels;
    const HY_T *image = in;
    HY_T *element = out;
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t n = 0; n < params->batch; n++) {
        for (uint32_t y = 0; y < params->out_h; y++) {
            const HY_T *line = image + params->rows[y].low * row;
            for (uint32_t x = 0; x < params->out_w; x++) {
                if (hy_stop_after(watch, channels))
                    return;
                const HY_T *pixel = line + params->columns[x].low * channels;
                for (size_t c = 0; c < channels; c++)
                    *element++ = pixel[c];
            }
        }
        image += params->in_h * row;
    }
}
