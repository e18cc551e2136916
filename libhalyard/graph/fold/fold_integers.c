#include "libhalyard/graph/fold/folding.h"

/* ---- Elementwise ----------------------------------------------------------------------------- */

/* The index in a broadcast input for element `element` of the output. */
static int64_t input_index(const struct hy_graph_tensor *input,
                           const struct hy_graph_tensor *output, int64_t element)
{
    int64_t position = 0, step = 1;

    for (uint32_t i = 0; i < output->rank; i++) {
        const uint32_t at = output->rank - 1 - i;
        const int64_t index = element % output->extents[at];
        element /= output->extents[at];
        if (i >= input->rank)
            continue;
        const int32_t extent = input->extents[input->rank - 1 - i];
        position += extent == 1 ? 0 : index * step;
        step *= extent;
    }
    return position;
}

static bool broadcasts(const struct hy_graph_tensor *input, const struct hy_graph_tensor *output)
{
    if (input->rank > output->rank)
        return false;
    for (uint32_t i = 0; i < input->rank; i++) {
        const int32_t extent = input->extents[i];
        if (extent != 1 && extent != output->extents[output->rank - input->rank + i])
            return false;
    }
    return true;
}

/* False where the result is not defined. */
typedef bool (*binary)(int64_t a, int64_t b, int64_t *result);

static bool fold_two(struct hy_folding *folding, binary compute)
{
    const struct hy_graph_tensor *output = hy_folding_output(folding);
    struct hy_folding_numbers a, b;
    int64_t results[HY_CONSTANT_MAX_INTS];

    if (!hy_folding_read(folding, 0, &a) || !hy_folding_read(folding, 1, &b) ||
        !broadcasts(hy_folding_input(folding, 0), output) ||
        !broadcasts(hy_folding_input(folding, 1), output) ||
        folding->elements > HY_CONSTANT_MAX_INTS)
        return false;
    for (int64_t i = 0; i < (int64_t)folding->elements; i++) {
        if (!compute(a.at[input_index(hy_folding_input(folding, 0), output, i)],
                     b.at[input_index(hy_folding_input(folding, 1), output, i)], &results[i]))
            return false;
    }
    return hy_folding_store(folding, results, folding->elements);
}

