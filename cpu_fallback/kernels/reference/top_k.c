#include <stdbool.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

#if HY_IS_FLOAT
#define VALUE(x) HY_LOAD(x)
#else
#define VALUE(x) (x)
#endif

/*
 * The results of a row serve as a heap during the search, with the lowest of the best so far on
 * top; the heap is then sorted in place. Nothing read back from the results is used as an index
 * into memory, because other processes may change the results.
 */
struct heap {
    HY_T *values;
    int32_t *indices;
    bool first_of_equals, smallest;
};

static bool ranks_below(const struct heap *heap, size_t a, HY_T b, int32_t b_index)
{
    const HY_T value = heap->values[a];

    if (VALUE(value) == VALUE(b))
        return (heap->indices[a] < b_index) != heap->first_of_equals;
    return heap->smallest ? VALUE(value) > VALUE(b) : VALUE(value) < VALUE(b);
}

static bool entry_ranks_below(const struct heap *heap, size_t a, size_t b)
{
    return ranks_below(heap, a, heap->values[b], heap->indices[b]);
}

static void swap(const struct heap *heap, size_t a, size_t b)
{
    HY_T value = heap->values[a];
    int32_t index = heap->indices[a];

    heap->values[a] = heap->values[b];
    heap->indices[a] = heap->indices[b];
    heap->values[b] = value;
    heap->indices[b] = index;
}

/* Restores the heap order of the first `size` entries if only entry `at` may violate it. */
static void sift_down(const struct heap *heap, size_t at, size_t size)
{
    for (size_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && entry_ranks_below(heap, child + 1, child))
            child++;
        if (!entry_ranks_below(heap, child, at))
            return;
        swap(heap, child, at);
    }
}

static void top_of_row(const HY_T *row, size_t count, size_t k, const struct heap *heap)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t i = 0; i < k; i++) {
        heap->values[i] = row[i];
        heap->indices[i] = (int32_t)i;
    }
    for (size_t i = k / 2; i-- > 0 && !hy_stop_after(watch, 4);)
        sift_down(heap, i, k);
    for (size_t i = k; i < count && !hy_stop_after(watch, 1); i++) {
        if (!ranks_below(heap, 0, row[i], (int32_t)i))
            continue;
        heap->values[0] = row[i];
        heap->indices[0] = (int32_t)i;
        sift_down(heap, 0, k);
    }
    for (size_t size = k; size > 1 && !hy_stop_after(watch, 16); size--) {
        swap(heap, 0, size - 1);
        sift_down(heap, 0, size - 1);
    }
}

void HY_FN(top_k)(const struct hy_top_k_params *params, const void *in, void *values,
                  int32_t *indices)
{
    for (size_t i = 0; i < params->rows && !hy_stop_after(hy_stop_here(), 1); i++) {
        struct heap heap = {(HY_T *)values + i * params->k, indices + i * params->k,
                            params->first_of_equals, params->smallest};
        top_of_row((const HY_T *)in + i * params->count, params->count, params->k, &heap);
    }
}
