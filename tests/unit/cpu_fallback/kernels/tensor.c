#include "tensor.h"

#include "common/bfloat.h"
#include "common/half.h"
#include "guarded.h"

size_t tensor_element_size(enum hy_element element)
{
    static const size_t sizes[HY_ELEMENT_COUNT] = {4, 2, 4, 1, 1, 1, 2, 2, 1,
                                                   1, 2, 8, 1, 2, 4, 8, 8, 2};
    return sizes[element];
}

void *tensor_random(struct hy_random *random, int slot, enum hy_element element, size_t count)
{
    void *values = tensor_blank(slot, element, count);

    for (size_t i = 0; i < count; i++) {
        if (element == HY_ELEMENT_F32)
            ((float *)values)[i] = hy_random_real(random, -1, 1);
        else if (element == HY_ELEMENT_F16)
            ((uint16_t *)values)[i] = hy_half_from_float_soft(hy_random_real(random, -1, 1));
        else if (element == HY_ELEMENT_I32)
            ((int32_t *)values)[i] = hy_random_between(random, -20000, 20000);
        else if (element == HY_ELEMENT_BF16)
            ((uint16_t *)values)[i] = hy_bfloat_from_float(hy_random_real(random, -1, 1));
        else if (element == HY_ELEMENT_F64)
            ((double *)values)[i] = hy_random_real(random, -1, 1);
        else if (tensor_element_size(element) == 8)
            ((uint64_t *)values)[i] = hy_random_next(random);
        else if (tensor_element_size(element) == 4)
            ((uint32_t *)values)[i] = (uint32_t)hy_random_next(random);
        else if (tensor_element_size(element) == 2)
            ((uint16_t *)values)[i] = (uint16_t)hy_random_next(random);
        else
            ((uint8_t *)values)[i] = (uint8_t)hy_random_next(random);
    }
    return values;
}

void *tensor_blank(int slot, enum hy_element element, size_t count)
{
    return guarded_alloc(slot, count * tensor_element_size(element), 0x77);
}

double tensor_at(enum hy_element element, const void *values, size_t i)
{
    switch (element) {
    case HY_ELEMENT_F32:
        return ((const float *)values)[i];
    case HY_ELEMENT_F16:
        return hy_half_to_float_soft(((const uint16_t *)values)[i]);
    case HY_ELEMENT_I32:
        return ((const int32_t *)values)[i];
    case HY_ELEMENT_N32:
        return ((const uint32_t *)values)[i];
    case HY_ELEMENT_I64:
        return (double)((const int64_t *)values)[i];
    case HY_ELEMENT_N64:
        return (double)((const uint64_t *)values)[i];
    case HY_ELEMENT_F64:
        return ((const double *)values)[i];
    case HY_ELEMENT_BF16:
        return hy_bfloat_to_float(((const uint16_t *)values)[i]);
    case HY_ELEMENT_I8:
    case HY_ELEMENT_S8:
        return ((const int8_t *)values)[i];
    case HY_ELEMENT_I16:
    case HY_ELEMENT_S16:
        return ((const int16_t *)values)[i];
    case HY_ELEMENT_N16:
    case HY_ELEMENT_U16:
        return ((const uint16_t *)values)[i];
    default:
        return ((const uint8_t *)values)[i];
    }
}

size_t tensor_first_difference(enum hy_element element, const void *a, const void *b, size_t count)
{
    size_t i = 0;
    while (i < count && tensor_at(element, a, i) == tensor_at(element, b, i))
        i++;
    return i;
}

int tensor_min(enum hy_element element)
{
    return element == HY_ELEMENT_S8 ? INT8_MIN : element == HY_ELEMENT_S16 ? INT16_MIN : 0;
}

int tensor_max(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_S8:
        return INT8_MAX;
    case HY_ELEMENT_S16:
        return INT16_MAX;
    case HY_ELEMENT_U16:
        return UINT16_MAX;
    default:
        return UINT8_MAX;
    }
}
