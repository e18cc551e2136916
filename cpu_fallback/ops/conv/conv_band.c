#include "cpu_fallback/ops/conv/conv_step.h"
#include "cpu_fallback/program/band.h"

/* Bands of a convolution of any kind. The kernel computes each band as a separate image. */

/* True if each output pixel depends only on the same input pixel. */
static bool is_pointwise(const struct hy_conv_params *p)
{
    return p->filter_h == 1 && p->filter_w == 1 && p->stride_h == 1 && p->stride_w == 1 &&
           p->pad_top == 0 && p->pad_left == 0 && p->in_h == p->out_h && p->in_w == p->out_w;
}

static size_t greatest_divisor(size_t a, size_t b)
{
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Makes bands begin after whole tiles. False: images do not begin after whole tiles. */
static bool set_multiple(const struct hy_conv_kernel *kernel, struct hy_cpu_lines *lines)
{
    const size_t multiple = kernel->tile / greatest_divisor(kernel->tile, lines->pixels);

    lines->multiple = lines->multiple / greatest_divisor(lines->multiple, multiple) * multiple;
    return lines->count == lines->of_image || lines->of_image % multiple == 0;
}

/* True if bands are possible. Every band reads all weights, so weights in blocks are too large. */
static bool can_be_cut(const struct conv_step *conv)
{
    return conv->kernel->tile > 0 && conv->packed && !conv->wide && !conv->nchw &&
           conv->params.block == 0;
}

/* True if some output lines have no taps in the input. */
static bool has_lines_outside(const struct hy_conv_params *p)
{
    const int64_t last = (int64_t)(p->out_h - 1) * p->stride_h - p->pad_top;

    return p->pad_top > (uint64_t)(p->filter_h - 1) * p->dilation_h || last >= p->in_h;
}

static bool begin(const void *params, const struct hy_call *call, struct hy_cpu_lines *lines)
{
    const struct conv_step *conv = params;
    const struct hy_conv_params *p = &conv->params;

    if (!can_be_cut(conv) || has_lines_outside(p))
        return false;
    if (is_pointwise(p)) {
        const size_t pixels = (size_t)p->batch * p->out_h * p->out_w;
        *lines = (struct hy_cpu_lines){pixels, pixels, 1, 1};
        return set_multiple(conv->kernel, lines);
    }
    *lines = (struct hy_cpu_lines){(size_t)p->batch * p->out_h, p->out_h, p->out_w, 1};
    if (!hy_conv_is_depthwise(call->operation) || p->in_c == 1)
        return set_multiple(conv->kernel, lines);
    lines->multiple = p->filter_h > 1 ? 2 : 1; /* neighbouring lines share their input */
    return true;
}

static bool follow(const void *params, const struct hy_call *call, uint32_t input,
                   struct hy_cpu_lines *lines)
{
    const struct conv_step *conv = params;
    const struct hy_conv_params *p = &conv->params;

    return !hy_conv_is_depthwise(call->operation) && input == 0 && can_be_cut(conv) &&
           is_pointwise(p) &&
           (size_t)p->batch * p->out_h * p->out_w == hy_cpu_lines_pixels(lines) &&
           set_multiple(conv->kernel, lines);
}

/* Turns `p` into an image of the output lines [line, line + count) and the input lines with taps.
 * Returns the first pixel of these input lines. */
static size_t cut_lines(struct hy_conv_params *p, size_t line, size_t count)
{
    const int64_t top = (int64_t)(line % p->out_h) * p->stride_h - p->pad_top;
    const int64_t reach =
        top + (int64_t)(count - 1) * p->stride_h + (int64_t)(p->filter_h - 1) * p->dilation_h + 1;
    const int64_t begin = top > 0 ? top : 0, end = reach < p->in_h ? reach : p->in_h;
    const size_t in_line = line / p->out_h * p->in_h + (size_t)begin;

    p->batch = 1;
    p->out_h = (uint32_t)count;
    p->pad_top = (uint32_t)(begin - top);
    p->in_h = (uint32_t)(end - begin);
    return in_line * p->in_w;
}

/* Regroups pixels as lines of images of `height` by `width`. False: bands would not begin at whole
 * lines. */
static bool set_image_lines(struct hy_cpu_lines *lines, uint32_t batch, uint32_t height,
                            uint32_t width)
{
    const size_t pixels = (size_t)batch * height * width;

    if (hy_cpu_lines_pixels(lines) != pixels)
        return false;
    if (lines->pixels == width && lines->of_image == height)
        return true;
    if (lines->pixels != 1)
        return false;
    const size_t multiple = lines->multiple / greatest_divisor(lines->multiple, width);
    *lines = (struct hy_cpu_lines){(size_t)batch * height, height, width, multiple};
    return batch == 1 || height % multiple == 0;
}

static bool follow_window(const void *params, const struct hy_call *call, uint32_t input,
                          struct hy_cpu_lines *in, struct hy_cpu_lines *out)
{
    const struct conv_step *conv = params;
    const struct hy_conv_params *p = &conv->params;

    return input == 0 && !is_pointwise(p) && begin(params, call, out) &&
           set_image_lines(in, p->batch, p->in_h, p->in_w);
}

static void window(const void *params, size_t first, size_t count, size_t *begin, size_t *end)
{
    const struct conv_step *conv = params;
    struct hy_conv_params p = conv->params;

    *begin = cut_lines(&p, first, count) / p.in_w;
    *end = *begin + p.in_h;
}

/* The kernel parameters of a band, and its first input pixel. */
static struct hy_conv_params params_of(const struct hy_cpu_band *band, size_t *in_pixel)
{
    const struct conv_step *conv = band->params;
    struct hy_conv_params p = conv->params;

    if (is_pointwise(&p)) {
        p.batch = p.in_h = p.out_h = 1;
        p.in_w = p.out_w = (uint32_t)band->count;
        *in_pixel = band->first;
    } else {
        *in_pixel = cut_lines(&p, band->first / p.out_w, band->count / p.out_w);
    }
    return p;
}

static size_t scratch_bytes(const struct hy_cpu_band *band)
{
    const struct conv_step *conv = band->params;
    size_t in_pixel;
    const struct hy_conv_params p = params_of(band, &in_pixel);

    return conv->kernel->scratch_bytes ? conv->kernel->scratch_bytes(&p) : 0;
}

static void run(const struct hy_cpu_band *band)
{
    const struct conv_step *conv = band->params;
    size_t in_pixel;
    const struct hy_conv_params p = params_of(band, &in_pixel);
    const bool is_whole = band->input == HY_CPU_NO_INPUT;
    const uint8_t *in = is_whole ? hy_call_input(band->call, 0)->data : band->in;

    in += (in_pixel - (is_whole ? 0 : band->in_first)) * p.in_c * conv->element_size;
    conv->kernel->run(&p, in, conv->packed, NULL, band->out, band->scratch, 0,
                      conv->kernel->units(&p));
}

static size_t weight_bytes(const void *params)
{
    const struct conv_step *conv = params;

    return conv->kernel->packed_bytes(&conv->params);
}

const struct hy_cpu_banded hy_cpu_conv_banded = {
    .begin = begin,
    .follow = follow,
    .follow_window = follow_window,
    .window = window,
    .weight_bytes = weight_bytes,
    .scratch_bytes = scratch_bytes,
    .run = run,
};
