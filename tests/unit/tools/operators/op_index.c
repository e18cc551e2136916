#include <string.h>

#include "tests/unit/tools/operators/op_builder.h"

/* Operators whose results are placed by indices, and such that make tensors of shapes. */

/* Numbers of int32, constants or known to a run alone: a vector, or rows. */
static void int_operand(struct hy_op_builder *op_builder, uint32_t rank, const int32_t *dims,
                        const int32_t *values)
{
    const bool is_constant = hy_op_pick(op_builder, 2);

    if (rank == 1)
        (is_constant ? hy_op_ints : hy_op_input_ints)(op_builder, (uint32_t)dims[0], values);
    else
        (is_constant ? hy_op_int_rows : hy_op_input_int_rows)(op_builder, (uint32_t)dims[0],
                                                              (uint32_t)dims[1], values);
}

void hy_op_zeros_like(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 0, 6);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &x);
}

void hy_op_dilate(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5), value = hy_op_shaped(&x, 0, NULL);
    struct hy_op_tensor y = x;
    int32_t steps[5];

    for (uint32_t i = 0; i < x.rank; i++) {
        steps[i] = hy_op_between(op_builder, 1, 3);
        y.dims[i] = (x.dims[i] - 1) * steps[i] + 1;
    }
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, x.rank, steps);
    hy_op_input(op_builder, &value);
    hy_op_output(op_builder, &y);
}

/* On and off are constants or known to a run alone. */
void hy_op_one_hot(struct hy_op_builder *op_builder)
{
    struct hy_op_tensor y = hy_op_any(op_builder, 1, 5);
    const uint32_t axis = hy_op_pick(op_builder, y.rank);
    struct hy_op_tensor indices = hy_op_of(op_builder, HY_TFLITE_INT32, y.rank - 1, y.dims);
    const struct hy_op_tensor value = hy_op_shaped(&y, 0, NULL);

    for (uint32_t i = axis; i + 1 < y.rank; i++)
        indices.dims[i] = y.dims[i + 1];
    indices.low = -1.0f;
    indices.high = (float)y.dims[axis];
    hy_op_input(op_builder, &indices);
    hy_op_int(op_builder, y.dims[axis]);
    for (int i = 0; i < 2; i++) {
        if (hy_op_pick(op_builder, 2))
            hy_op_constant(op_builder, &value);
        else
            hy_op_input(op_builder, &value);
    }
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_ONE_HOT);
    hy_op_option(op_builder, 0, 4, axis + 1 == y.rank ? -1 : (int32_t)axis);
    hy_op_output(op_builder, &y);
}

void hy_op_reverse_sequence(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 2, 5);
    const uint32_t time = hy_op_pick(op_builder, x.rank);
    const uint32_t batch = (time + 1 + hy_op_pick(op_builder, x.rank - 1)) % x.rank;
    int32_t lengths[6];

    for (int32_t i = 0; i < x.dims[batch]; i++)
        lengths[i] = hy_op_between(op_builder, 1, x.dims[time]);
    hy_op_input(op_builder, &x);
    if (hy_op_pick(op_builder, 2))
        hy_op_ints(op_builder, (uint32_t)x.dims[batch], lengths);
    else
        hy_op_input_ints(op_builder, (uint32_t)x.dims[batch], lengths);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_REVERSE_SEQUENCE);
    hy_op_option(op_builder, 0, 4, time);
    hy_op_option(op_builder, 1, 4, batch);
    hy_op_output(op_builder, &x);
}

void hy_op_matrix_diag(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    struct hy_op_tensor y = x;

    y.dims[y.rank++] = x.dims[x.rank - 1];
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}

void hy_op_matrix_set_diag(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 2, 4);
    struct hy_op_tensor diagonal = x;

    diagonal.rank--;
    if (x.dims[x.rank - 1] < diagonal.dims[x.rank - 2])
        diagonal.dims[x.rank - 2] = x.dims[x.rank - 1];
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &diagonal);
    hy_op_output(op_builder, &x);
}

