#include "libhalyard/graph/fold.h"

#include "common/half.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/strided_slice.h"

#include <string.h>

/* A node that may be folded: its output has `elements` elements and `bytes` bytes. */
struct folding {
    struct hy_graph *graph;
    const struct hy_graph_node *node;
    uint64_t elements, bytes;
    const void *data;  /* the contents of the output */
    enum hy_code code; /* of a failure that ends everything */
    struct hy_error *err;
};

/* Sets the contents; false where the node cannot be folded, or after a failure. */
typedef bool (*rule)(struct folding *folding);

static const struct hy_graph_tensor no_tensor = {.name = "", .element = HY_ELEMENT_VARIANT};

static const struct hy_graph_tensor *input(const struct folding *folding, uint32_t index)
{
    const uint32_t tensor = hy_graph_node_input(folding->node, index);
    return tensor == HY_NO_TENSOR ? &no_tensor : &folding->graph->tensors[tensor];
}

static const struct hy_graph_tensor *output(const struct folding *folding)
{
    return &folding->graph->tensors[folding->node->outputs[0]];
}

/* Memory for the contents; NULL after a failure. */
static void *make(struct folding *folding)
{
    void *made = hy_arena_alloc(&folding->graph->arena, (size_t)folding->bytes);
    if (!made)
        folding->code = hy_fail(folding->err, HY_OUT_OF_MEMORY, "constant of %llu bytes",
                                (unsigned long long)folding->bytes);
    folding->data = made;
    return made;
}

/* ---- Types and shapes ------------------------------------------------------------------------ */

/* float16 weights: every value of theirs is a float32. */
static bool widen_halves(struct folding *folding)
{
    const struct hy_graph_tensor *from = input(folding, 0);

    if (from->element != HY_ELEMENT_FLOAT16 || output(folding)->element != HY_ELEMENT_FLOAT32 ||
        from->bytes != folding->elements * sizeof(uint16_t))
        return false;
    float *to = make(folding);
    if (!to)
        return false;
    for (uint64_t i = 0; i < folding->elements; i++) {
        uint16_t half; /* of any alignment in the file */
        memcpy(&half, (const char *)from->data + i * sizeof half, sizeof half);
        to[i] = hy_half_to_float(half);
    }
    return true;
}

/* The same bytes in another shape. */
static bool keep_bytes(struct folding *folding)
{
    const struct hy_graph_tensor *from = input(folding, 0);
    folding->data = from->data;
    return from->element == output(folding)->element && from->bytes == folding->bytes;
}

/* A sparse constant has one element in so many at least, so that memory is bounded by the file. */
enum { MOST_SPARSE = 1024 };

/* What a sparse form stores, with zeros around it. */
static bool densify(struct folding *folding)
{
    const struct hy_graph_tensor *from = input(folding, 0);
    const struct hy_graph_tensor *to = output(folding);
    const size_t size = hy_element_bits(from->element) / 8;

    if (!from->sparsity)
        return keep_bytes(folding);
    if (from->element != to->element || size == 0 || from->bytes % size != 0)
        return false;
    if (folding->bytes / MOST_SPARSE > from->bytes) {
        folding->code = hy_fail(folding->err, HY_BAD_DATA,
                                "%llu bytes are stored of a constant of %llu, at least one in %d "
                                "is needed",
                                (unsigned long long)from->bytes, (unsigned long long)folding->bytes,
                                MOST_SPARSE);
        return false;
    }
    void *dense = make(folding);
    if (!dense)
        return false;
    memset(dense, 0, (size_t)folding->bytes);
    return hy_sparsity_expand(from->sparsity, to->rank, to->extents, from->data, from->bytes / size,
                              size, dense);
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* Numbers of an input, few enough to be those of shapes and indices. */
struct numbers {
    int64_t count; /* -1: none */
    int64_t at[HY_CONSTANT_MAX_INTS];
};

static bool read_numbers(const struct folding *folding, uint32_t index, struct numbers *numbers)
{
    numbers->count = hy_constant_ints(input(folding, index), numbers->at, HY_CONSTANT_MAX_INTS);
    return numbers->count >= 0;
}

static bool store(struct folding *folding, const int64_t *numbers, uint64_t count)
{
    if (count != folding->elements)
        return false;
    void *to = make(folding);
    return to && hy_constant_store(output(folding)->element, numbers, count, to);
}

static bool convert_integers(struct folding *folding)
{
    struct numbers numbers;
    if (widen_halves(folding))
        return true;
    return read_numbers(folding, 0, &numbers) &&
           store(folding, numbers.at, (uint64_t)numbers.count);
}

/* The extents of the input, which need not be a constant. */
static bool shape(struct folding *folding)
{
    const struct hy_graph_tensor *of = input(folding, 0);
    int64_t extents[HY_GRAPH_MAX_RANK];

    for (uint32_t i = 0; i < of->rank; i++) {
        extents[i] = of->extents[i];
        if (extents[i] < 0)
            return false;
    }
    return store(folding, extents, of->rank);
}

/* Elementwise on two inputs of one shape, or one of which has one element. False where the result
 * is not defined. */
typedef bool (*binary)(int64_t a, int64_t b, int64_t *result);

static bool fold_binary(struct folding *folding, binary compute)
{
    struct numbers a, b;
    int64_t results[HY_CONSTANT_MAX_INTS];

    if (!read_numbers(folding, 0, &a) || !read_numbers(folding, 1, &b))
        return false;
    const int64_t count = a.count > b.count ? a.count : b.count;
    if ((a.count != count && a.count != 1) || (b.count != count && b.count != 1))
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (!compute(a.at[a.count == 1 ? 0 : i], b.at[b.count == 1 ? 0 : i], &results[i]))
            return false;
    }
    return store(folding, results, (uint64_t)count);
}

