#include "cpu_fallback/kernels/reference/strided_copy.h"

#include <stdbool.h>

/* With fewer rows, starting a plane takes longer than its rows. */
#define FEW_ROWS 8

struct dimension {
    size_t size;
    ptrdiff_t in, out;
};

static struct dimension get(const struct hy_strided_copy_params *params, uint32_t d)
{
    return (struct dimension){params->dims[d], params->in_strides[d], params->out_strides[d]};
}

static void set(struct hy_strided_copy_params *params, uint32_t d, struct dimension dimension)
{
    params->dims[d] = dimension.size;
    params->in_strides[d] = dimension.in;
    params->out_strides[d] = dimension.out;
}

void hy_strided_copy_add(struct hy_strided_copy_params *params, size_t size, ptrdiff_t in_stride,
                         ptrdiff_t out_stride)
{
    if (size != 1) /* the stride of a size of 1 is never used */
        set(params, params->rank++, (struct dimension){size, in_stride, out_stride});
}

/* Moves dimension `from` to index `to`; the dimensions between move by one. */
static void shift(struct hy_strided_copy_params *params, uint32_t from, uint32_t to)
{
    struct dimension moved = get(params, from);

    for (; from > to; from--)
        set(params, from, get(params, from - 1));
    for (; from < to; from++)
        set(params, from, get(params, from + 1));
    set(params, to, moved);
}

/* Sorts by the stride of the output, largest first. */
static void sort(struct hy_strided_copy_params *params)
{
    for (uint32_t d = 1; d < params->rank; d++) {
        uint32_t to = d;
        while (to > 0 && params->out_strides[to - 1] < params->out_strides[d])
            to--;
        shift(params, d, to);
    }
}

/* Merges neighbouring dimensions that both grids walk as one. */
static void merge(struct hy_strided_copy_params *params)
{
    uint32_t last = 0;

    for (uint32_t d = 1; d < params->rank; d++) {
        struct dimension outer = get(params, last), inner = get(params, d);
        ptrdiff_t size = (ptrdiff_t)inner.size;
        if (outer.in == inner.in * size && outer.out == inner.out * size)
            set(params, last, (struct dimension){outer.size * inner.size, inner.in, inner.out});
        else
            set(params, ++last, inner);
    }
    if (params->rank > 0)
        params->rank = last + 1;
}

static bool is_empty(const struct hy_strided_copy_params *params)
{
    for (uint32_t d = 0; d < params->rank; d++) {
        if (params->dims[d] == 0)
            return true;
    }
    return false;
}

/*
 * Chooses the dimension of the rows. If the input runs across the output, the dimension of the
 * input's neighbours becomes the rows: a tile of both dimensions then touches few cache lines of
 * either side. Otherwise the longest dimension becomes the rows if rows are few, because each plane
 * has a start-up cost.
 */
static void choose_rows(struct hy_strided_copy_params *params)
{
    const uint32_t column = params->rank - 1, row = params->rank - 2;
    uint32_t chosen = row;

    if (params->in_strides[column] != 1)
        for (uint32_t d = 0; d <= row; d++)
            if (params->in_strides[d] == 1) {
                shift(params, d, row);
                return;
            }
    if (params->dims[row] >= FEW_ROWS)
        return;
    for (uint32_t d = row; d-- > 0;)
        if (params->dims[d] > params->dims[chosen])
            chosen = d;
    shift(params, chosen, row);
}

void hy_strided_copy_finalize(struct hy_strided_copy_params *params)
{
    if (is_empty(params)) {
        *params = (struct hy_strided_copy_params){.rank = 2};
        return;
    }
    sort(params);
    merge(params);
    while (params->rank < 2) {
        set(params, params->rank++, (struct dimension){.size = 1});
        shift(params, params->rank - 1, 0);
    }
    choose_rows(params);
}
