#include "tools/vectors/read_json.h"

#include <android/NeuralNetworks.h>
#include <math.h>
#include <string.h>

#include "common/bfloat.h"
#include "common/half.h"
#include "common/operations/operand_type.h"

/* "inf", "-inf" and "nan" stand for what JSON has no number for. */
static bool get_real(const json_t *item, double *out)
{
    const char *word = json_string_value(item);
    if (json_is_number(item))
        *out = json_number_value(item);
    else if (word && strcmp(word, "inf") == 0)
        *out = INFINITY;
    else if (word && strcmp(word, "-inf") == 0)
        *out = -INFINITY;
    else if (word && strcmp(word, "nan") == 0)
        *out = NAN;
    else
        return false;
    return true;
}

static bool put_float(const json_t *item, int32_t type, uint8_t *out)
{
    double real;
    if (!get_real(item, &real))
        return false;
    if (type == HY_TENSOR_FLOAT64) {
        memcpy(out, &real, sizeof real);
        return true;
    }
    const float value = (float)real;
    if (type == ANEURALNETWORKS_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT32) {
        memcpy(out, &value, sizeof value);
        return true;
    }
    const uint16_t half =
        type == HY_TENSOR_BFLOAT16 ? hy_bfloat_from_float(value) : hy_half_from_float(value);
    memcpy(out, &half, sizeof half);
    return true;
}

static void get_limits(int32_t type, json_int_t *min, json_int_t *max)
{
    switch (type) {
    case ANEURALNETWORKS_BOOL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
        *min = 0, *max = 1;
        return;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        *min = 0, *max = UINT8_MAX;
        return;
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        *min = 0, *max = UINT16_MAX;
        return;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        *min = INT16_MIN, *max = INT16_MAX;
        return;
    case ANEURALNETWORKS_UINT32:
        *min = 0, *max = UINT32_MAX;
        return;
    case ANEURALNETWORKS_INT32:
    case ANEURALNETWORKS_TENSOR_INT32:
        *min = INT32_MIN, *max = INT32_MAX;
        return;
    case HY_TENSOR_UINT8:
        *min = 0, *max = UINT8_MAX;
        return;
    case HY_TENSOR_INT16:
        *min = INT16_MIN, *max = INT16_MAX;
        return;
    case HY_TENSOR_UINT16:
        *min = 0, *max = UINT16_MAX;
        return;
    case HY_TENSOR_UINT32:
        *min = 0, *max = UINT32_MAX;
        return;
    case HY_TENSOR_INT64:
    case HY_TENSOR_UINT64: /* JSON has no larger integers: those above are negative here */
        *min = INT64_MIN, *max = INT64_MAX;
        return;
    default: /* the signed types of a byte */
        *min = INT8_MIN, *max = INT8_MAX;
        return;
    }
}

static bool put_integer(const json_t *item, int32_t type, uint32_t bytes, uint8_t *out)
{
    json_int_t min, max;
    get_limits(type, &min, &max);
    const json_int_t value = json_integer_value(item);
    if (!json_is_integer(item) || value < min || value > max)
        return false;

    uint64_t bits = (uint64_t)value;
    for (uint32_t i = 0; i < bytes; i++, bits >>= 8) /* little-endian, as all our machines */
        out[i] = (uint8_t)bits;
    return true;
}

static bool is_float(int32_t type)
{
    return type == ANEURALNETWORKS_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT32 ||
           type == ANEURALNETWORKS_FLOAT16 || type == ANEURALNETWORKS_TENSOR_FLOAT16 ||
           type == HY_TENSOR_FLOAT64 || type == HY_TENSOR_BFLOAT16;
}

enum hy_code hy_read_value(struct hy_reader *reader, const json_t *array, int32_t type,
                           struct hy_vector_value *out)
{
    if (json_is_null(array)) {
        *out = (struct hy_vector_value){.omitted = true, .bytes = ""};
        return HY_OK;
    }
    const uint32_t bytes = hy_operand_type_bytes(type);
    if (!json_is_array(array) || bytes == 0)
        return hy_fail(reader->err, HY_BAD_DATA, "the value of a %s is not an array of elements",
                       hy_operand_type_name(type));

    const size_t count = json_array_size(array);
    uint8_t *elements = hy_read_alloc(reader, count, bytes);
    if (!elements)
        return HY_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        uint8_t *at = elements + i * bytes;
        if (!(is_float(type) ? put_float(item, type, at) : put_integer(item, type, bytes, at)))
            return hy_fail(reader->err, HY_BAD_DATA, "element %zu is not an element of a %s", i,
                           hy_operand_type_name(type));
    }
    *out = (struct hy_vector_value){
        .count = (uint32_t)count, .length = count * bytes, .bytes = elements};
    return HY_OK;
}