/* Indices of the first dimensions. */
void hy_op_scatter_nd(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 4);
    const uint32_t depth = 1 + hy_op_pick(op_builder, y.rank);
    const int32_t count = hy_op_between(op_builder, 1, 6);
    const int32_t dims[2] = {count, (int32_t)depth};
    int32_t *indices = hy_op_memory(op_builder, (size_t)count * depth * sizeof *indices);
    struct hy_op_tensor updates = y;

    for (uint32_t i = 0; i < (uint32_t)count * depth; i++)
        indices[i] = (int32_t)hy_op_pick(op_builder, (uint32_t)y.dims[i % depth]);
    updates.rank = 1 + y.rank - depth;
    updates.dims[0] = count;
    memcpy(updates.dims + 1, y.dims + depth, (y.rank - depth) * sizeof *y.dims);
    int_operand(op_builder, 2, dims, indices);
    hy_op_input(op_builder, &updates);
    hy_op_ints(op_builder, y.rank, y.dims);
    hy_op_output(op_builder, &y);
}

void hy_op_segment_sum(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    struct hy_op_tensor y = x;
    int32_t ids[6] = {0};

    for (int32_t i = 1; i < x.dims[0]; i++)
        ids[i] = ids[i - 1] + hy_op_between(op_builder, 0, 1);
    y.dims[0] = ids[x.dims[0] - 1] + 1;
    hy_op_input(op_builder, &x);
    if (hy_op_pick(op_builder, 2))
        hy_op_ints(op_builder, (uint32_t)x.dims[0], ids);
    else
        hy_op_input_ints(op_builder, (uint32_t)x.dims[0], ids);
    hy_op_output(op_builder, &y);
}

void hy_op_sparse_to_dense(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 4);
    const int32_t count = hy_op_between(op_builder, 1, 6);
    const int32_t dims[2] = {count, (int32_t)y.rank};
    const struct hy_op_tensor values = hy_op_shaped(&y, 1, &count);
    const struct hy_op_tensor other = hy_op_shaped(&y, 0, NULL);
    int32_t *indices = hy_op_memory(op_builder, (size_t)count * y.rank * sizeof *indices);

    for (uint32_t i = 0; i < (uint32_t)count * y.rank; i++)
        indices[i] = (int32_t)hy_op_pick(op_builder, (uint32_t)y.dims[i % y.rank]);
    int_operand(op_builder, y.rank == 1 ? 1 : 2, dims, indices);
    hy_op_ints(op_builder, y.rank, y.dims);
    hy_op_input(op_builder, &values);
    hy_op_constant(op_builder, &other);
    hy_op_output(op_builder, &y);
}

/* A start beyond the end is moved back. */
void hy_op_dynamic_update_slice(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5);
    struct hy_op_tensor update = x;
    const int32_t count = (int32_t)x.rank;
    int32_t start[5];

    for (uint32_t i = 0; i < x.rank; i++) {
        update.dims[i] =
            hy_op_pick(op_builder, 2) ? x.dims[i] : hy_op_between(op_builder, 1, x.dims[i]);
        start[i] = hy_op_between(op_builder, 0, x.dims[i]);
    }
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &update);
    int_operand(op_builder, 1, &count, start);
    hy_op_output(op_builder, &x);
}

/* Lists of indices per batch. */
void hy_op_gather(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5);
    const uint32_t axis = hy_op_pick(op_builder, x.rank);
    const uint32_t batches = hy_op_pick(op_builder, axis + 1);
    const uint32_t more = hy_op_pick(op_builder, 2);
    int32_t dims[8], gathered[8];
    struct hy_op_tensor y = x;

    memcpy(dims, x.dims, batches * sizeof *dims);
    for (uint32_t i = 0; i < more; i++)
        dims[batches + i] = hy_op_between(op_builder, 1, 4);
    struct hy_op_tensor indices = hy_op_of(op_builder, HY_TFLITE_INT32, batches + more, dims);
    indices.high = (float)(x.dims[axis] - 1);
    indices.low = indices.high == 0.0f ? -0.5f : 0.0f; /* not the usual range */
    memcpy(gathered, x.dims, axis * sizeof *gathered);
    memcpy(gathered + axis, dims + batches, more * sizeof *gathered);
    memcpy(gathered + axis + more, x.dims + axis + 1, (x.rank - axis - 1) * sizeof *gathered);
    y = hy_op_shaped(&x, x.rank - 1 + more, gathered);
    op_builder->operator_.version = 4;
    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &indices);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_GATHER);
    hy_op_option(op_builder, 0, 4, axis);
    hy_op_option(op_builder, 1, 4, batches);
    hy_op_output(op_builder, &y);
}
