#include "common/operations/operand_type.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define SCALAR true
#define TENSOR false
static const struct hy_operand_type_info types[] = {
#define OPERAND_TYPE(code, name, letter, bytes, kind, level, scale, zero_min, zero_max) \
    {code, #name, letter, kind, bytes, level, HY_SCALE_##scale, zero_min, zero_max},
#define EXTENSION_TYPE(name, letter, bytes) \
    {HY_##name, HALYARD_OPERATIONS_NAME "." #name, letter, TENSOR, bytes, 3, HY_SCALE_NONE, 0, 0},
#include "common/operations/operand_types.def"
};
#undef SCALAR
#undef TENSOR

#define OPERAND_TYPE(code, name, letter, bytes, kind, level, scale, zero_min, zero_max) \
    static_assert((code) == ANEURALNETWORKS_##name, "operand_types.def: " #name);
#define EXTENSION_TYPE(...)
#include "common/operations/operand_types.def"

#define TYPE_COUNT (sizeof types / sizeof types[0])

/* Types of signatures come first, at their row; the OEM types follow. */
static_assert(HY_TYPE_ROWS + 2 == TYPE_COUNT, "operand_types.def: a row is missing");
static_assert(HY_TYPE_NNAPI_ROWS == ANEURALNETWORKS_MODEL + 1, "operand_types.def: not in order");

const struct hy_operand_type_info *hy_operand_type_info(int32_t code)
{
    const uint32_t row = hy_type_row(code);

    if (row < HY_TYPE_ROWS)
        return &types[row];
    for (size_t i = HY_TYPE_ROWS; i < TYPE_COUNT; i++)
        if (types[i].code == code)
            return &types[i];
    return NULL;
}

const struct hy_operand_type_info *hy_operand_type_find(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct hy_operand_type_info *hy_operand_type_of_letter(char letter)
{
    for (size_t i = 0; i < HY_TYPE_ROWS; i++)
        if (types[i].letter == letter)
            return &types[i];
    return NULL;
}

const char *hy_operand_type_name(int32_t code)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(code);

    if (info)
        return info->name;
    return hy_type_is_extension(code) ? "an extension type" : "an unknown type";
}

uint32_t hy_operand_type_bytes(int32_t code)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(code);

    return info ? info->element_bytes : 0;
}

bool hy_operand_type_is_quantised(int32_t code)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(code);

    return info && info->scale == HY_SCALE_NEEDED;
}

bool hy_scale_is_same(float a, float b)
{
    const float larger = a > b ? a : b;

    return fabsf(a - b) <= 1e-3f * larger;
}

static bool scale_suits(enum hy_scale_rule rule, float scale)
{
    switch (rule) {
    case HY_SCALE_NONE:
        return scale == 0.0f;
    case HY_SCALE_OPTIONAL:
        return scale >= 0.0f && isfinite(scale);
    case HY_SCALE_NEEDED:
        return hy_scale_is_good(scale);
    case HY_SCALE_ANY:
        return true;
    }
    return false;
}

enum hy_code hy_operand_type_check_quant(int32_t code, float scale, int32_t zero_point,
                                         struct hy_error *err)
{
    static const struct hy_operand_type_info extension = {.name = "extension type",
                                                          .scale = HY_SCALE_NONE};
    static const char *const needs[] = {"0", "0 or above", "above 0", ""};
    const struct hy_operand_type_info *info = hy_operand_type_info(code);

    if (!info && hy_type_is_extension(code))
        info = &extension;
    if (!info)
        return hy_fail(err, HY_BAD_DATA, "operand type %d does not exist", code);
    if (!scale_suits(info->scale, scale))
        return hy_fail(err, HY_BAD_DATA, "%s: scale is %g, must be %s", info->name, (double)scale,
                       needs[info->scale]);
    if (info->scale != HY_SCALE_ANY &&
        (zero_point < info->zero_point_min || zero_point > info->zero_point_max))
        return hy_fail(err, HY_BAD_DATA, "%s: zero point is %d, must be in %d..%d", info->name,
                       zero_point, info->zero_point_min, info->zero_point_max);
    return HY_OK;
}
