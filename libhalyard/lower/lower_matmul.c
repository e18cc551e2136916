#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/*
 * BATCH_MATMUL of any ranks. NNAPI's matrices have at most two batch dimensions, and the second
 * operand alone may have one matrix for several of the first. Neighbouring dimensions that behave
 * alike are merged; where too many are left, or the first operand has fewer matrices, both operands
 * are repeated until all batch dimensions are one.
 */
struct batches {
    uint32_t count;
    int32_t a[HY_GRAPH_MAX_RANK], b[HY_GRAPH_MAX_RANK]; /* 1 where an operand is repeated */
};

struct factor {
    uint32_t operand;
    int32_t rows, columns; /* as they are stored */
    struct hy_graph_tensor like;
};

static int32_t extent_before(const struct hy_graph_tensor *tensor, uint32_t from_end)
{
    return from_end < tensor->rank ? tensor->extents[tensor->rank - 1 - from_end] : 1;
}

static bool behave_alike(const struct batches *batches, int32_t a, int32_t b)
{
    const uint32_t last = batches->count - 1;
    return (a == b) == (batches->a[last] == batches->b[last]) &&
           (a < b) == (batches->a[last] < batches->b[last]);
}

static struct batches merge_batches(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);
    const uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    struct batches batches = {0};

    for (uint32_t i = rank; i-- > 2;) {
        const int32_t x = extent_before(a, i), y = extent_before(b, i);
        hy_expect(lowering, x > 0 && y > 0 && (x == y || x == 1 || y == 1),
                  "batches that do not fit");
        if (x == 1 && y == 1)
            continue;
        if (batches.count > 0 && behave_alike(&batches, x, y)) {
            batches.a[batches.count - 1] *= x; /* no overflow: the elements are few */
            batches.b[batches.count - 1] *= y;
        } else {
            batches.a[batches.count] = x;
            batches.b[batches.count++] = y;
        }
    }
    return batches;
}

/* The matrices of one operand, with these batch dimensions. */
static struct hy_graph_tensor matrices(const struct factor *factor, uint32_t count,
                                       const int32_t *batches)
{
    struct hy_graph_tensor shaped = factor->like;
    shaped.rank = count + 2;
    for (uint32_t i = 0; i < count; i++)
        shaped.extents[i] = batches[i];
    shaped.extents[count] = factor->rows;
    shaped.extents[count + 1] = factor->columns;
    return shaped;
}

/* Each dimension that another operand has more of is repeated, and all become one. */
static void repeat(struct hy_lowering *lowering, struct factor *factor, uint32_t count,
                   const int32_t *own, const int32_t *other)
{
    struct hy_graph_tensor shape = factor->like;
    int32_t before = 1, after = factor->rows * factor->columns;

    for (uint32_t i = 0; i < count; i++)
        after *= own[i];
    shape.rank = 3;
    for (uint32_t i = 0; i < count; i++) {
        after /= own[i];
        if (own[i] < other[i]) {
            const int32_t times[] = {1, other[i], 1};
            shape.extents[0] = before;
            shape.extents[1] = 1;
            shape.extents[2] = after;
            const uint32_t once = hy_emit_reshape(lowering, factor->operand, &shape);
            shape.extents[1] = other[i];
            factor->operand = hy_temporary_operand(lowering, &shape);
            hy_push(lowering, once);
            hy_push_ints(lowering, times, 3);
            hy_emit_to(lowering, ANEURALNETWORKS_TILE, factor->operand);
        }
        before *= other[i] > own[i] ? other[i] : own[i];
    }
    shape = matrices(factor, 1, &before);
    factor->operand = hy_emit_reshape(lowering, factor->operand, &shape);
}

static bool fit_nnapi(const struct batches *batches)
{
    for (uint32_t i = 0; i < batches->count; i++) {
        if (batches->a[i] < batches->b[i])
            return false;
    }
    return batches->count <= 2;
}