static bool add(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static bool subtract(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_sub_overflow(a, b, result);
}

static bool multiply(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* Towards zero. */
static bool divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *result = a / b;
    return true;
}

static bool divide_down(int64_t a, int64_t b, int64_t *result)
{
    if (!divide(a, b, result))
        return false;
    *result -= a % b != 0 && (a < 0) != (b < 0);
    return true;
}

static bool greater_of(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return true;
}

static bool lesser_of(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return true;
}

#define COMPARISON(name, operator_) \
    static bool name(int64_t a, int64_t b, int64_t *result) \
    { \
        *result = a operator_ b; \
        return true; \
    } \
    bool hy_fold_##name(struct hy_folding *folding) \
    { \
        return fold_two(folding, name); \
    }
COMPARISON(equal, ==)
COMPARISON(greater, >)
COMPARISON(greater_equal, >=)
COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(logical_and, &&)
COMPARISON(logical_or, ||)
COMPARISON(not_equal, !=)
#undef COMPARISON

/* A fused activation is not for integers. */
static bool fold_plain(struct hy_folding *folding, binary compute)
{
    return folding->node->attributes.binary.activation == HY_ACTIVATION_NONE &&
           fold_two(folding, compute);
}

bool hy_fold_add(struct hy_folding *folding)
{
    return fold_plain(folding, add);
}

bool hy_fold_sub(struct hy_folding *folding)
{
    return fold_plain(folding, subtract);
}

bool hy_fold_mul(struct hy_folding *folding)
{
    return fold_plain(folding, multiply);
}

bool hy_fold_div(struct hy_folding *folding)
{
    return fold_plain(folding, divide);
}

bool hy_fold_floor_div(struct hy_folding *folding)
{
    return fold_two(folding, divide_down);
}

bool hy_fold_maximum(struct hy_folding *folding)
{
    return fold_two(folding, greater_of);
}

bool hy_fold_minimum(struct hy_folding *folding)
{
    return fold_two(folding, lesser_of);
}

/* `scale` * number, `number` * number, or none. */
static bool fold_one(struct hy_folding *folding, binary compute, const int64_t *other)
{
    struct hy_folding_numbers from;

    if (!hy_folding_read(folding, 0, &from))
        return false;
    for (int64_t i = 0; i < from.count; i++) {
        if (!compute(from.at[i], other ? *other : from.at[i], &from.at[i]))
            return false;
    }
    return hy_folding_store(folding, from.at, (uint64_t)from.count);
}

static bool magnitude(int64_t a, int64_t b, int64_t *result)
{
    *result = a < 0 ? -b : b; /* numbers are far from INT64_MIN */
    return true;
}

bool hy_fold_abs(struct hy_folding *folding)
{
    return fold_one(folding, magnitude, NULL);
}

bool hy_fold_neg(struct hy_folding *folding)
{
    static const int64_t minus = -1;
    return fold_one(folding, multiply, &minus);
}

bool hy_fold_square(struct hy_folding *folding)
{
    return fold_one(folding, multiply, NULL);
}

bool hy_fold_logical_not(struct hy_folding *folding)
{
    static const int64_t zero;
    return fold_one(folding, equal, &zero);
}

bool hy_fold_cast(struct hy_folding *folding)
{
    struct hy_folding_numbers from;

    if (hy_fold_widen_halves(folding))
        return true;
    return folding->code == HY_OK && hy_folding_read(folding, 0, &from) &&
           hy_folding_store(folding, from.at, (uint64_t)from.count);
}

bool hy_fold_select(struct hy_folding *folding)
{
    const struct hy_graph_tensor *output = hy_folding_output(folding);
    struct hy_folding_numbers inputs[3];
    int64_t results[HY_CONSTANT_MAX_INTS];

    for (uint32_t i = 0; i < 3; i++) {
        if (!hy_folding_read(folding, i, &inputs[i]) ||
            !broadcasts(hy_folding_input(folding, i), output))
            return false;
    }
    if (folding->elements > HY_CONSTANT_MAX_INTS ||
        (folding->node->operator_ == HY_OPERATOR_SELECT &&
         hy_folding_input(folding, 0)->rank != output->rank))
        return false;
    for (int64_t i = 0; i < (int64_t)folding->elements; i++) {
        const bool first = inputs[0].at[input_index(hy_folding_input(folding, 0), output, i)] != 0;
        const uint32_t chosen = first ? 1 : 2;
        results[i] = inputs[chosen].at[input_index(hy_folding_input(folding, chosen), output, i)];
    }
    return hy_folding_store(folding, results, folding->elements);
}

/* ---- Reductions ------------------------------------------------------------------------------ */

/* A bit for each removed dimension of the input; false if an axis is out of range. */
static bool read_axes(const struct hy_folding *folding, uint32_t rank, uint32_t *ret_goes)
{
    int64_t axes[HY_GRAPH_MAX_RANK];
    const int64_t count = hy_constant_ints(hy_folding_input(folding, 1), axes, HY_GRAPH_MAX_RANK);

    *ret_goes = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t axis = axes[i] + (axes[i] < 0 ? (int64_t)rank : 0);
        if (axis < 0 || axis >= (int64_t)rank)
            return false;
        *ret_goes |= 1u << axis;
    }
    return count >= 0;
}

static bool reduce(struct hy_folding *folding, binary combine, int64_t first)
{
    const struct hy_graph_tensor *input = hy_folding_input(folding, 0);
    struct hy_folding_numbers from;
    int64_t results[HY_CONSTANT_MAX_INTS];
    uint32_t goes;

    if (!hy_folding_read(folding, 0, &from) || !read_axes(folding, input->rank, &goes) ||
        folding->elements > HY_CONSTANT_MAX_INTS)
        return false;
    for (uint64_t i = 0; i < folding->elements; i++)
        results[i] = first;
    for (int64_t i = 0; i < from.count; i++) {
        int64_t rest = i, position = 0, step = 1;
        for (uint32_t j = input->rank; j-- > 0;) {
            if (!(goes >> j & 1)) {
                position += rest % input->extents[j] * step;
                step *= input->extents[j];
            }
            rest /= input->extents[j];
        }
        if (position >= (int64_t)folding->elements ||
            !combine(results[position], from.at[i], &results[position]))
            return false;
    }
    return hy_folding_store(folding, results, folding->elements);
}

