#include "common/operations/shape.h"

#include <stdio.h>
#include <string.h>

#include "common/checked.h"

bool hy_shape_set(struct hy_shape *shape, uint32_t rank, const uint32_t *dims)
{
    if (rank > HY_MAX_RANK)
        return false;
    /* Not memcpy: for a few words of unknown number, compilers use string instructions with a long
     * start-up time. */
    *shape = (struct hy_shape){.rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        shape->dims[i] = dims[i];
    return true;
}

bool hy_shape_equal(const struct hy_shape *a, const struct hy_shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

bool hy_shape_elements(const struct hy_shape *shape, uint64_t *count)
{
    uint64_t product = 1;
    bool empty = false;

    /* An empty tensor may have large extents in addition to 0; these must not overflow. */
    for (uint32_t i = 0; i < shape->rank; i++)
        empty |= shape->dims[i] == 0;
    for (uint32_t i = 0; i < shape->rank && !empty; i++) {
        if (!hy_mul_u64(product, shape->dims[i], &product))
            return false;
    }
    *count = empty ? 0 : product;
    return true;
}

bool hy_shape_bytes(const struct hy_shape *shape, uint64_t element_size, uint64_t *bytes)
{
    uint64_t count;

    return hy_shape_elements(shape, &count) && hy_mul_u64(count, element_size, bytes);
}

uint64_t hy_shape_span(const struct hy_shape *shape, uint32_t from, uint32_t to)
{
    uint64_t product = 1;

    for (uint32_t i = from; i < to; i++)
        product *= shape->dims[i];
    return product;
}

bool hy_shape_is_complete(const struct hy_shape *declared)
{
    for (uint32_t i = 0; i < declared->rank; i++) {
        if (declared->dims[i] == 0)
            return false;
    }
    return declared->rank > 0;
}

bool hy_shape_fits(const struct hy_shape *declared, const struct hy_shape *actual)
{
    if (declared->rank == 0)
        return true;
    if (declared->rank != actual->rank)
        return false;
    for (uint32_t i = 0; i < declared->rank; i++) {
        if (declared->dims[i] != 0 && declared->dims[i] != actual->dims[i])
            return false;
    }
    return true;
}

bool hy_shape_combine(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out)
{
    struct hy_shape both = a->rank ? *a : *b;

    if (a->rank && b->rank && a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < b->rank; i++) {
        if (both.dims[i] == 0)
            both.dims[i] = b->dims[i];
        else if (b->dims[i] != 0 && b->dims[i] != both.dims[i])
            return false;
    }
    *out = both;
    return true;
}

bool hy_shape_broadcast(const struct hy_shape *a, const struct hy_shape *b, struct hy_shape *out)
{
    const struct hy_shape *longer = a->rank >= b->rank ? a : b;
    const struct hy_shape *shorter = longer == a ? b : a;
    uint32_t lead = longer->rank - shorter->rank;
    struct hy_shape result = *longer;

    for (uint32_t i = 0; i < shorter->rank; i++) {
        uint32_t extent = shorter->dims[i];
        if (result.dims[lead + i] == 1)
            result.dims[lead + i] = extent;
        else if (extent != 1 && extent != result.dims[lead + i])
            return false;
    }
    *out = result;
    return true;
}

const char *hy_shape_text(const struct hy_shape *shape, char text[HY_SHAPE_TEXT_SIZE])
{
    size_t used = 0;

    text[used++] = '[';
    for (uint32_t i = 0; i < shape->rank; i++)
        used += (size_t)snprintf(text + used, HY_SHAPE_TEXT_SIZE - used, i ? ", %u" : "%u",
                                 shape->dims[i]);
    text[used++] = ']';
    text[used] = '\0';
    return text;
}
