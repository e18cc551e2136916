#include "libhalyard/lower/legal/legal_rules.h"

#include <string.h>

#include "libhalyard/graph/constant.h"

/* Sums of rows. */

/* The rows of two tensors, one behind the other. */
static uint32_t join_rows(struct hy_legaliser *legaliser, uint32_t a, uint32_t b, int32_t length)
{
    const union hy_attributes axis = {.axis = {.axis = 0}};
    if (legaliser->code != HY_OK)
        return 0;
    const struct hy_graph_tensor first = hy_legal_tensor(legaliser, a);
    const struct hy_graph_tensor second = hy_legal_tensor(legaliser, b);
    const struct hy_shape shapes[2] = {hy_legal_shape_of(&first), hy_legal_shape_of(&second)};
    const int32_t counts[2] = {hy_legal_elements(&shapes[0]) / length,
                               hy_legal_elements(&shapes[1]) / length};
    uint32_t parts[2] = {a, b};

    if (counts[0] > INT32_MAX - counts[1]) {
        legaliser->code = hy_fail(legaliser->err, HY_BAD_DATA, "%d and %d rows are too many",
                                  counts[0], counts[1]);
        return 0;
    }
    const struct hy_shape joined = {.rank = 2, .extents = {counts[0] + counts[1], length}};

    for (int i = 0; i < 2; i++)
        parts[i] = hy_legal_reshape(legaliser, parts[i],
                                    &(struct hy_shape){.rank = 2, .extents = {counts[i], length}});
    return hy_legal_node(legaliser, HY_OPERATOR_CONCATENATION, &axis, parts, 2, &first, &joined);
}

/* A row of zeros as they are stored. */
static uint32_t zero_row(struct hy_legaliser *legaliser, const struct hy_graph_tensor *like,
                         int32_t length)
{
    static const char zero[sizeof(int64_t)];
    const struct hy_shape row = {.rank = 1, .extents = {length}};
    return hy_legal_filled(legaliser, like, &row, zero);
}

/* An update without elements changes nothing. */
bool hy_legalise_dynamic_update_slice(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor update = hy_legal_input(legaliser, 1);

    if (!hy_graph_tensor_is_empty(&update))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, legaliser->node->inputs[0], 0);
    return true;
}

/* ---- Sums of rows ---------------------------------------------------------------------------- */

/* Rows that a sum has at most, and targets that a list has: each term is an operation. */
enum { MAX_TERMS = 64 };

/* How many rows go to the same target at most. */
static int32_t most_terms(struct hy_legaliser *legaliser, const int32_t *targets, int32_t count,
                          int32_t target_count)
{
    int32_t *terms = hy_legal_memory(legaliser, (uint64_t)target_count, sizeof *terms);
    int32_t most = 0;

    for (int32_t i = 0; terms && i < count; i++) {
        terms[targets[i]]++;
        most = terms[targets[i]] > most ? terms[targets[i]] : most;
    }
    return most;
}

/* For each target the row that is its term number `term`; the row of zeros behind the others where
 * there is none. */
static uint32_t rows_of_term(struct hy_legaliser *legaliser, uint32_t all, int32_t length,
                             const int32_t *targets, int32_t count, int32_t target_count,
                             int32_t term)
{
    int32_t *rows = hy_legal_memory(legaliser, (uint64_t)target_count, sizeof *rows);
    int32_t *terms = hy_legal_memory(legaliser, (uint64_t)target_count, sizeof *terms);

    for (int32_t i = 0; rows && i < target_count; i++)
        rows[i] = count;
    for (int32_t i = 0; rows && terms && i < count; i++) {
        if (terms[targets[i]]++ == term)
            rows[targets[i]] = i;
    }
    return hy_legal_rows(legaliser, all, length, rows, target_count);
}

/* Row i of `source` is added to row targets[i] of the output; false where the rows are too many. */
static bool sum_rows(struct hy_legaliser *legaliser, uint32_t source, int32_t length,
                     const int32_t *targets, int32_t count, int32_t target_count)
{
    const struct hy_graph_tensor like = hy_legal_tensor(legaliser, source);
    const struct hy_shape matrix = {.rank = 2, .extents = {target_count, length}};
    const int32_t most = most_terms(legaliser, targets, count, target_count);

    if (most > MAX_TERMS || (most > 1 && hy_element_bits(like.element) == 8))
        return false;
    const uint32_t all = join_rows(legaliser, source, zero_row(legaliser, &like, length), length);
    uint32_t sum = rows_of_term(legaliser, all, length, targets, count, target_count, 0);
    for (int32_t i = 1; i < most; i++) {
        const uint32_t terms[2] = {
            sum, rows_of_term(legaliser, all, length, targets, count, target_count, i)};
        sum = hy_legal_node(legaliser, HY_OPERATOR_ADD, NULL, terms, 2, &like, &matrix);
    }
    hy_legal_give(legaliser, sum, 0);
    return true;
}

/* Rows of `depth` indices each, as indices of the first dimensions of the output; NULL where an
 * index is out of range. */
static int32_t *read_targets(struct hy_legaliser *legaliser, uint32_t input, int32_t depth,
                             int32_t *ret_count)
{
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    int64_t numbers[HY_CONSTANT_MAX_INTS];
    const int64_t count = hy_legal_numbers(legaliser, input, numbers, HY_CONSTANT_MAX_INTS);

    if (depth < 1 || depth > (int32_t)output.rank || count < 1 || count % depth != 0)
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= output.extents[i % depth])
            return NULL;
    }
    int32_t *targets = hy_legal_memory(legaliser, (uint64_t)(count / depth), sizeof *targets);
    for (int64_t i = 0; targets && i < count; i++)
        targets[i / depth] = targets[i / depth] * output.extents[i % depth] + (int32_t)numbers[i];
    *ret_count = (int32_t)(count / depth);
    return targets;
}

/* Elements of a row of the output behind `depth` dimensions. */
static int32_t row_length(const struct hy_graph_tensor *output, uint32_t depth)
{
    int32_t length = 1;
    for (uint32_t i = depth; i < output->rank; i++)
        length *= output->extents[i];
    return length;
}

bool hy_legalise_scatter_nd(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape whole = hy_legal_shape_of(&output);

    if (!hy_graph_tensor_is_empty(&indices))
        return hy_legalise_any_rank(legaliser);
    hy_legal_give(legaliser, zero_row(legaliser, &output, hy_legal_elements(&whole)), 0);
    return true;
}

bool hy_legalise_segment_sum(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    int32_t count = 0;
    const int32_t *targets = read_targets(legaliser, 1, 1, &count);

    if (!targets || hy_legal_input(legaliser, 0).extents[0] != count)
        return false;
    return sum_rows(legaliser, legaliser->node->inputs[0], row_length(&output, 1), targets, count,
                    output.extents[0]);
}