bool hy_fold_sum(struct hy_folding *folding)
{
    return reduce(folding, add, 0);
}

bool hy_fold_reduce_prod(struct hy_folding *folding)
{
    return reduce(folding, multiply, 1);
}

bool hy_fold_reduce_all(struct hy_folding *folding)
{
    return reduce(folding, logical_and, 1);
}

bool hy_fold_reduce_any(struct hy_folding *folding)
{
    return reduce(folding, logical_or, 0);
}

static bool is_wide(const struct hy_folding *folding)
{
    return hy_folding_output(folding)->element == HY_ELEMENT_INT64;
}

bool hy_fold_reduce_max(struct hy_folding *folding)
{
    return hy_folding_input(folding, 0)->data != NULL &&
           reduce(folding, greater_of, is_wide(folding) ? INT64_MIN : INT32_MIN);
}

bool hy_fold_reduce_min(struct hy_folding *folding)
{
    return hy_folding_input(folding, 0)->data != NULL &&
           reduce(folding, lesser_of, is_wide(folding) ? INT64_MAX : INT32_MAX);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* The extents of the input, which need not be a constant. */
bool hy_fold_shape(struct hy_folding *folding)
{
    const struct hy_graph_tensor *of = hy_folding_input(folding, 0);
    int64_t extents[HY_GRAPH_MAX_RANK];

    for (uint32_t i = 0; i < of->rank; i++) {
        extents[i] = of->extents[i];
        if (extents[i] < 0)
            return false;
    }
    return hy_folding_store(folding, extents, of->rank);
}

bool hy_fold_rank(struct hy_folding *folding)
{
    const int64_t rank = hy_folding_input(folding, 0)->rank;
    return hy_folding_store(folding, &rank, 1);
}

bool hy_fold_broadcast_args(struct hy_folding *folding)
{
    struct hy_folding_numbers a, b;
    int64_t results[HY_GRAPH_MAX_RANK];
    const int64_t count = (int64_t)folding->elements;

    if (!hy_folding_read(folding, 0, &a) || !hy_folding_read(folding, 1, &b) ||
        count > HY_GRAPH_MAX_RANK || a.count > count || b.count > count)
        return false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t own = i - (count - a.count), other = i - (count - b.count);
        const int64_t x = own < 0 ? 1 : a.at[own], y = other < 0 ? 1 : b.at[other];
        if (x != y && x != 1 && y != 1)
            return false;
        results[i] = x == 1 ? y : x;
    }
    return hy_folding_store(folding, results, folding->elements);
}

bool hy_fold_range(struct hy_folding *folding)
{
    int64_t start, step;
    int64_t made[HY_CONSTANT_MAX_INTS];

    if (!hy_constant_int(hy_folding_input(folding, 0), &start) ||
        !hy_constant_int(hy_folding_input(folding, 2), &step) ||
        folding->elements > HY_CONSTANT_MAX_INTS)
        return false;
    for (uint64_t i = 0; i < folding->elements; i++, start += step)
        made[i] = start;
    return hy_folding_store(folding, made, folding->elements);
}

/* The indices of each element that is not zero, in the order of the elements. */
bool hy_fold_where(struct hy_folding *folding)
{
    const struct hy_graph_tensor *condition = hy_folding_input(folding, 0);
    struct hy_folding_numbers from;
    int64_t made[HY_CONSTANT_MAX_INTS];
    uint64_t count = 0;

    if (!hy_folding_read(folding, 0, &from) || folding->elements > HY_CONSTANT_MAX_INTS)
        return false;
    for (int64_t i = 0; i < from.count; i++) {
        if (from.at[i] == 0)
            continue;
        if (count + condition->rank > folding->elements)
            return false;
        int64_t rest = i;
        for (uint32_t j = condition->rank; j-- > 0; rest /= condition->extents[j])
            made[count + j] = rest % condition->extents[j];
        count += condition->rank;
    }
    return hy_folding_store(folding, made, count);
}