/* An operand of real numbers beside one of 8 bits is a hybrid: the constant is dequantised. */
static struct factor factor_of(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const bool is_hybrid = hy_is_byte(tensor) && !hy_is_byte(hy_output(lowering, 0));

    hy_expect(lowering, tensor->rank >= 2, "a factor that is no matrix");
    if (lowering->code != HY_OK)
        return (struct factor){0};
    return (struct factor){.operand = is_hybrid ? hy_dequantised_operand(lowering, input)
                                                : hy_input_operand(lowering, input),
                           .rows = extent_before(tensor, 1),
                           .columns = extent_before(tensor, 0),
                           .like = is_hybrid ? hy_real_like(tensor) : *tensor};
}

static struct hy_graph_tensor product_shape(struct hy_lowering *lowering, uint32_t batch_count,
                                            const int32_t *batches)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const struct factor whole = {
        .rows = extent_before(output, 1), .columns = extent_before(output, 0), .like = *output};
    return matrices(&whole, batch_count, batches);
}

/* An extent of the second operand that only a run can tell is 1 or that of the first operand,
 * unless the first operand is the one that is repeated. */
static bool is_native_batch(int32_t a, int32_t b)
{
    return a == b || b == 1 || (b == HY_UNKNOWN_EXTENT && a > 1);
}

/* NNAPI takes such operands as they are, also where an extent is known only at run time. */
static bool is_native(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);

    for (uint32_t i = 0; a->rank == b->rank && i + 2 < a->rank; i++) {
        if (!is_native_batch(a->extents[i], b->extents[i]))
            return false;
    }
    return a->rank == b->rank && a->rank <= 4;
}

static void emit_product(struct hy_lowering *lowering, const struct factor *a,
                         const struct factor *b, uint32_t product)
{
    hy_push(lowering, a->operand);
    hy_push(lowering, b->operand);
    hy_push_bool(lowering, lowering->node->attributes.matmul.adjoint_a);
    hy_push_bool(lowering, lowering->node->attributes.matmul.adjoint_b);
    hy_emit_to(lowering, ANEURALNETWORKS_BATCH_MATMUL, product);
}

/* So that products of extents fit 32 bits. */
static void expect_few_elements(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *tensors[] = {hy_input(lowering, 0), hy_input(lowering, 1),
                                               hy_output(lowering, 0)};
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t elements = 0;
        hy_expect(lowering,
                  hy_graph_tensor_elements(tensors[i], &elements) && elements > 0 &&
                      elements <= INT32_MAX,
                  "batches that are empty, too large, or known only at run time");
    }
}

static void lower_reshaped(struct hy_lowering *lowering, struct factor *a, struct factor *b)
{
    struct batches batches;

    expect_few_elements(lowering);
    if (lowering->code == HY_OK)
        batches = merge_batches(lowering);
    if (lowering->code != HY_OK)
        return;
    if (fit_nnapi(&batches)) {
        const struct hy_graph_tensor a_shape = matrices(a, batches.count, batches.a);
        const struct hy_graph_tensor b_shape = matrices(b, batches.count, batches.b);
        a->operand = hy_emit_reshape(lowering, a->operand, &a_shape);
        b->operand = hy_emit_reshape(lowering, b->operand, &b_shape);
    } else {
        repeat(lowering, a, batches.count, batches.a, batches.b);
        repeat(lowering, b, batches.count, batches.b, batches.a);
        for (uint32_t i = 0; i < batches.count; i++)
            batches.a[i] = batches.a[i] > batches.b[i] ? batches.a[i] : batches.b[i];
        for (; batches.count > 1; batches.count--)
            batches.a[0] *= batches.a[batches.count - 1];
    }
    const struct hy_graph_tensor shape = product_shape(lowering, batches.count, batches.a);
    const uint32_t product = hy_temporary_operand(lowering, &shape);
    emit_product(lowering, a, b, product);
    hy_emit_output_reshape(lowering, product);
}

void hy_lower_batch_matmul(struct hy_lowering *lowering)
{
    struct factor a = factor_of(lowering, 0), b = factor_of(lowering, 1);

    if (is_native(lowering))
        emit_product(lowering, &a, &b, hy_output_operand(lowering, 0));
    else
        lower_reshaped(lowering, &a, &b);
}
