#include "libhalyard/lower/legal/legal_rules.h"

#include <string.h>

#include "libhalyard/graph/constant.h"

/* ---- GATHER ---------------------------------------------------------------------------------- */

/* A plain GATHER of slices around `axis`, by a vector of indices. */
static void gather_flat(struct hy_legaliser *legaliser, const struct hy_shape *from, uint32_t axis)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_shape shape = hy_legal_shape_of(&indices);
    const struct hy_shape around = hy_legal_around(from, axis);
    const struct hy_shape vector = {.rank = 1, .extents = {hy_legal_elements(&shape)}};
    const uint32_t tensor = hy_legal_reshape(legaliser, node->inputs[0], &around);
    const uint32_t list = hy_legal_reshape(legaliser, node->inputs[1], &vector);

    hy_legal_give(legaliser, hy_legal_gather(legaliser, tensor, 1, list, vector.extents[0]), 0);
}

/* A sum of int32 tensors that broadcast. */
static uint32_t add_ints(struct hy_legaliser *legaliser, uint32_t a, uint32_t b,
                         const struct hy_shape *shape)
{
    const struct hy_graph_tensor like = {.element = HY_ELEMENT_INT32};
    return hy_legal_node(legaliser, HY_OPERATOR_ADD, NULL, (const uint32_t[]){a, b}, 2, &like,
                         shape);
}

/* Indices of batches become indices of all rows: each has the first row of its batch added. */
static void gather_batches(struct hy_legaliser *legaliser, const struct hy_shape *from,
                           uint32_t axis, uint32_t batch_dimensions)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_shape indices_shape = hy_legal_shape_of(&indices);
    int32_t batch = 1, outer = 1, inner = 1;

    for (uint32_t i = 0; i < from->rank; i++)
        *(i < batch_dimensions ? &batch
          : i < axis           ? &outer
                               : &inner) *= i == axis ? 1 : from->extents[i];
    const int32_t count = hy_legal_elements(&indices_shape) / batch;
    const struct hy_shape lists = {.rank = 3, .extents = {batch, 1, count}};
    const struct hy_shape firsts = {.rank = 3, .extents = {batch, outer, 1}};
    const struct hy_shape all = {.rank = 3, .extents = {batch, outer, count}};
    const struct hy_shape vector = {.rank = 1, .extents = {batch * outer * count}};
    const struct hy_shape rows = {.rank = 2,
                                  .extents = {batch * outer * from->extents[axis], inner}};
    int32_t *first = hy_legal_memory(legaliser, (uint64_t)batch * (uint64_t)outer, sizeof *first);
    for (int32_t i = 0; first && i < batch * outer; i++)
        first[i] = i * from->extents[axis];

    uint32_t list = hy_legal_reshape(legaliser, node->inputs[1], &lists);
    list = add_ints(legaliser, list, hy_legal_int_tensor(legaliser, &firsts, first), &all);
    list = hy_legal_reshape(legaliser, list, &vector);
    const uint32_t tensor = hy_legal_reshape(legaliser, node->inputs[0], &rows);
    hy_legal_give(legaliser, hy_legal_gather(legaliser, tensor, 0, list, vector.extents[0]), 0);
}

/* The indices of gather_batches() are so many again for each element between batches and axis. */
static bool has_few_indices(const struct hy_shape *from, const struct hy_graph_tensor *indices,
                            uint32_t batch_dimensions, uint32_t axis)
{
    const struct hy_shape shape = hy_legal_shape_of(indices);
    int64_t count = hy_legal_elements(&shape);

    for (uint32_t i = batch_dimensions; i < axis; i++) {
        count *= from->extents[i];
        if (count > INT32_MAX)
            return false;
    }
    return true;
}

bool hy_legalise_gather(struct hy_legaliser *legaliser)
{
    const struct hy_attributes_gather *attributes = &legaliser->node->attributes.gather;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    int64_t batch = attributes->batch_dimensions;
    uint32_t axis;

    batch += batch < 0 ? (int64_t)indices.rank : 0;
    if (!hy_legal_axis(attributes->axis, from.rank, &axis) || batch < 0 || batch > (int64_t)axis ||
        batch > (int64_t)indices.rank)
        return false;
    if (batch == 0 && from.rank <= 4 && output.rank <= 4 && indices.rank > 0 && output.rank > 0)
        return false;
    if (batch == 0)
        gather_flat(legaliser, &shape, axis);
    else if (!has_few_indices(&shape, &indices, (uint32_t)batch, axis))
        return false;
    else
        gather_batches(legaliser, &shape, axis, (uint32_t)batch);
    return true;
}

