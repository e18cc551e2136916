/* Tables and hashes. */
#include "tests/tools/operators/op_draft.h"

enum { MOST = 8 };

/* Row numbers, ascending, each of which is new or not. */
static void ascend(struct hy_op_draft *draft, uint32_t count, int32_t least_step, int32_t most_step,
                   int32_t *numbers)
{
    int32_t number = hy_op_between(draft, 0, 2);

    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = number;
        number += hy_op_between(draft, least_step, most_step);
    }
}

void hy_op_hashtable_lookup(struct hy_op_draft *draft)
{
    struct hy_op_tensor table = hy_op_any(draft, 1, 4);
    struct hy_op_tensor lookups =
        hy_op_of(draft, HY_TFLITE_INT32, 1, (const int32_t[]){hy_op_between(draft, 1, MOST)});
    int32_t *keys = hy_op_memory(draft, (size_t)table.dims[0] * sizeof *keys);
    struct hy_op_tensor y = table, hits = lookups;

    ascend(draft, (uint32_t)table.dims[0], 1, 3, keys);
    lookups.high = 20;
    y.dims[0] = lookups.dims[0];
    hits.type = HY_TFLITE_UINT8;
    hy_op_input(draft, &lookups);
    hy_op_ints(draft, (uint32_t)table.dims[0], keys);
    hy_op_input(draft, &table);
    hy_op_output(draft, &y);
    hy_op_output(draft, &hits);
}

/* Elements of a sparse matrix, several of which may be in a row. */
void hy_op_embedding_lookup_sparse(struct hy_op_draft *draft)
{
    struct hy_op_tensor table = hy_op_any(draft, 2, 4);
    const int32_t count = hy_op_between(draft, 1, MOST);
    struct hy_op_tensor ids = hy_op_of(draft, HY_TFLITE_INT32, 1, &count);
    struct hy_op_tensor weights = hy_op_shaped(&table, 1, &count);
    int32_t rows[MOST], *indices = hy_op_memory(draft, 2 * sizeof *indices * (size_t)count);
    struct hy_op_tensor y = table;

    table.dims[0]++; /* two rows at least: the range of the ids is never empty */
    ascend(draft, (uint32_t)count, 0, 2, rows);
    y.dims[0] = rows[count - 1] + 1 + hy_op_between(draft, 0, 2);
    for (int32_t i = 0; i < count; i++) {
        indices[2 * i] = rows[i];
        indices[2 * i + 1] = i;
    }
    ids.high = (float)(table.dims[0] - 1);
    weights.low = 0.5f;
    weights.high = 2;
    hy_op_input(draft, &ids);
    hy_op_int_rows(draft, (uint32_t)count, 2, indices);
    hy_op_ints(draft, 2, (const int32_t[]){y.dims[0], count});
    hy_op_input(draft, &weights);
    hy_op_input(draft, &table);
    hy_op_output(draft, &y);
    hy_op_options(draft, HY_TFLITE_OPTIONS_EMBEDDING_LOOKUP_SPARSE);
    hy_op_option(draft, 0, 1, hy_op_pick(draft, 3));
}

void hy_op_lsh_projection(struct hy_op_draft *draft)
{
    const struct hy_op_tensor rows = hy_op_any(draft, 1, 4);
    const int32_t dims[] = {hy_op_between(draft, 1, 4), hy_op_between(draft, 1, 12)};
    const struct hy_op_tensor seeds = hy_op_of(draft, HY_TFLITE_FLOAT32, 2, dims);
    const struct hy_op_tensor weights = hy_op_of(draft, HY_TFLITE_FLOAT32, 1, rows.dims);
    const bool is_dense = hy_op_pick(draft, 2) == 0;
    const int32_t count = is_dense ? dims[0] * dims[1] : dims[0];
    const struct hy_op_tensor y = hy_op_of(draft, HY_TFLITE_INT32, 1, &count);

    hy_op_constant(draft, &seeds);
    hy_op_input(draft, &rows);
    if (is_dense && hy_op_pick(draft, 2))
        hy_op_input(draft, &weights);
    hy_op_output(draft, &y);
    hy_op_options(draft, HY_TFLITE_OPTIONS_LSH_PROJECTION);
    hy_op_option(draft, 0, 1, is_dense ? HY_TFLITE_LSH_DENSE : HY_TFLITE_LSH_SPARSE);
}
