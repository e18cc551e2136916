#include "libhalyard/tflite/tflite_model.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/checked.h"
#include "libhalyard/tflite/tflite_reader.h"

const struct hy_tflite_limits hy_tflite_default_limits = {
    .file_bytes = UINT64_C(1) << 46,   /* constants may lie beyond the 2 GiB of a FlatBuffer */
    .tensor_bytes = UINT64_C(1) << 46, /* what runs is limited by `memory` */
    .subgraphs = 1024,
    .tensors = 1 << 20,
    .operators = 1000000,
    .operator_codes = 1 << 12,
    .rank = 8,
    .memory_per_byte = 16, /* real models needed 0.01 to 1.8 */
};

/* The public part comes first: a pointer to it is a pointer to the whole struct. */
struct opened_model {
    struct hy_tflite_model model;
    struct hy_tflite_block *blocks;
    atomic_uint references;
};

static enum hy_code read_subgraphs(struct hy_tflite_reader *reader, const struct hy_fb_table *root,
                                   struct hy_tflite_model *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, root, MODEL_SUBGRAPHS, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (vector.count == 0)
        return hy_fail(reader->err, HY_BAD_DATA, "the model has no subgraph: nothing to run");
    if (vector.count > reader->limits->subgraphs)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "%" PRIu32 " subgraphs exceed the limit subgraphs = %" PRIu32, vector.count,
                       reader->limits->subgraphs);
    reader->subgraph_count = vector.count;

    enum hy_code code;
    struct hy_tflite_subgraph *subgraphs =
        hy_tflite_alloc(reader, vector.count, sizeof *subgraphs, &code);
    for (uint32_t i = 0; code == HY_OK && i < vector.count; i++) {
        const struct hy_fb_table table = hy_fb_table_at(&reader->fb, &vector, i);
        code = hy_tflite_read_subgraph(reader, &table, &subgraphs[i]);
        if (code != HY_OK)
            hy_error_prefix(reader->err, code, "subgraph %" PRIu32, i);
    }
    out->subgraphs = subgraphs;
    out->subgraph_count = vector.count;
    return code;
}

static enum hy_code read_model(struct hy_tflite_reader *reader, const void *bytes, size_t length,
                               struct hy_tflite_model *out)
{
    const struct hy_fb_table root = hy_fb_open(&reader->fb, bytes, length, "TFL3", reader->err);
    out->version = hy_fb_u32(&reader->fb, &root, MODEL_VERSION, 0);
    reader->buffers = hy_fb_vector(&reader->fb, &root, MODEL_BUFFERS, 4);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (out->version != 3)
        return hy_fail(reader->err, HY_BAD_DATA,
                       "schema version %" PRIu32 ", Halyard reads version 3; %s", out->version,
                       out->version > 3 ? "use a newer Halyard" : "convert the network again");

    enum hy_code code = hy_tflite_copy_string(reader, &root, MODEL_DESCRIPTION, &out->description);
    if (code == HY_OK)
        code = hy_tflite_read_operator_codes(reader, &root);
    if (code == HY_OK)
        code = hy_tflite_check_far_buffers(reader);
    if (code == HY_OK)
        code = read_subgraphs(reader, &root, out);
    if (code == HY_OK)
        code = hy_tflite_read_signatures(reader, &root, out);
    return code;
}

static uint64_t memory_budget(size_t length, uint32_t memory_per_byte)
{
    uint64_t budget;
    if (!hy_mul_u64(length, memory_per_byte, &budget) || !hy_add_u64(budget, 64 << 10, &budget))
        return UINT64_MAX;
    return budget;
}

enum hy_code hy_tflite_open(const void *bytes, size_t length, const struct hy_tflite_limits *limits,
                            struct hy_tflite_model **out, struct hy_error *err)
{
    if (!limits)
        limits = &hy_tflite_default_limits;
    if (!bytes || !out)
        return hy_fail(err, HY_UNEXPECTED_NULL, "model: the bytes or the result pointer are NULL");
    if (length > limits->file_bytes)
        return hy_fail(err, HY_BAD_DATA, "%zu bytes exceed the limit file_bytes = %" PRIu64, length,
                       limits->file_bytes);

    struct opened_model *opened = calloc(1, sizeof *opened);
    if (!opened)
        return hy_fail(err, HY_OUT_OF_MEMORY, "model of %zu bytes", length);
    atomic_init(&opened->references, 1);

    struct hy_tflite_reader reader = {
        .err = err,
        .limits = limits,
        .budget = memory_budget(length, limits->memory_per_byte),
        .tensors_left = limits->tensors,
        .operators_left = limits->operators,
    };
    enum hy_code code = read_model(&reader, bytes, length, &opened->model);
    opened->blocks = reader.blocks;
    if (code != HY_OK && reader.fb.missing > 0)
        hy_error_prefix(err, code,
                        "the file is truncated or damaged, at least %" PRIu64 " bytes are missing",
                        reader.fb.missing);
    if (code != HY_OK) {
        hy_tflite_close(&opened->model);
        return code;
    }
    *out = &opened->model;
    return HY_OK;
}

struct hy_tflite_model *hy_tflite_retain(struct hy_tflite_model *model)
{
    struct opened_model *opened = (struct opened_model *)model;

    atomic_fetch_add_explicit(&opened->references, 1, memory_order_relaxed);
    return model;
}

void hy_tflite_close(struct hy_tflite_model *model)
{
    struct opened_model *opened = (struct opened_model *)model;

    if (!model || atomic_fetch_sub_explicit(&opened->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_tflite_free_blocks(opened->blocks);
    free(opened);
}
