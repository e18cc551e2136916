#include <inttypes.h>

#include "libhalyard/tflite/tflite_reader.h"

static enum hy_code read_named_tensor(struct hy_tflite_reader *reader,
                                      const struct hy_fb_table *table,
                                      const struct hy_tflite_subgraph *subgraph,
                                      struct hy_tflite_named_tensor *out)
{
    out->tensor = hy_fb_u32(&reader->fb, table, TENSOR_MAP_TENSOR, 0);
    const enum hy_code code = hy_tflite_copy_string(reader, table, TENSOR_MAP_NAME, &out->name);
    if (code != HY_OK)
        return code;
    if (out->tensor >= subgraph->tensor_count)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%.64s is tensor %" PRIu32 ", the subgraph has %" PRIu32, out->name,
                       out->tensor, subgraph->tensor_count);
    return HY_OK;
}

/* Inputs or outputs, by what the list is called. */
static enum hy_code read_named_tensors(struct hy_tflite_reader *reader,
                                       const struct hy_fb_table *table, unsigned slot,
                                       const char *what, const struct hy_tflite_subgraph *subgraph,
                                       uint32_t *ret_count,
                                       const struct hy_tflite_named_tensor **ret_tensors)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, slot, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;

    enum hy_code code;
    struct hy_tflite_named_tensor *tensors =
        hy_tflite_alloc(reader, vector.count, sizeof *tensors, &code);
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table from = hy_fb_table_at(&reader->fb, &vector, i);
        code = read_named_tensor(reader, &from, subgraph, &tensors[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "%s %" PRIu32, what, i);
    }
    *ret_count = vector.count;
    *ret_tensors = tensors;
    return code;
}

static enum hy_code read_signature(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   const struct hy_tflite_model *model,
                                   struct hy_tflite_signature *out)
{
    out->subgraph = hy_fb_u32(&reader->fb, table, SIGNATURE_SUBGRAPH, 0);
    enum hy_code code = hy_tflite_copy_string(reader, table, SIGNATURE_KEY, &out->key);
    if (code == HY_OK && out->subgraph >= model->subgraph_count)
        code = hy_fail(reader->err, HY_BAD_DATA,
                       "subgraph %" PRIu32 " does not exist, the model has %" PRIu32, out->subgraph,
                       model->subgraph_count);
    if (code != HY_OK)
        return code;
    const struct hy_tflite_subgraph *subgraph = &model->subgraphs[out->subgraph];
    code = read_named_tensors(reader, table, SIGNATURE_INPUTS, "input", subgraph, &out->input_count,
                              &out->inputs);
    if (code == HY_OK)
        code = read_named_tensors(reader, table, SIGNATURE_OUTPUTS, "output", subgraph,
                                  &out->output_count, &out->outputs);
    return code;
}

enum hy_code hy_tflite_read_signatures(struct hy_tflite_reader *reader,
                                       const struct hy_fb_table *root, struct hy_tflite_model *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, root, MODEL_SIGNATURES, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (vector.count > reader->limits->subgraphs)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " signatures exceed the limit subgraphs = %" PRIu32, vector.count,
                       reader->limits->subgraphs);

    const uint32_t count = vector.count > 0 ? vector.count : 1;
    enum hy_code code;
    struct hy_tflite_signature *signatures =
        hy_tflite_alloc(reader, count, sizeof *signatures, &code);
    if (!signatures)
        return code;
    signatures[0].key = "";
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table table = hy_fb_table_at(&reader->fb, &vector, i);
        code = read_signature(reader, &table, out, &signatures[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "signature %" PRIu32 " (%.64s)", i,
                            signatures[i].key ? signatures[i].key : "");
    }
    out->signatures = signatures;
    out->signature_count = count;
    return code;
}

const char *hy_tflite_signature_name(const struct hy_tflite_named_tensor *tensors, uint32_t count,
                                     uint32_t tensor)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i].tensor == tensor)
            return tensors[i].name;
    }
    return NULL;
}