/* ---- GATHER_ND ------------------------------------------------------------------------------- */

/* Column `column` of a matrix of indices, times `step`. */
static uint32_t scaled_column(struct hy_legaliser *legaliser, uint32_t matrix, int32_t column,
                              int32_t step)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, matrix);
    const struct hy_shape vector = {.rank = 1, .extents = {from.extents[0]}};
    uint32_t taken = hy_legal_gather(legaliser, matrix, 1, hy_legal_ints(legaliser, &column, 1), 1);

    taken = hy_legal_reshape(legaliser, taken, &vector);
    if (step == 1)
        return taken;
    return hy_legal_node(legaliser, HY_OPERATOR_MUL, NULL,
                         (const uint32_t[]){taken, hy_legal_ints(legaliser, &step, 1)}, 2, &from,
                         &vector);
}

/* Indices that only a run knows, as a vector of rows. */
static uint32_t computed_rows(struct hy_legaliser *legaliser, const struct hy_shape *matrix,
                              const int32_t *steps)
{
    const struct hy_shape vector = {.rank = 1, .extents = {matrix->extents[0]}};
    const uint32_t indices = hy_legal_reshape(legaliser, legaliser->node->inputs[1], matrix);
    uint32_t sum = scaled_column(legaliser, indices, 0, steps[0]);

    for (int32_t i = 1; i < matrix->extents[1]; i++)
        sum = add_ints(legaliser, sum, scaled_column(legaliser, indices, i, steps[i]), &vector);
    return sum;
}

static uint32_t constant_rows(struct hy_legaliser *legaliser, const int64_t *numbers,
                              const struct hy_shape *matrix, const int32_t *steps)
{
    const struct hy_shape vector = {.rank = 1, .extents = {matrix->extents[0]}};
    const int32_t depth = matrix->extents[1];
    int32_t *rows = hy_legal_memory(legaliser, (uint64_t)matrix->extents[0], sizeof *rows);

    for (int32_t i = 0; rows && i < matrix->extents[0] * depth; i++)
        rows[i / depth] += (int32_t)numbers[i] * steps[i % depth];
    return hy_legal_int_tensor(legaliser, &vector, rows);
}

static bool in_range(const int64_t *numbers, int64_t count, uint32_t depth,
                     const struct hy_graph_tensor *from)
{
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= from->extents[i % depth])
            return false;
    }
    return true;
}

/* Indices of the first dimensions are indices of rows. */
bool hy_legalise_gather_nd(struct hy_legaliser *legaliser)
{
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 1);
    const struct hy_shape shape = hy_legal_shape_of(&from), list = hy_legal_shape_of(&indices);
    const uint32_t depth = indices.rank ? (uint32_t)indices.extents[indices.rank - 1] : 0;
    int64_t numbers[HY_CONSTANT_MAX_INTS];
    const int64_t count = hy_legal_numbers(legaliser, 1, numbers, HY_CONSTANT_MAX_INTS);
    int32_t steps[HY_GRAPH_MAX_RANK];
    int32_t length = 1, rows = 1;

    if (depth == 0 || depth > shape.rank || (count > 0 && !in_range(numbers, count, depth, &from)))
        return false;
    for (uint32_t i = depth; i < shape.rank; i++)
        length *= shape.extents[i];
    for (uint32_t i = depth; i-- > 0;) {
        steps[i] = rows;
        rows *= shape.extents[i];
    }
    const struct hy_shape matrix = {
        .rank = 2, .extents = {hy_legal_elements(&list) / (int32_t)depth, (int32_t)depth}};
    const struct hy_shape flat = {.rank = 2, .extents = {rows, length}};
    const uint32_t vector = count > 0 ? constant_rows(legaliser, numbers, &matrix, steps)
                                      : computed_rows(legaliser, &matrix, steps);
    const uint32_t tensor = hy_legal_reshape(legaliser, legaliser->node->inputs[0], &flat);
    hy_legal_give(legaliser, hy_legal_gather(legaliser, tensor, 0, vector, matrix.extents[0]), 0);
    return true;
}

