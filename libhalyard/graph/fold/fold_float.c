/* Arithmetic on constants of float32. IEEE 754 defines these results to the last bit, so that every
 * device would compute the same. Functions like EXP and RSQRT are left to the device that runs the
 * network. So is a node with a result that is not finite: devices may differ in those. */
#include "libhalyard/graph/fold/folding.h"

#include <math.h>
#include <string.h>

/* ---- Broadcasting ---------------------------------------------------------------------------- */

/* An input, and by how many elements it advances with each dimension of the output. */
struct operand {
    const struct hy_graph_tensor *tensor;
    uint64_t steps[HY_GRAPH_MAX_RANK];
};

static bool set_operand(const struct hy_folding *folding, uint32_t index, struct operand *operand)
{
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    const struct hy_graph_tensor *from = hy_folding_input(folding, index);
    uint64_t step = 1;

    *operand = (struct operand){.tensor = from};
    if (from->element != HY_ELEMENT_FLOAT32 || from->rank > to->rank)
        return false;
    for (uint32_t i = 1; i <= from->rank; i++) {
        const int32_t extent = from->extents[from->rank - i];
        if (extent != 1 && extent != to->extents[to->rank - i])
            return false;
        operand->steps[to->rank - i] = extent == 1 ? 0 : step;
        step *= (uint64_t)extent;
    }
    return true;
}

static float load(const struct operand *operand, const int32_t *index, uint32_t rank)
{
    uint64_t at = 0;
    float value; /* of any alignment in the file */

    for (uint32_t i = 0; i < rank; i++)
        at += (uint64_t)index[i] * operand->steps[i];
    memcpy(&value, (const char *)operand->tensor->data + at * sizeof value, sizeof value);
    return value;
}

/* To the next element in the order of memory. */
static void advance(const struct hy_graph_tensor *tensor, int32_t *index)
{
    for (uint32_t i = tensor->rank; i-- > 0;) {
        if (++index[i] < tensor->extents[i])
            return;
        index[i] = 0;
    }
}

/* ---- Functions ------------------------------------------------------------------------------- */

typedef float function(float a, float b);

static float add(float a, float b)
{
    return a + b;
}

static float subtract(float a, float b)
{
    return a - b;
}

static float multiply(float a, float b)
{
    return a * b;
}

static float divide(float a, float b)
{
    return a / b;
}

static float greater_of(float a, float b)
{
    return a > b ? a : b;
}

static float lesser_of(float a, float b)
{
    return a < b ? a : b;
}

static float square(float a, float b)
{
    (void)b;
    return a * a;
}

static float negative(float a, float b)
{
    (void)b;
    return -a;
}

static float magnitude(float a, float b)
{
    (void)b;
    return fabsf(a);
}

static float root(float a, float b)
{
    (void)b;
    return sqrtf(a);
}

static const struct {
    function *compute;
    uint32_t inputs;
    bool has_activation;
} functions[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_ABS] = {magnitude, 1, false},     [HY_OPERATOR_ADD] = {add, 2, true},
    [HY_OPERATOR_DIV] = {divide, 2, true},         [HY_OPERATOR_MAXIMUM] = {greater_of, 2, false},
    [HY_OPERATOR_MINIMUM] = {lesser_of, 2, false}, [HY_OPERATOR_MUL] = {multiply, 2, true},
    [HY_OPERATOR_NEG] = {negative, 1, false},      [HY_OPERATOR_SQRT] = {root, 1, false},
    [HY_OPERATOR_SQUARE] = {square, 1, false},     [HY_OPERATOR_SUB] = {subtract, 2, true},
};

bool hy_fold_supports_float(enum hy_operator operator_)
{
    return functions[operator_].compute;
}

/* The bounds of an activation; false where the activation has none. */
static bool bounds_of(enum hy_activation activation, float *low, float *high)
{
    switch (activation) {
    case HY_ACTIVATION_NONE:
        *low = -INFINITY;
        *high = INFINITY;
        return true;
    case HY_ACTIVATION_RELU:
        *low = 0.0f;
        *high = INFINITY;
        return true;
    case HY_ACTIVATION_RELU1:
        *low = -1.0f;
        *high = 1.0f;
        return true;
    case HY_ACTIVATION_RELU6:
        *low = 0.0f;
        *high = 6.0f;
        return true;
    default:
        return false;
    }
}

/* The product of a column and a row needs more memory than both inputs: such a product stays in the
 * graph. */
static bool is_small(const struct hy_folding *folding, const struct operand *operands,
                     uint32_t inputs)
{
    for (uint32_t i = 0; i < inputs; i++) {
        if (folding->bytes <= operands[i].tensor->bytes)
            return true;
    }
    return false;
}

bool hy_fold_float(struct hy_folding *folding)
{
    const struct hy_graph_node *node = folding->node;
    const struct hy_graph_tensor *to = hy_folding_output(folding);
    function *compute = functions[node->operator_].compute;
    const uint32_t inputs = functions[node->operator_].inputs;
    struct operand operands[2] = {{0}};
    int32_t index[HY_GRAPH_MAX_RANK] = {0};
    float low = -INFINITY, high = INFINITY;

    if (!compute || to->element != HY_ELEMENT_FLOAT32 || node->input_count != inputs ||
        (functions[node->operator_].has_activation &&
         !bounds_of(node->attributes.binary.activation, &low, &high)))
        return false;
    for (uint32_t i = 0; i < inputs; i++) {
        if (!set_operand(folding, i, &operands[i]))
            return false;
    }
    if (!is_small(folding, operands, inputs))
        return false;
    float *made = hy_folding_make(folding);
    for (uint64_t i = 0; made && i < folding->elements; i++, advance(to, index)) {
        const float a = load(&operands[0], index, to->rank);
        const float b = inputs == 2 ? load(&operands[1], index, to->rank) : 0.0f;
        const float result = compute(a, b);
        if (!isfinite(result))
            return false;
        made[i] = fminf(fmaxf(result, low), high);
    }
    return made;
}
