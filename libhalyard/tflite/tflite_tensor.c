#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>
#include <math.h>

#include "common/checked.h"

static enum hy_code read_dims(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                              struct hy_tflite_tensor *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, TENSOR_SHAPE, 4);
    enum hy_code code = reader->fb.code;
    if (code != HY_OK)
        return code;
    if (vector.count > reader->limits->rank)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "rank %" PRIu32 " exceeds the limit rank = %" PRIu32, vector.count,
                       reader->limits->rank);
    int32_t *dims = out->few_dims;
    if (vector.count > HY_TFLITE_FEW_DIMS)
        dims = hy_tflite_alloc(reader, vector.count, sizeof *dims, &code);
    if (!dims)
        return code;
    for (uint32_t i = 0; i < vector.count; i++) {
        dims[i] = (int32_t)hy_load_u32(vector.data + 4 * (size_t)i);
        if (dims[i] < 0)
            return hy_fail(reader->err, HY_BAD_DATA, "dimension %" PRIu32 " is %" PRId32, i,
                           dims[i]);
    }
    out->rank = vector.count;
    out->dims = dims;
    return HY_OK;
}

/* An empty signature counts as no signature: all dims are known. */
static enum hy_code read_signature(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   struct hy_tflite_tensor *out)
{
    struct hy_tflite_ints signature;
    enum hy_code code = hy_tflite_copy_ints(reader, table, TENSOR_SIGNATURE, &signature);
    if (code != HY_OK || signature.count == 0)
        return code;
    if (signature.count != out->rank)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "the shape signature has %" PRIu32 " dimensions, the shape %" PRIu32,
                       signature.count, out->rank);
    for (uint32_t i = 0; i < signature.count; i++) {
        if (signature.values[i] != -1 && signature.values[i] != out->dims[i])
            return hy_fail(reader->err, HY_BAD_DATA,
                           "dimension %" PRIu32 " is %" PRId32 " in the shape signature, %" PRId32
                           " in the shape",
                           i, signature.values[i], out->dims[i]);
    }
    out->signature = signature.values;
    return HY_OK;
}

static enum hy_code read_type(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                              struct hy_tflite_tensor *out)
{
    const unsigned type = hy_fb_u8(&reader->fb, table, TENSOR_TYPE, HY_TFLITE_FLOAT32);
    if (type >= HY_TFLITE_TYPE_COUNT)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "type %u is unknown, types are 0 to %u: the file is of a newer schema, "
                       "which a newer Halyard may read",
                       type, HY_TFLITE_TYPE_COUNT - 1);
    out->type = type;
    if (!hy_tflite_type_bytes(out->type, out->rank, out->dims, &out->bytes) ||
        out->bytes > reader->limits->tensor_bytes)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "the shape needs more than the limit tensor_bytes = %" PRIu64,
                       reader->limits->tensor_bytes);
    return HY_OK;
}

/* A buffer is a vector inside the FlatBuffer or, since version 3c, a range of the file after it. */
static enum hy_code find_buffer(struct hy_tflite_reader *reader, uint32_t index, const void **data,
                                uint64_t *bytes)
{
    struct hy_fb *fb = &reader->fb;
    const struct hy_fb_table buffer = hy_fb_table_at(fb, &reader->buffers, index);
    const uint64_t offset = hy_fb_u64(fb, &buffer, BUFFER_OFFSET, 0);
    *bytes = hy_fb_u64(fb, &buffer, BUFFER_SIZE, 0);
    if (fb->code != HY_OK)
        return fb->code;
    const enum hy_code code = hy_tflite_find_far_bytes(reader, offset, *bytes, data);
    if (code != HY_OK)
        return hy_error_prefix(reader->err, code, "buffer %" PRIu32, index);
    if (*data)
        return HY_OK;
    const struct hy_fb_vector vector = hy_fb_vector(fb, &buffer, BUFFER_DATA, 1);
    *data = vector.data;
    *bytes = vector.count;
    return fb->code;
}

