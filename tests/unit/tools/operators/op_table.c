/* Tables and hashes. */
#include "tests/unit/tools/operators/op_builder.h"

enum { MOST = 8 };

/* Row numbers, ascending, each of which is new or not. */
static void ascend(struct hy_op_builder *op_builder, uint32_t count, int32_t least_step,
                   int32_t most_step, int32_t *numbers)
{
    int32_t number = hy_op_between(op_builder, 0, 2);

    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = number;
        number += hy_op_between(op_builder, least_step, most_step);
    }
}

void hy_op_hashtable_lookup(struct hy_op_builder *op_builder)
{
    struct hy_op_tensor table = hy_op_any(op_builder, 1, 4);
    struct hy_op_tensor lookups = hy_op_of(op_builder, HY_TFLITE_INT32, 1,
                                           (const int32_t[]){hy_op_between(op_builder, 1, MOST)});
    int32_t *keys = hy_op_memory(op_builder, (size_t)table.dims[0] * sizeof *keys);
    struct hy_op_tensor y = table, hits = lookups;

    ascend(op_builder, (uint32_t)table.dims[0], 1, 3, keys);
    lookups.high = 20;
    y.dims[0] = lookups.dims[0];
    hits.type = HY_TFLITE_UINT8;
    hy_op_input(op_builder, &lookups);
    hy_op_ints(op_builder, (uint32_t)table.dims[0], keys);
    hy_op_input(op_builder, &table);
    hy_op_output(op_builder, &y);
    hy_op_output(op_builder, &hits);
}

/* Elements of a sparse matrix, several of which may be in a row. */
void hy_op_embedding_lookup_sparse(struct hy_op_builder *op_builder)
{
    struct hy_op_tensor table = hy_op_any(op_builder, 2, 4);
    const int32_t count = hy_op_between(op_builder, 1, MOST);
    struct hy_op_tensor ids = hy_op_of(op_builder, HY_TFLITE_INT32, 1, &count);
    struct hy_op_tensor weights = hy_op_shaped(&table, 1, &count);
    int32_t rows[MOST] = {0};
    int32_t *indices = hy_op_memory(op_builder, 2 * sizeof *indices * (size_t)count);
    struct hy_op_tensor y = table;

    table.dims[0]++; /* two rows at least: the range of the ids is never empty */
    ascend(op_builder, (uint32_t)count, 0, 2, rows);
    y.dims[0] = rows[count - 1] + 1 + hy_op_between(op_builder, 0, 2);
    for (int32_t i = 0; i < count; i++) {
        indices[2 * i] = rows[i];
        indices[2 * i + 1] = i;
    }
    ids.high = (float)(table.dims[0] - 1);
    weights.low = 0.5f;
    weights.high = 2;
    hy_op_input(op_builder, &ids);
    hy_op_int_rows(op_builder, (uint32_t)count, 2, indices);
    hy_op_ints(op_builder, 2, (const int32_t[]){y.dims[0], count});
    hy_op_input(op_builder, &weights);
    hy_op_input(op_builder, &table);
    hy_op_output(op_builder, &y);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_EMBEDDING_LOOKUP_SPARSE);
    hy_op_option(op_builder, 0, 1, hy_op_pick(op_builder, 3));
}

void hy_op_lsh_projection(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor rows = hy_op_any(op_builder, 1, 4);
    const int32_t dims[] = {hy_op_between(op_builder, 1, 4), hy_op_between(op_builder, 1, 12)};
    const struct hy_op_tensor seeds = hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2, dims);
    const struct hy_op_tensor weights = hy_op_of(op_builder, HY_TFLITE_FLOAT32, 1, rows.dims);
    const bool is_dense = hy_op_pick(op_builder, 2) == 0;
    const int32_t count = is_dense ? dims[0] * dims[1] : dims[0];
    const struct hy_op_tensor y = hy_op_of(op_builder, HY_TFLITE_INT32, 1, &count);

    hy_op_constant(op_builder, &seeds);
    hy_op_input(op_builder, &rows);
    if (is_dense && hy_op_pick(op_builder, 2))
        hy_op_input(op_builder, &weights);
    hy_op_output(op_builder, &y);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_LSH_PROJECTION);
    hy_op_option(op_builder, 0, 1, is_dense ? HY_TFLITE_LSH_DENSE : HY_TFLITE_LSH_SPARSE);
}
