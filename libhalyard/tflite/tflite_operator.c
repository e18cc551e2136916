#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>

enum hy_code hy_tflite_check_indices(struct hy_tflite_reader *reader, const char *what,
                                     const struct hy_tflite_ints *indices, uint32_t count,
                                     bool optional)
{
    for (uint32_t i = 0; i < indices->count; i++) {
        const int32_t index = indices->values[i];
        if (index == -1 && optional)
            continue;
        if (index < 0 || (uint32_t)index >= count)
            return hy_fail(reader->err, HY_BAD_DATA,
                           "%s %" PRIu32 " is tensor %" PRId32 ", the subgraph has %" PRIu32, what,
                           i, index, count);
    }
    return HY_OK;
}

static enum hy_code read_code(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                              struct hy_tflite_operator_code *out)
{
    struct hy_fb *fb = &reader->fb;

    /* Once a byte, now an int32. Old files have the byte only; new ones have both, and in the byte
     * a placeholder where the number does not fit: so the greater is the operator. */
    const int32_t old = (int32_t)(int8_t)hy_fb_u8(fb, table, CODE_DEPRECATED_BUILTIN, 0);
    const int32_t new = hy_fb_i32(fb, table, CODE_BUILTIN, 0);
    const int32_t op = old > new ? old : new;
    if (fb->code != HY_OK)
        return fb->code;
    if (op < 0 || op >= HY_TFLITE_OP_COUNT)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "operator %" PRId32 " is unknown, needs 0 to %d: the file is of a newer "
                       "schema, which a newer Halyard may read",
                       op, HY_TFLITE_OP_COUNT - 1);

    out->op = (enum hy_tflite_op)op;
    out->version = hy_fb_u32(fb, table, CODE_VERSION, 1);
    if (out->op != HY_TFLITE_OP_CUSTOM)
        return fb->code;
    return hy_tflite_copy_string(reader, table, CODE_CUSTOM, &out->custom_name);
}

enum hy_code hy_tflite_read_operator_codes(struct hy_tflite_reader *reader,
                                           const struct hy_fb_table *model)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, model, MODEL_OPERATOR_CODES, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (vector.count > reader->limits->operator_codes)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " operator codes exceed the limit operator_codes = %" PRIu32,
                       vector.count, reader->limits->operator_codes);

    enum hy_code code;
    struct hy_tflite_operator_code *codes =
        hy_tflite_alloc(reader, vector.count, sizeof *codes, &code);
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table table = hy_fb_table_at(&reader->fb, &vector, i);
        code = read_code(reader, &table, &codes[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "operator code %" PRIu32, i);
    }
    reader->operator_codes = codes;
    reader->operator_code_count = vector.count;
    return code;
}

static enum hy_code read_operands(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                  uint32_t tensor_count, struct hy_tflite_operator *out)
{
    enum hy_code code = hy_tflite_copy_ints(reader, table, OPERATOR_INPUTS, &out->inputs);
    if (code == HY_OK)
        code = hy_tflite_check_indices(reader, "input", &out->inputs, tensor_count, true);
    if (code == HY_OK)
        code = hy_tflite_copy_ints(reader, table, OPERATOR_OUTPUTS, &out->outputs);
    if (code == HY_OK)
        code = hy_tflite_check_indices(reader, "output", &out->outputs, tensor_count, false);
    if (code == HY_OK)
        code = hy_tflite_copy_ints(reader, table, OPERATOR_INTERMEDIATES, &out->intermediates);
    if (code == HY_OK)
        code = hy_tflite_check_indices(reader, "intermediate", &out->intermediates, tensor_count,
                                       true);
    return code;
}

/* Options are in the FlatBuffer, or after it if they are large. */
static enum hy_code read_custom_options(struct hy_tflite_reader *reader,
                                        const struct hy_fb_table *table,
                                        struct hy_tflite_operator *out)
{
    struct hy_fb *fb = &reader->fb;
    const struct hy_fb_vector bytes = hy_fb_vector(fb, table, OPERATOR_CUSTOM_OPTIONS, 1);
    const uint64_t offset = hy_fb_u64(fb, table, OPERATOR_FAR_OPTIONS_OFFSET, 0);
    const uint64_t size = hy_fb_u64(fb, table, OPERATOR_FAR_OPTIONS_SIZE, 0);

    out->custom_options = bytes.data;
    out->custom_bytes = bytes.count;
    if (fb->code != HY_OK || offset <= 1)
        return fb->code;
    out->custom_bytes = size;
    const enum hy_code code = hy_tflite_find_far_bytes(reader, offset, size, &out->custom_options);
    return code == HY_OK ? HY_OK : hy_error_prefix(reader->err, code, "custom options");
}

enum hy_code hy_tflite_read_operator(struct hy_tflite_reader *reader,
                                     const struct hy_fb_table *table, uint32_t tensor_count,
                                     struct hy_tflite_operator *out)
{
    const uint32_t index = hy_fb_u32(&reader->fb, table, OPERATOR_CODE_INDEX, 0);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (index >= reader->operator_code_count)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "operator code %" PRIu32 " does not exist, the model has %" PRIu32, index,
                       reader->operator_code_count);

    const struct hy_tflite_operator_code *from = &reader->operator_codes[index];
    out->code = from->op;
    out->version = from->version;
    out->custom_name = from->custom_name;
    enum hy_code code = read_operands(reader, table, tensor_count, out);
    if (code == HY_OK)
        code = hy_tflite_read_options(reader, table, out->code, &out->options);
    if (code == HY_OK && out->custom_name)
        code = read_custom_options(reader, table, out);
    if (code != HY_OK)
        hy_error_prefix(reader->err, code, "%s", hy_tflite_op_name(out->code));
    return code;
}
