#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>
#include <stdlib.h>

static enum hy_code read_tensors(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                 struct hy_tflite_subgraph *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, SUBGRAPH_TENSORS, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (vector.count > reader->tensors_left)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " more tensors exceed the limit tensors = %" PRIu32, vector.count,
                       reader->limits->tensors);
    reader->tensors_left -= vector.count;

    enum hy_code code;
    struct hy_tflite_tensor *tensors =
        hy_tflite_alloc(reader, vector.count, sizeof *tensors, &code);
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table from = hy_fb_table_at(&reader->fb, &vector, i);
        code = hy_tflite_read_tensor(reader, &from, &tensors[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "tensor %" PRIu32 " (%.64s)", i,
                            tensors[i].name ? tensors[i].name : "");
    }
    out->tensors = tensors;
    out->tensor_count = vector.count;
    return code;
}

static enum hy_code read_operators(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   struct hy_tflite_subgraph *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, SUBGRAPH_OPERATORS, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (vector.count > reader->operators_left)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " more operators exceed the limit operators = %" PRIu32,
                       vector.count, reader->limits->operators);
    reader->operators_left -= vector.count;

    enum hy_code code;
    struct hy_tflite_operator *operators =
        hy_tflite_alloc(reader, vector.count, sizeof *operators, &code);
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table from = hy_fb_table_at(&reader->fb, &vector, i);
        code = hy_tflite_read_operator(reader, &from, out->tensor_count, &operators[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "operator %" PRIu32, i);
    }
    out->operators = operators;
    out->operator_count = vector.count;
    return code;
}

/* Marks sources in `sourced`; fails for a tensor with an earlier source. */
static enum hy_code add_sources(struct hy_tflite_reader *reader,
                                const struct hy_tflite_ints *tensors, bool *sourced)
{
    for (uint32_t i = 0; i < tensors->count; i++) {
        const int32_t index = tensors->values[i];
        if (sourced[index])
            return hy_fail(reader->err, HY_BAD_DATA,
                           "tensor %" PRId32 " is written, but is a constant, an input of the "
                           "subgraph or the output of an earlier operator",
                           index);
        sourced[index] = true;
    }
    return HY_OK;
}

static enum hy_code check_one_source_each(struct hy_tflite_reader *reader,
                                          const struct hy_tflite_subgraph *subgraph)
{
    bool *sourced = calloc(subgraph->tensor_count ? subgraph->tensor_count : 1, sizeof *sourced);
    if (!sourced)
        return hy_fail(reader->err, HY_OUT_OF_MEMORY, "%" PRIu32 " flags", subgraph->tensor_count);

    for (uint32_t i = 0; i < subgraph->tensor_count; i++)
        sourced[i] = subgraph->tensors[i].data != NULL;
    enum hy_code code = add_sources(reader, &subgraph->inputs, sourced);
    if (code != HY_OK)
        hy_error_prefix(reader->err, code, "inputs");
    for (uint32_t i = 0; code == HY_OK && i < subgraph->operator_count; i++) {
        const struct hy_tflite_operator *writer = &subgraph->operators[i];
        code = add_sources(reader, &writer->outputs, sourced);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "operator %" PRIu32 ": %s", i,
                            hy_tflite_op_name(writer->code));
    }
    free(sourced);
    return code;
}

enum hy_code hy_tflite_read_subgraph(struct hy_tflite_reader *reader,
                                     const struct hy_fb_table *table,
                                     struct hy_tflite_subgraph *out)
{
    enum hy_code code = hy_tflite_copy_string(reader, table, SUBGRAPH_NAME, &out->name);
    if (code == HY_OK)
        code = read_tensors(reader, table, out);
    if (code == HY_OK)
        code = hy_tflite_copy_ints(reader, table, SUBGRAPH_INPUTS, &out->inputs);
    if (code == HY_OK)
        code = hy_tflite_check_indices(reader, "input", &out->inputs, out->tensor_count, false);
    if (code == HY_OK)
        code = hy_tflite_copy_ints(reader, table, SUBGRAPH_OUTPUTS, &out->outputs);
    if (code == HY_OK)
        code = hy_tflite_check_indices(reader, "output", &out->outputs, out->tensor_count, false);
    if (code == HY_OK)
        code = read_operators(reader, table, out);
    if (code == HY_OK)
        code = check_one_source_each(reader, out);
    return code;
}