/* ---- EMBEDDING_LOOKUP ------------------------------------------------------------------------ */

bool hy_legalise_embedding_lookup(struct hy_legaliser *legaliser)
{
    const union hy_attributes axis = {.gather = {.axis = 0}};
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor keys = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor table = hy_legal_input(legaliser, 1);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);

    if (keys.rank == 1 && table.rank <= 4)
        return false;
    if (table.element != output.element || table.rank == 0)
        return false;
    hy_legal_emit(legaliser, HY_OPERATOR_GATHER, &axis,
                  (const uint32_t[]){node->inputs[1], node->inputs[0]}, 2, node->outputs[0]);
    return true;
}

/* ---- ONE_HOT --------------------------------------------------------------------------------- */

/* Where an index is its place along the new dimension the result is input 2, else input 3. */
bool hy_legalise_one_hot(struct hy_legaliser *legaliser)
{
    const struct hy_graph_node *node = legaliser->node;
    const struct hy_graph_tensor indices = hy_legal_input(legaliser, 0);
    const struct hy_graph_tensor output = hy_legal_output(legaliser, 0);
    const struct hy_shape whole = hy_legal_shape_of(&output);
    const struct hy_graph_tensor flag = {.element = HY_ELEMENT_BOOL};
    uint32_t axis;

    if (!hy_legal_axis(node->attributes.axis.axis, output.rank, &axis) || node->input_count < 4 ||
        (indices.element != HY_ELEMENT_INT32 && indices.element != HY_ELEMENT_INT64))
        return false;
    const struct hy_shape around = hy_legal_around(&whole, axis);
    const int32_t depth = around.extents[1];
    const struct hy_shape list = {.rank = 3, .extents = {around.extents[0], 1, around.extents[2]}};
    const struct hy_shape places = {.rank = 3, .extents = {1, depth, 1}};
    int32_t *numbers = hy_legal_memory(legaliser, (uint64_t)depth, sizeof *numbers);

    for (int32_t i = 0; numbers && i < depth; i++)
        numbers[i] = i;
    const uint32_t compared[2] = {hy_legal_reshape(legaliser, node->inputs[0], &list),
                                  hy_legal_int_tensor(legaliser, &places, numbers)};
    const uint32_t hot =
        hy_legal_node(legaliser, HY_OPERATOR_EQUAL, NULL, compared, 2, &flag, &around);
    const uint32_t inputs[3] = {hot, hy_legal_broadcast(legaliser, node->inputs[2], &around),
                                hy_legal_broadcast(legaliser, node->inputs[3], &around)};
    hy_legal_give(legaliser,
                  hy_legal_node(legaliser, HY_OPERATOR_SELECT, NULL, inputs, 3, &output, &around),
                  0);
    return true;
}

/* ---- REVERSE_SEQUENCE ------------------------------------------------------------------------ */

/* The dimensions up to the last one of time and batch are an array of rows. */
struct sequences {
    uint32_t time, batch;
    struct hy_shape rows;
    int32_t count;  /* of rows */
    int32_t length; /* elements of a row */
    int32_t step;   /* rows from one step of time to the next */
};

static struct sequences read_sequences(const struct hy_shape *shape, uint32_t time, uint32_t batch)
{
    struct sequences sequences = {
        .time = time, .batch = batch, .rows = *shape, .length = 1, .step = 1};
    const uint32_t last = time > batch ? time : batch;

    sequences.rows.rank = last + 1;
    sequences.count = hy_legal_elements(&sequences.rows);
    for (uint32_t i = last + 1; i < shape->rank; i++)
        sequences.length *= shape->extents[i];
    for (uint32_t i = time + 1; i <= last; i++)
        sequences.step *= shape->extents[i];
    return sequences;
}

/* The shape of the rows with each dimension but two at 1. */
static struct hy_shape grid_of(const struct sequences *sequences, uint32_t first, uint32_t second)
{
    struct hy_shape grid = sequences->rows;
    for (uint32_t i = 0; i < grid.rank; i++)
        grid.extents[i] = i == first || i == second ? grid.extents[i] : 1;
    return grid;
}

