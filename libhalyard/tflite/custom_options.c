#include "libhalyard/tflite/custom_options.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "libhalyard/tflite/flatbuffer.h"

/* Several operators may share options: a limit on the numbers, larger than the need of any
 * operator, bounds the work. */
enum { TEXT_CAPACITY = 160, MOST_NUMBERS = 4096 };

struct hy_custom_options hy_custom_options_of(const struct hy_tflite_operator *operator_,
                                              struct hy_arena *arena, struct hy_error *err)
{
    return (struct hy_custom_options){
        .bytes = operator_->custom_options,
        .length = operator_->custom_options ? operator_->custom_bytes : 0,
        .arena = arena,
        .code = HY_OK,
        .err = err,
    };
}

static bool is_whole(const struct hy_custom_options *options)
{
    return !options->fault && options->code == HY_OK;
}

void hy_custom_refuse(struct hy_custom_options *options, const char *format, ...)
{
    va_list arguments;

    if (!is_whole(options))
        return;
    char *text = hy_arena_alloc(options->arena, TEXT_CAPACITY);
    if (!text) {
        options->code = hy_fail(options->err, HY_OUT_OF_MEMORY, "text of a refusal");
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, TEXT_CAPACITY, format, arguments);
    va_end(arguments);
    options->fault = text;
}

const uint32_t *hy_custom_copy(struct hy_custom_options *options, const uint32_t *tensors,
                               uint32_t count)
{
    const uint32_t *copy = hy_arena_copy(options->arena, tensors, count, sizeof *tensors);

    if (!copy && options->code == HY_OK)
        options->code = hy_fail(options->err, HY_OUT_OF_MEMORY, "%u operands", count);
    return copy;
}

/* ---- A struct of int32 ----------------------------------------------------------------------- */

int32_t hy_custom_field(struct hy_custom_options *options, uint32_t index, const char *name,
                        int32_t least, int32_t most)
{
    const uint64_t end = sizeof(int32_t) * ((uint64_t)index + 1);

    if (options->length < end)
        hy_custom_refuse(options, "options have %llu bytes, option %s ends at %llu",
                         (unsigned long long)options->length, name, (unsigned long long)end);
    if (!is_whole(options))
        return least;
    const int32_t number = (int32_t)hy_load_u32(options->bytes + end - sizeof number);
    if (number >= least && number <= most)
        return number;
    hy_custom_refuse(options, "option %s is %d, needs %d to %d", name, number, least, most);
    return least;
}

/* ---- A map by names -------------------------------------------------------------------------- */

void hy_custom_open_map(struct hy_custom_options *options)
{
    if (!options->length || options->length > SIZE_MAX ||
        !hy_flex_map_open(options->bytes, (size_t)options->length, &options->map))
        hy_custom_refuse(options, "options of %llu bytes are not a FlexBuffer map",
                         (unsigned long long)options->length);
}

bool hy_custom_has(struct hy_custom_options *options, const char *key)
{
    struct hy_flex_value value;
    return is_whole(options) && hy_flex_map_find(&options->map, key, &value);
}

/* The value of a key; false, and a fault, for a missing key. */
static bool find(struct hy_custom_options *options, const char *key, struct hy_flex_value *value)
{
    if (!is_whole(options))
        return false;
    if (!hy_flex_map_find(&options->map, key, value))
        hy_custom_refuse(options, "option %s is left out", key);
    return is_whole(options);
}

static bool is_in_range(double number, int32_t least, int32_t most)
{
    return number >= least && number <= most && number == floor(number);
}

int32_t hy_custom_whole(struct hy_custom_options *options, const char *key, int32_t least,
                        int32_t most)
{
    struct hy_flex_value value;
    double number;

    if (!find(options, key, &value))
        return least;
    if (!hy_flex_number(&value, &number))
        hy_custom_refuse(options, "option %s is not a number", key);
    else if (!is_in_range(number, least, most))
        hy_custom_refuse(options, "option %s is %.9g, needs a whole number from %d to %d", key,
                         number, least, most);
    return is_whole(options) ? (int32_t)number : least;
}

float hy_custom_bound(struct hy_custom_options *options, const char *key)
{
    struct hy_flex_value value;
    double number;

    if (!find(options, key, &value))
        return 0;
    if (!hy_flex_number(&value, &number))
        hy_custom_refuse(options, "option %s is not a number", key);
    else if (fabs(number) > (double)FLT_MAX && isfinite(number))
        hy_custom_refuse(options, "option %s is %.9g, outside of float32", key, number);
    return is_whole(options) ? (float)number : 0;
}

float hy_custom_real(struct hy_custom_options *options, const char *key)
{
    const float number = hy_custom_bound(options, key);

    if (isfinite(number))
        return number;
    hy_custom_refuse(options, "option %s is %g, must be finite", key, (double)number);
    return 0;
}

/* Element `index` of a vector; false, and a fault, for what is no whole number in the range. */
static bool read_element(struct hy_custom_options *options, const char *key,
                         const struct hy_flex_vector *vector, uint32_t index, int32_t least,
                         int32_t most, int32_t *ret_number)
{
    double number;

    if (!hy_flex_vector_number(vector, index, &number))
        hy_custom_refuse(options, "option %s[%u] is not a number", key, index);
    else if (!is_in_range(number, least, most))
        hy_custom_refuse(options, "option %s[%u] is %.9g, needs a whole number from %d to %d", key,
                         index, number, least, most);
    else
        *ret_number = (int32_t)number;
    return is_whole(options);
}

uint32_t hy_custom_wholes(struct hy_custom_options *options, const char *key, int32_t least,
                          int32_t most, const int32_t **ret_numbers)
{
    struct hy_flex_value value;
    struct hy_flex_vector vector;

    *ret_numbers = NULL;
    if (!find(options, key, &value))
        return 0;
    if (!hy_flex_vector_open(&value, &vector) || vector.count == 0) {
        hy_custom_refuse(options, "option %s is not a vector of numbers", key);
        return 0;
    }
    if (vector.count > MOST_NUMBERS) {
        hy_custom_refuse(options, "option %s has %u numbers, at most %d are allowed", key,
                         vector.count, MOST_NUMBERS);
        return 0;
    }
    int32_t *numbers = hy_arena_alloc(options->arena, vector.count * sizeof *numbers);
    if (!numbers) {
        options->code =
            hy_fail(options->err, HY_OUT_OF_MEMORY, "option %s of %u numbers", key, vector.count);
        return 0;
    }
    for (uint32_t i = 0; i < vector.count; i++) {
        if (!read_element(options, key, &vector, i, least, most, &numbers[i]))
            return 0;
    }
    *ret_numbers = numbers;
    return vector.count;
}

void hy_custom_expect_text(struct hy_custom_options *options, const char *key, const char *text)
{
    struct hy_flex_value value;

    if (find(options, key, &value) && !hy_flex_is_text(&value, text))
        hy_custom_refuse(options, "option %s is not \"%s\"", key, text);
}