static enum hy_code read_data(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                              struct hy_tflite_tensor *out)
{
    const uint32_t index = hy_fb_u32(&reader->fb, table, TENSOR_BUFFER, 0);
    if (index == 0)
        return reader->fb.code; /* buffer 0 is empty by definition */
    if (index >= reader->buffers.count)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "buffer %" PRIu32 " does not exist, the model has %" PRIu32, index,
                       reader->buffers.count);

    const void *data = NULL;
    uint64_t bytes = 0;
    enum hy_code code = find_buffer(reader, index, &data, &bytes);
    if (code != HY_OK || bytes == 0)
        return code;

    if (hy_tflite_type_bits(out->type) != 0 && !out->sparsity && bytes != out->bytes)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "the constant has %" PRIu64 " bytes, its shape needs %" PRIu64 " of %s",
                       bytes, out->bytes, hy_tflite_type_name(out->type));
    out->data = data;
    out->data_bytes = bytes;
    return HY_OK;
}

static enum hy_code load_scales(struct hy_tflite_reader *reader, const struct hy_fb_vector *vector,
                                float *scales)
{
    for (uint32_t i = 0; i < vector->count; i++) {
        scales[i] = hy_load_f32(vector->data + 4 * (size_t)i);
        if (!isfinite(scales[i]) || scales[i] < 0)
            return hy_fail(reader->err, HY_BAD_DATA, "scale %" PRIu32 " is %g", i,
                           (double)scales[i]);
    }
    return HY_OK;
}

/* The file has 64 bits for a zero point; a zero point is a stored value, and must be in the range
 * of the type. */
static void zero_point_range(enum hy_tflite_type type, int64_t *low, int64_t *high)
{
    const bool is_signed = type != HY_TFLITE_UINT8 && type != HY_TFLITE_UINT16;
    unsigned bits = hy_tflite_type_bits(type);
    if (bits == 0 || bits > 32)
        bits = 32;
    *low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    *high = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
}

static enum hy_code load_zero_points(struct hy_tflite_reader *reader,
                                     const struct hy_fb_vector *vector, enum hy_tflite_type type,
                                     int32_t *zero_points)
{
    int64_t low, high;

    zero_point_range(type, &low, &high);
    for (uint32_t i = 0; i < vector->count; i++) {
        const int64_t value = (int64_t)hy_load_u64(vector->data + 8 * (size_t)i);
        if (value < low || value > high)
            return hy_fail(reader->err, HY_BAD_DATA,
                           "zero point %" PRIu32 " is %" PRId64 ", %s has %" PRId64 " to %" PRId64,
                           i, value, hy_tflite_type_name(type), low, high);
        zero_points[i] = (int32_t)value;
    }
    return HY_OK;
}

static bool are_zeros(const struct hy_fb_vector *vector)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < vector->count; i++)
        any |= hy_load_u64(vector->data + 8 * (size_t)i);
    return any == 0;
}

/* `count` zeros, shared by tensors: zero points of channels are almost always 0. NULL only after a
 * failure. */
static const int32_t *shared_zeros(struct hy_tflite_reader *reader, uint32_t count,
                                   enum hy_code *code)
{
    *code = HY_OK;
    if (count > reader->zero_count) {
        const uint32_t twice = 2 * reader->zero_count; /* a count of the file's, which is small */
        const uint32_t capacity = count > twice ? count : twice;
        const int32_t *zeros = hy_tflite_alloc(reader, capacity, sizeof *zeros, code);
        if (!zeros)
            return NULL;
        reader->zeros = zeros;
        reader->zero_count = capacity;
    }
    return reader->zeros;
}

static enum hy_code copy_zero_points(struct hy_tflite_reader *reader,
                                     const struct hy_fb_vector *vector, enum hy_tflite_type type,
                                     const int32_t **out)
{
    enum hy_code code;

    if (are_zeros(vector)) {
        *out = shared_zeros(reader, vector->count, &code);
        return code;
    }
    int32_t *zero_points = hy_tflite_alloc(reader, vector->count, sizeof *zero_points, &code);
    if (!zero_points)
        return code;
    *out = zero_points;
    return load_zero_points(reader, vector, type, zero_points);
}

/* A single scale and zero point are stored in the tensor itself. */
static enum hy_code copy_one(struct hy_tflite_reader *reader, const struct hy_fb_vector *scales,
                             const struct hy_fb_vector *zero_points, enum hy_tflite_type type,
                             struct hy_tflite_quantisation *out)
{
    out->scales = &out->scale;
    out->zero_points = &out->zero_point;
    enum hy_code code = load_scales(reader, scales, &out->scale);
    if (code == HY_OK)
        code = load_zero_points(reader, zero_points, type, &out->zero_point);
    return code;
}