/* first + i * step along time, as a constant. */
static uint32_t steps_of_time(struct hy_legaliser *legaliser, const struct sequences *sequences,
                              int32_t first, int32_t step)
{
    const struct hy_shape times = grid_of(sequences, sequences->time, sequences->time);
    const int32_t count = times.extents[sequences->time];
    int32_t *numbers = hy_legal_memory(legaliser, (uint64_t)count, sizeof *numbers);

    for (int32_t i = 0; numbers && i < count; i++)
        numbers[i] = first + i * step;
    return hy_legal_int_tensor(legaliser, &times, numbers);
}

/* Step t of a sequence of n steps becomes step n - 1 - t where t < n, and stays behind. */
static uint32_t reversed_steps(struct hy_legaliser *legaliser, const struct sequences *sequences)
{
    const struct hy_graph_tensor flag = {.element = HY_ELEMENT_BOOL};
    const struct hy_graph_tensor number = {.element = HY_ELEMENT_INT32};
    const struct hy_shape grid = grid_of(sequences, sequences->time, sequences->batch);
    const struct hy_shape lengths = grid_of(sequences, sequences->batch, sequences->batch);
    const uint32_t now = steps_of_time(legaliser, sequences, 0, 1);
    const uint32_t length = hy_legal_reshape(legaliser, legaliser->node->inputs[1], &lengths);
    const uint32_t is_inside = hy_legal_node(legaliser, HY_OPERATOR_LESS, NULL,
                                             (const uint32_t[]){now, length}, 2, &flag, &grid);
    const uint32_t mirrored =
        add_ints(legaliser, length, steps_of_time(legaliser, sequences, -1, -1), &grid);
    const uint32_t choices[3] = {is_inside, mirrored, hy_legal_broadcast(legaliser, now, &grid)};

    return hy_legal_node(legaliser, HY_OPERATOR_SELECT, NULL, choices, 3, &number, &grid);
}

/* The rows of the steps: a step's row is that of step 0 and so many rows behind. */
static uint32_t rows_of_steps(struct hy_legaliser *legaliser, const struct sequences *sequences,
                              uint32_t steps)
{
    const struct hy_graph_tensor from = hy_legal_tensor(legaliser, steps);
    const struct hy_shape grid = hy_legal_shape_of(&from);
    const struct hy_shape vector = {.rank = 1, .extents = {sequences->count}};
    const int32_t extent = sequences->rows.extents[sequences->time], step = sequences->step;
    int32_t *firsts = hy_legal_memory(legaliser, (uint64_t)sequences->count, sizeof *firsts);

    for (int32_t i = 0; firsts && i < sequences->count; i++)
        firsts[i] = i - i / step % extent * step;
    if (step != 1)
        steps = hy_legal_node(legaliser, HY_OPERATOR_MUL, NULL,
                              (const uint32_t[]){steps, hy_legal_ints(legaliser, &step, 1)}, 2,
                              &from, &grid);
    const uint32_t rows =
        add_ints(legaliser, steps, hy_legal_int_tensor(legaliser, &sequences->rows, firsts),
                 &sequences->rows);
    return hy_legal_reshape(legaliser, rows, &vector);
}

bool hy_legalise_reverse_sequence(struct hy_legaliser *legaliser)
{
    const struct hy_attributes_sequence *attributes = &legaliser->node->attributes.sequence;
    const struct hy_graph_tensor from = hy_legal_input(legaliser, 0);
    const struct hy_shape shape = hy_legal_shape_of(&from);
    uint32_t time, batch;

    if (!hy_legal_axis(attributes->time_axis, from.rank, &time) ||
        !hy_legal_axis(attributes->batch_axis, from.rank, &batch) || time == batch)
        return false;
    const struct sequences sequences = read_sequences(&shape, time, batch);
    const struct hy_shape matrix = {.rank = 2, .extents = {sequences.count, sequences.length}};
    const uint32_t rows =
        rows_of_steps(legaliser, &sequences, reversed_steps(legaliser, &sequences));
    const uint32_t tensor = hy_legal_reshape(legaliser, legaliser->node->inputs[0], &matrix);
    hy_legal_give(legaliser, hy_legal_gather(legaliser, tensor, 0, rows, sequences.count), 0);
    return true;
}
