#include "libhalyard/preprocess/image_elements.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/half.h"

struct range {
    double low, high;
};

/* Of integers; false for other types. */
static bool range_of(enum hy_element type, struct range *out)
{
    switch (type) {
    case HY_ELEMENT_UINT8:
        *out = (struct range){0, UINT8_MAX};
        return true;
    case HY_ELEMENT_INT8:
        *out = (struct range){INT8_MIN, INT8_MAX};
        return true;
    case HY_ELEMENT_INT16:
        *out = (struct range){INT16_MIN, INT16_MAX};
        return true;
    case HY_ELEMENT_INT32:
        *out = (struct range){INT32_MIN, INT32_MAX};
        return true;
    default:
        return false;
    }
}

/* (value - mean) / std of one channel. */
struct normalisation {
    double mean, std;
};

static struct normalisation default_normalisation(const struct hy_input_spec *spec)
{
    struct range range;
    if (!range_of(spec->type, &range))
        return (struct normalisation){0, 255};
    const bool quantised = spec->scale > 0;
    const double reach = (range.high - spec->zero_point) * (double)spec->scale;
    return (struct normalisation){0, quantised && reach < 128 ? 255 : 1};
}

static struct normalisation normalisation_of(const struct hy_input_spec *spec, uint32_t channel)
{
    const struct hy_image_options *image = &spec->image;
    if (image->mean_count == 0)
        return default_normalisation(spec);
    const uint32_t at = image->mean_count == 1 ? 0 : channel;
    return (struct normalisation){(double)image->means[at], (double)image->stds[at]};
}

static double quantise(double real, const struct hy_input_spec *spec, const struct range *range)
{
    const bool quantised = spec->scale > 0;
    const double stored =
        quantised ? round(real / (double)spec->scale) + spec->zero_point : round(real);
    return fmin(fmax(stored, range->low), range->high);
}

static void store_integer(int64_t value, uint32_t bytes, uint8_t *out)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)((uint64_t)value >> 8 * i);
}

/* What a number becomes in the tensor's type. */
static void encode(double real, const struct hy_input_spec *spec, uint8_t *out)
{
    struct range range;
    if (range_of(spec->type, &range)) {
        store_integer((int64_t)quantise(real, spec, &range), hy_element_bits(spec->type) / 8, out);
    } else if (spec->type == HY_ELEMENT_FLOAT16) {
        store_integer(hy_half_from_float((float)real), 2, out);
    } else {
        const float value = (float)real;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        store_integer(bits, 4, out);
    }
}

/* True for 8 bits if the pixels' range becomes the type's range, within one step at each end: by
 * default, and for means that agree with the quantisation. */
static bool uses_pixels_unchanged(const struct hy_input_spec *spec, const struct normalisation *n)
{
    struct range range;
    if (hy_element_bits(spec->type) != 8 || !range_of(spec->type, &range))
        return false;
    if (spec->image.mean_count == 0)
        return true;
    if (spec->scale <= 0)
        return false;
    const double low = round(-n->mean / n->std / (double)spec->scale) + spec->zero_point;
    const double high = round((255 - n->mean) / n->std / (double)spec->scale) + spec->zero_point;
    return fabs(low - range.low) <= 1 && fabs(high - range.high) <= 1;
}

static void fill_channel(const struct hy_input_spec *spec, uint32_t channel, uint8_t table[256][4])
{
    const int lowest = spec->type == HY_ELEMENT_INT8 ? INT8_MIN : 0;
    const struct normalisation n = normalisation_of(spec, channel);
    const bool as_they_are = uses_pixels_unchanged(spec, &n);
    for (int value = 0; value < 256; value++) {
        if (as_they_are)
            store_integer(value + lowest, 1, table[value]);
        else
            encode((value - n.mean) / n.std, spec, table[value]);
    }
}

static enum hy_code check_means(const struct hy_image_options *image, uint32_t channels,
                                struct hy_error *err)
{
    if (image->mean_count > 1 && image->mean_count != channels)
        return hy_fail(err, HY_BAD_DATA,
                       "%" PRIu32 " means and stds for an input of %" PRIu32 " channel%s",
                       image->mean_count, channels, channels == 1 ? "" : "s");
    for (uint32_t i = 0; i < image->mean_count; i++)
        if (!isfinite(image->means[i]) || !isfinite(image->stds[i]) || image->stds[i] == 0)
            return hy_fail(err, HY_BAD_DATA, "mean %g and std %g of channel %" PRIu32,
                           (double)image->means[i], (double)image->stds[i], i);
    return HY_OK;
}

enum hy_code hy_image_elements_make(const struct hy_input_spec *spec, uint32_t channels,
                                    struct hy_image_elements *out, struct hy_error *err)
{
    struct range range;
    if (spec->type != HY_ELEMENT_FLOAT32 && spec->type != HY_ELEMENT_FLOAT16 &&
        !range_of(spec->type, &range))
        return hy_fail(err, HY_BAD_DATA,
                       "a picture cannot fill an input of %s; float32, float16, uint8, int8, int16 "
                       "and int32 can be filled",
                       hy_element_name(spec->type));
    const enum hy_code code = check_means(&spec->image, channels, err);
    if (code != HY_OK)
        return code;

    out->element_bytes = hy_element_bits(spec->type) / 8;
    for (uint32_t i = 0; i < channels; i++)
        fill_channel(spec, i, out->table[i]);
    return HY_OK;
}

/* Stores one channel of a row; callers pass a constant for `bytes`. */
static inline void store_channel(const uint8_t table[256][4], const uint8_t *values,
                                 uint32_t channels, uint32_t width, uint32_t bytes, uint8_t *to,
                                 size_t step)
{
    for (uint32_t x = 0; x < width; x++, values += channels, to += step)
        memcpy(to, table[*values], bytes);
}

void hy_image_elements_store(const struct hy_image_elements *elements,
                             const struct hy_image_shape *shape, const uint8_t *row, uint32_t y,
                             uint32_t width, uint32_t height, void *out)
{
    const uint32_t channels = shape->channels, bytes = elements->element_bytes;
    const size_t step = (size_t)bytes * (shape->planar ? 1 : channels);
    for (uint32_t c = 0; c < channels; c++) {
        const size_t first =
            shape->planar ? ((size_t)c * height + y) * width : (size_t)y * width * channels + c;
        uint8_t *to = (uint8_t *)out + first * bytes;
        if (bytes == 1)
            store_channel(elements->table[c], row + c, channels, width, 1, to, step);
        else if (bytes == 2)
            store_channel(elements->table[c], row + c, channels, width, 2, to, step);
        else
            store_channel(elements->table[c], row + c, channels, width, 4, to, step);
    }
}
