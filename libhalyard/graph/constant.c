#include "libhalyard/graph/constant.h"

#include <string.h>

/* Sums and differences of a few numbers up to this limit fit 64 bits. */
#define LARGEST (INT64_C(1) << 53)

static int64_t load(enum hy_element element, const char *from)
{
    int32_t narrow;
    int64_t wide;

    switch (element) {
    case HY_ELEMENT_INT32:
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    case HY_ELEMENT_INT64:
        memcpy(&wide, from, sizeof wide);
        return wide;
    default:
        return *from != 0;
    }
}

static bool is_integer(enum hy_element element)
{
    return element == HY_ELEMENT_INT32 || element == HY_ELEMENT_INT64 || element == HY_ELEMENT_BOOL;
}

int64_t hy_constant_ints(const struct hy_graph_tensor *tensor, int64_t *numbers, uint32_t capacity)
{
    uint64_t count;

    if (!is_integer(tensor->element) || tensor->sparsity ||
        !hy_graph_tensor_elements(tensor, &count) || count > capacity ||
        (!tensor->data && count > 0))
        return -1;
    const size_t size = hy_element_bits(tensor->element) / 8;
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = load(tensor->element, (const char *)tensor->data + i * size);
        if (numbers[i] < -LARGEST || numbers[i] > LARGEST)
            return -1;
    }
    return (int64_t)count;
}

bool hy_constant_int(const struct hy_graph_tensor *tensor, int64_t *number)
{
    return hy_constant_ints(tensor, number, 1) == 1;
}

bool hy_constant_store(enum hy_element element, const int64_t *numbers, uint64_t count, void *to)
{
    for (uint64_t i = 0; i < count; i++) {
        switch (element) {
        case HY_ELEMENT_INT32:
            if (numbers[i] != (int32_t)numbers[i])
                return false;
            ((int32_t *)to)[i] = (int32_t)numbers[i];
            break;
        case HY_ELEMENT_INT64:
            ((int64_t *)to)[i] = numbers[i];
            break;
        case HY_ELEMENT_BOOL:
            ((uint8_t *)to)[i] = numbers[i] != 0;
            break;
        default:
            return false;
        }
    }
    return is_integer(element);
}