static bool add_numbers(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static bool subtract_numbers(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_sub_overflow(a, b, result);
}

static bool multiply_numbers(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* Towards zero. */
static bool divide_numbers(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *result = a / b;
    return true;
}

static bool greater_number(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return true;
}

static bool lesser_number(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return true;
}

/* A fused activation is not for integers. */
static bool is_plain(const struct folding *folding)
{
    return folding->node->attributes.binary.activation == HY_ACTIVATION_NONE;
}

static bool add(struct folding *folding)
{
    return is_plain(folding) && fold_binary(folding, add_numbers);
}

static bool sub(struct folding *folding)
{
    return is_plain(folding) && fold_binary(folding, subtract_numbers);
}

static bool mul(struct folding *folding)
{
    return is_plain(folding) && fold_binary(folding, multiply_numbers);
}

static bool div_(struct folding *folding)
{
    return is_plain(folding) && fold_binary(folding, divide_numbers);
}

static bool maximum(struct folding *folding)
{
    return fold_binary(folding, greater_number);
}

static bool minimum(struct folding *folding)
{
    return fold_binary(folding, lesser_number);
}

/* Scalars and vectors one after the other. */
static bool join(struct folding *folding)
{
    int64_t joined[HY_CONSTANT_MAX_INTS];
    int64_t count = 0;

    for (uint32_t i = 0; i < folding->node->input_count; i++) {
        const struct hy_graph_tensor *part = input(folding, i);
        const int64_t read =
            part->rank > 1
                ? -1
                : hy_constant_ints(part, joined + count, (uint32_t)(HY_CONSTANT_MAX_INTS - count));
        if (read < 0)
            return false;
        count += read;
    }
    return store(folding, joined, (uint64_t)count);
}

/* Elements of a vector. */
static bool gather(struct folding *folding)
{
    struct numbers from, indices;
    int64_t taken[HY_CONSTANT_MAX_INTS];

    if (input(folding, 0)->rank != 1 || !read_numbers(folding, 0, &from) ||
        !read_numbers(folding, 1, &indices))
        return false;
    for (int64_t i = 0; i < indices.count; i++) {
        if (indices.at[i] < 0 || indices.at[i] >= from.count)
            return false;
        taken[i] = from.at[indices.at[i]];
    }
    return store(folding, taken, (uint64_t)indices.count);
}

static bool strided_slice(struct folding *folding)
{
    struct hy_strided_slice slice;
    struct numbers from;
    int64_t taken[HY_CONSTANT_MAX_INTS];

    if (!read_numbers(folding, 0, &from) ||
        !hy_strided_slice_resolve(folding->graph, folding->node, &slice) || slice.rank != 1)
        return false;
    for (int32_t i = 0; i < slice.count[0]; i++)
        taken[i] = from.at[slice.begin[0] + (int64_t)i * slice.stride[0]];
    return store(folding, taken, (uint64_t)slice.count[0]);
}

/* A vector without its first numbers. */
static bool slice(struct folding *folding)
{
    struct numbers from;
    int64_t begin, size;

    if (!read_numbers(folding, 0, &from) || input(folding, 0)->rank != 1 ||
        !hy_constant_int(input(folding, 1), &begin) || !hy_constant_int(input(folding, 2), &size))
        return false;
    size = size < 0 ? from.count - begin : size;
    if (begin < 0 || size < 0 || begin > from.count || size > from.count - begin)
        return false;
    return store(folding, from.at + begin, (uint64_t)size);
}

static bool reduce(struct folding *folding, binary combine, int64_t first)
{
    struct numbers from;
    if (!read_numbers(folding, 0, &from) || folding->elements != 1)
        return false;
    for (int64_t i = 0; i < from.count; i++) {
        if (!combine(first, from.at[i], &first))
            return false;
    }
    return store(folding, &first, 1);
}

static bool sum(struct folding *folding)
{
    return reduce(folding, add_numbers, 0);
}

static bool product(struct folding *folding)
{
    return reduce(folding, multiply_numbers, 1);
}

static bool range(struct folding *folding)
{
    int64_t start, step;
    int64_t made[HY_CONSTANT_MAX_INTS];

    if (!hy_constant_int(input(folding, 0), &start) || !hy_constant_int(input(folding, 2), &step) ||
        folding->elements > HY_CONSTANT_MAX_INTS)
        return false;
    for (uint64_t i = 0; i < folding->elements; i++, start += step)
        made[i] = start;
    return store(folding, made, folding->elements);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const rule rules[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_ADD] = add,
    [HY_OPERATOR_CAST] = convert_integers,
    [HY_OPERATOR_CONCATENATION] = join,
    [HY_OPERATOR_DENSIFY] = densify,
    [HY_OPERATOR_DEQUANTIZE] = widen_halves,
    [HY_OPERATOR_DIV] = div_,
    [HY_OPERATOR_EXPAND_DIMS] = keep_bytes,
    [HY_OPERATOR_GATHER] = gather,
    [HY_OPERATOR_MAXIMUM] = maximum,
    [HY_OPERATOR_MINIMUM] = minimum,
    [HY_OPERATOR_MUL] = mul,
    [HY_OPERATOR_PACK] = join,
    [HY_OPERATOR_RANGE] = range,
    [HY_OPERATOR_REDUCE_PROD] = product,
    [HY_OPERATOR_RESHAPE] = keep_bytes,
    [HY_OPERATOR_SHAPE] = shape,
    [HY_OPERATOR_SLICE] = slice,
    [HY_OPERATOR_SQUEEZE] = keep_bytes,
    [HY_OPERATOR_STRIDED_SLICE] = strided_slice,
    [HY_OPERATOR_SUB] = sub,
    [HY_OPERATOR_SUM] = sum,
};

static bool has_constants_alone(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t tensor = node->inputs[i];
        if (tensor != HY_NO_TENSOR &&
            (!graph->tensors[tensor].data ||
             (graph->tensors[tensor].sparsity && node->operator_ != HY_OPERATOR_DENSIFY)))
            return false;
    }
    return true;
}

static bool may_fold(const struct hy_graph *graph, const struct hy_graph_node *node)
{
    if (!rules[node->operator_] || node->output_count != 1 || node->input_count == 0)
        return false;
    return node->operator_ == HY_OPERATOR_SHAPE || has_constants_alone(graph, node);
}

/* Outputs without elements are constants, whatever the node computes. */
static bool fold_empty(struct hy_graph *graph, const struct hy_graph_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!hy_graph_tensor_is_empty(&graph->tensors[node->outputs[i]]))
            return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        graph->tensors[node->outputs[i]].data = "";
    return node->output_count > 0;
}

enum hy_code hy_graph_fold(struct hy_graph *graph, const struct hy_graph_node *node,
                           bool *ret_folded, struct hy_error *err)
{
    struct folding folding = {.graph = graph, .node = node, .code = HY_OK, .err = err};

    *ret_folded = fold_empty(graph, node);
    if (*ret_folded || !may_fold(graph, node))
        return HY_OK;
    struct hy_graph_tensor *made = &graph->tensors[node->outputs[0]];
    if (!hy_graph_tensor_elements(made, &folding.elements) ||
        !hy_element_bytes(made->element, made->rank, made->extents, &folding.bytes))
        return HY_OK;
    *ret_folded = rules[node->operator_](&folding);
    if (folding.code != HY_OK)
        return hy_error_prefix(err, folding.code, "operator %u %s", node->origin, node->title);
    if (*ret_folded) {
        made->data = folding.data;
        made->bytes = folding.bytes;
    }
    return HY_OK;
}