static enum hy_code copy_channels(struct hy_tflite_reader *reader,
                                  const struct hy_fb_vector *scales,
                                  const struct hy_fb_vector *zero_points, enum hy_tflite_type type,
                                  struct hy_tflite_quantisation *out)
{
    enum hy_code code;
    float *made = hy_tflite_alloc(reader, scales->count, sizeof *made, &code);

    if (!made)
        return code;
    out->scales = made;
    code = load_scales(reader, scales, made);
    if (code == HY_OK)
        code = copy_zero_points(reader, zero_points, type, &out->zero_points);
    return code;
}

static enum hy_code check_quantisation_counts(struct hy_tflite_reader *reader,
                                              const struct hy_tflite_tensor *tensor,
                                              uint32_t zero_points, int32_t dimension)
{
    const uint32_t scales = tensor->quantisation.count;
    if (scales != zero_points)
        return hy_fail(reader->err, HY_BAD_DATA, "%" PRIu32 " scales, but %" PRIu32 " zero points",
                       scales, zero_points);
    if (scales == 1)
        return HY_OK;
    if (dimension < 0 || (uint32_t)dimension >= tensor->rank)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "quantised dimension %" PRId32 " of a tensor of rank %" PRIu32, dimension,
                       tensor->rank);
    if (scales != (uint32_t)tensor->dims[dimension])
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " scales for dimension %" PRId32 " of size %" PRId32, scales,
                       dimension, tensor->dims[dimension]);
    return HY_OK;
}

static enum hy_code read_quantisation(struct hy_tflite_reader *reader,
                                      const struct hy_fb_table *table, struct hy_tflite_tensor *out)
{
    struct hy_fb *fb = &reader->fb;
    struct hy_tflite_quantisation *quantisation = &out->quantisation;
    const struct hy_fb_table from = hy_fb_child(fb, table, TENSOR_QUANTISATION);
    const struct hy_fb_vector scales = hy_fb_vector(fb, &from, QUANTISATION_SCALE, 4);
    const struct hy_fb_vector zero_points = hy_fb_vector(fb, &from, QUANTISATION_ZERO_POINT, 8);
    const int32_t dimension = hy_fb_i32(fb, &from, QUANTISATION_DIMENSION, 0);
    quantisation->custom = hy_fb_u8(fb, &from, QUANTISATION_DETAILS_TYPE, 0) != 0;
    quantisation->count = scales.count;
    if (fb->code != HY_OK || scales.count == 0)
        return fb->code; /* only recorded minima and maxima: the tensor is not quantised */

    enum hy_code code = check_quantisation_counts(reader, out, zero_points.count, dimension);
    if (code == HY_OK)
        code = scales.count == 1
                   ? copy_one(reader, &scales, &zero_points, out->type, quantisation)
                   : copy_channels(reader, &scales, &zero_points, out->type, quantisation);
    quantisation->dimension = scales.count > 1 ? (uint32_t)dimension : 0;
    return code;
}

static enum hy_code read_sparsity(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                  struct hy_tflite_tensor *out)
{
    const struct hy_fb_table from = hy_fb_child(&reader->fb, table, TENSOR_SPARSITY);
    if (reader->fb.code != HY_OK || from.at == 0)
        return reader->fb.code;

    enum hy_code code;
    struct hy_sparsity *sparsity = hy_tflite_alloc(reader, 1, sizeof *sparsity, &code);
    if (!sparsity)
        return code;
    out->sparsity = sparsity;
    return hy_tflite_read_sparsity(reader, &from, out->rank, sparsity);
}

enum hy_code hy_tflite_read_tensor(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   struct hy_tflite_tensor *out)
{
    enum hy_code code = hy_tflite_copy_string(reader, table, TENSOR_NAME, &out->name);
    if (code != HY_OK)
        return code;

    out->is_variable = hy_fb_u8(&reader->fb, table, TENSOR_IS_VARIABLE, 0) != 0;
    code = read_dims(reader, table, out);
    if (code == HY_OK)
        code = read_sparsity(reader, table, out);
    if (code == HY_OK)
        code = read_signature(reader, table, out);
    if (code == HY_OK)
        code = read_type(reader, table, out);
    if (code == HY_OK)
        code = read_data(reader, table, out);
    if (code == HY_OK)
        code = read_quantisation(reader, table, out);
    if (code == HY_OK)
        code = reader->fb.code;
    return code;
}
