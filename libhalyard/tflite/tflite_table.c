/* HASHTABLE, HASHTABLE_IMPORT, HASHTABLE_FIND and HASHTABLE_SIZE. A graph has no tables: the
 * imported contents become constants, sorted keys and their values. */
#include <stdlib.h>
#include <string.h>

#include "common/texts.h"
#include "libhalyard/graph/budget.h"
#include "libhalyard/tflite/tflite_import.h"

/* ---- Handles --------------------------------------------------------------------------------- */

enum hy_code hy_tflite_import_hashtable(struct hy_tflite_import *import,
                                        const struct hy_tflite_operator *operator_,
                                        struct hy_graph_node *node)
{
    (void)node;
    const enum hy_code code = hy_tflite_expect_handle_output(import, operator_);
    if (code != HY_OK)
        return code;
    return hy_tflite_variable_of_table(
        &import->file->variables, operator_->options.hashtable.table_id,
        &import->variables_of[operator_->outputs.values[0]], import->err);
}

/* The table of input 0. */
static enum hy_code find_table(struct hy_tflite_import *import,
                               const struct hy_tflite_operator *operator_,
                               struct hy_tflite_variable **ret_table)
{
    const int32_t handle = operator_->inputs.values[0];

    if (!hy_tflite_is_handle(import, handle) ||
        !import->file->variables.at[import->variables_of[handle]].is_table)
        return hy_fail(import->err, HY_BAD_DATA, "input 0 is not the handle of a table");
    *ret_table = &import->file->variables.at[import->variables_of[handle]];
    return HY_OK;
}

/* ---- Import ---------------------------------------------------------------------------------- */

/* A row of a table: its key and its index in the file. */
struct row {
    struct hy_text text; /* a key that is a text, or */
    int64_t number;      /* one that is a number */
    uint32_t index;
};

/* The first of equal keys comes first: it counts. */
static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = hy_text_compare(&a->text, &b->text);

    if (order == 0)
        order = (a->number > b->number) - (a->number < b->number);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool is_same_key(const struct row *a, const struct row *b)
{
    return a->number == b->number && hy_text_compare(&a->text, &b->text) == 0;
}

/* The rows of a constant, each a text or a number. */
static enum hy_code count_rows(const struct hy_graph_tensor *tensor, const char *what,
                               uint32_t *ret_count, struct hy_error *err)
{
    const bool is_table =
        tensor->element == HY_ELEMENT_STRING || tensor->element == HY_ELEMENT_INT64 ||
        tensor->element == HY_ELEMENT_INT32 || tensor->element == HY_ELEMENT_FLOAT32;
    struct hy_texts texts;

    if (!tensor->data || tensor->sparsity)
        return hy_fail(err, HY_BAD_DATA, "the %s of a table are not constant", what);
    if (!is_table || tensor->bytes > INT32_MAX)
        return hy_fail(err, HY_BAD_DATA,
                       "the %s of a table have %llu bytes of %s, which is not supported", what,
                       (unsigned long long)tensor->bytes, hy_element_name(tensor->element));
    if (tensor->element != HY_ELEMENT_STRING) {
        *ret_count = (uint32_t)(tensor->bytes / (hy_element_bits(tensor->element) / 8));
        return HY_OK;
    }
    if (!hy_texts_open(tensor->data, (size_t)tensor->bytes, &texts))
        return hy_fail(err, HY_BAD_DATA, "the %s of a table are not strings", what);
    *ret_count = texts.count;
    return HY_OK;
}

static enum hy_code text_at(const struct hy_graph_tensor *tensor, uint32_t index,
                            struct hy_text *out, struct hy_error *err)
{
    struct hy_texts texts;

    if (hy_texts_open(tensor->data, (size_t)tensor->bytes, &texts) && index < texts.count &&
        hy_texts_at(&texts, index, out))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "string %u of a table is outside of its constant", index);
}

static enum hy_code read_rows(const struct hy_graph_tensor *keys, uint32_t count, struct row *rows,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        rows[i] = (struct row){.index = i};
        if (keys->element == HY_ELEMENT_STRING)
            code = text_at(keys, i, &rows[i].text, err);
        else
            memcpy(&rows[i].number, (const uint8_t *)keys->data + i * sizeof rows[i].number,
                   sizeof rows[i].number);
    }
    return code;
}

/* Leaves one row of each key; their count. */
static uint32_t sort_rows(struct row *rows, uint32_t count)
{
    uint32_t retained = 0;

    qsort(rows, count, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        if (retained == 0 || !is_same_key(&rows[retained - 1], &rows[i]))
            rows[retained++] = rows[i];
    }
    return retained;
}

static enum hy_code pick_texts(struct hy_graph *graph, const struct hy_graph_tensor *from,
                               const struct row *rows, uint32_t count, struct hy_graph_tensor *out,
                               struct hy_error *err)
{
    uint64_t at = hy_texts_head(count), bytes = at;
    struct hy_text text;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        code = text_at(from, rows[i].index, &text, err);
        bytes += code == HY_OK ? text.length : 0;
    }
    if (code == HY_OK && bytes > INT32_MAX)
        code = hy_fail(err, HY_BAD_DATA, "a table of %llu bytes is too large",
                       (unsigned long long)bytes);
    if (code != HY_OK)
        return code;
    uint8_t *blob = hy_graph_make_constant(graph, bytes, err);
    if (!blob)
        return HY_OUT_OF_MEMORY;
    hy_texts_set_number(blob, 0, count);
    for (uint32_t i = 0; i <= count; i++) {
        hy_texts_set_number(blob, i + 1, (uint32_t)at);
        if (i == count)
            break;
        code = text_at(from, rows[i].index, &text, err);
        if (code != HY_OK)
            return code;
        memcpy(blob + at, text.bytes, text.length);
        at += text.length;
    }
    *out = (struct hy_graph_tensor){.name = from->name,
                                    .element = HY_ELEMENT_STRING,
                                    .rank = 1,
                                    .extents = {(int32_t)bytes},
                                    .data = blob,
                                    .bytes = bytes};
    return HY_OK;
}

/* A constant of some rows of another. */
static enum hy_code pick_rows(struct hy_graph *graph, const struct hy_graph_tensor *from,
                              const struct row *rows, uint32_t count, struct hy_graph_tensor *out,
                              struct hy_error *err)
{
    const size_t size = hy_element_bits(from->element) / 8;

    if (from->element == HY_ELEMENT_STRING)
        return pick_texts(graph, from, rows, count, out, err);
    uint8_t *numbers = hy_graph_make_constant(graph, count * size, err);
    if (!numbers)
        return HY_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        memcpy(numbers + i * size, (const uint8_t *)from->data + rows[i].index * size, size);
    *out = (struct hy_graph_tensor){.name = from->name,
                                    .element = from->element,
                                    .rank = 1,
                                    .extents = {(int32_t)count},
                                    .data = numbers,
                                    .bytes = count * size};
    return HY_OK;
}

static enum hy_code fill(struct hy_tflite_import *import, const struct hy_graph_tensor *keys,
                         const struct hy_graph_tensor *values, struct hy_tflite_variable *table)
{
    uint32_t count, value_count;

    enum hy_code code = count_rows(keys, "keys", &count, import->err);
    if (code == HY_OK && keys->element != HY_ELEMENT_STRING && keys->element != HY_ELEMENT_INT64)
        code = hy_fail(import->err, HY_BAD_DATA, "keys of type %s are not supported",
                       hy_element_name(keys->element));
    if (code == HY_OK)
        code = count_rows(values, "values", &value_count, import->err);
    if (code == HY_OK && count != value_count)
        code = hy_fail(import->err, HY_BAD_DATA, "%u keys for %u values", count, value_count);
    if (code != HY_OK)
        return code;
    struct row *rows = malloc(((size_t)count + 1) * sizeof *rows);
    if (!rows)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "a table of %u rows", count);
    code = read_rows(keys, count, rows, import->err);
    if (code == HY_OK) {
        count = sort_rows(rows, count);
        code = pick_rows(import->graph, keys, rows, count, &table->keys, import->err);
    }
    if (code == HY_OK)
        code = pick_rows(import->graph, values, rows, count, &table->contents, import->err);
    table->row_count = count;
    free(rows);
    return code;
}

enum hy_code hy_tflite_import_hashtable_import(struct hy_tflite_import *import,
                                               const struct hy_tflite_operator *operator_,
                                               struct hy_graph_node *node)
{
    struct hy_tflite_variable *table = NULL;

    (void)node;
    enum hy_code code = hy_tflite_count_operands(operator_, 3, 0, import->err);
    if (code == HY_OK)
        code = find_table(import, operator_, &table);
    if (code == HY_OK && (operator_->inputs.values[1] < 0 || operator_->inputs.values[2] < 0))
        code = hy_fail(import->err, HY_BAD_DATA, "keys or values are left out");
    if (code != HY_OK || table->keys.data) /* the first import counts */
        return code;
    return fill(import, &import->graph->tensors[import->tensors[operator_->inputs.values[1]]],
                &import->graph->tensors[import->tensors[operator_->inputs.values[2]]], table);
}

/* ---- Use ------------------------------------------------------------------------------------- */

static enum hy_code find_filled(struct hy_tflite_import *import,
                                const struct hy_tflite_operator *operator_,
                                struct hy_tflite_variable **ret_table)
{
    const enum hy_code code = find_table(import, operator_, ret_table);
    if (code == HY_OK && !(*ret_table)->keys.data)
        return hy_fail(import->err, HY_BAD_DATA, "table %d is empty: keys were not imported",
                       (*ret_table)->table);
    return code;
}

static enum hy_code check_element(const struct hy_graph_tensor *tensor, const char *what,
                                  const struct hy_graph_tensor *of, struct hy_error *err)
{
    if (tensor->element == of->element)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA, "%s of type %s cannot be used with a table of %s", what,
                   hy_element_name(tensor->element), hy_element_name(of->element));
}

/* Inputs: queries, keys, values, default. */
enum hy_code hy_tflite_import_hashtable_find(struct hy_tflite_import *import,
                                             const struct hy_tflite_operator *operator_,
                                             struct hy_graph_node *node)
{
    struct hy_graph *graph = import->graph;
    struct hy_tflite_variable *table = NULL;

    enum hy_code code = hy_tflite_count_operands(operator_, 3, 1, import->err);
    if (code == HY_OK)
        code = find_filled(import, operator_, &table);
    if (code == HY_OK && (operator_->inputs.values[1] < 0 || operator_->inputs.values[2] < 0))
        code = hy_fail(import->err, HY_BAD_DATA, "queries or default are left out");
    if (code != HY_OK)
        return code;
    uint32_t *operands = hy_arena_alloc(&graph->arena, 5 * sizeof *operands);
    if (!operands)
        return hy_fail(import->err, HY_OUT_OF_MEMORY, "operands of a table");
    operands[0] = import->tensors[operator_->inputs.values[1]];
    operands[3] = import->tensors[operator_->inputs.values[2]];
    operands[4] = import->tensors[operator_->outputs.values[0]];
    code = check_element(&graph->tensors[operands[0]], "queries", &table->keys, import->err);
    if (code == HY_OK)
        code =
            check_element(&graph->tensors[operands[3]], "a default", &table->contents, import->err);
    if (code == HY_OK)
        code =
            check_element(&graph->tensors[operands[4]], "an output", &table->contents, import->err);
    if (code == HY_OK)
        code = hy_graph_add_tensor(graph, &table->keys, &operands[1], import->err);
    if (code == HY_OK)
        code = hy_graph_add_tensor(graph, &table->contents, &operands[2], import->err);
    if (code != HY_OK)
        return code;
    node->operator_ = HY_OPERATOR_HASHTABLE_FIND;
    node->inputs = operands;
    node->input_count = 4;
    node->outputs = operands + 4;
    node->output_count = 1;
    return hy_graph_add_node(graph, node, import->err);
}

enum hy_code hy_tflite_import_hashtable_size(struct hy_tflite_import *import,
                                             const struct hy_tflite_operator *operator_,
                                             struct hy_graph_node *node)
{
    struct hy_tflite_variable *table = NULL;

    (void)node;
    enum hy_code code = hy_tflite_count_operands(operator_, 1, 1, import->err);
    if (code == HY_OK)
        code = find_filled(import, operator_, &table);
    if (code != HY_OK)
        return code;
    int64_t *count = hy_graph_make_constant(import->graph, sizeof *count, import->err);
    if (!count)
        return HY_OUT_OF_MEMORY;
    *count = table->row_count;
    const struct hy_graph_tensor tensor = {.name = "",
                                           .element = HY_ELEMENT_INT64,
                                           .rank = 1,
                                           .extents = {1},
                                           .data = count,
                                           .bytes = sizeof *count};
    return hy_graph_add_tensor(import->graph, &tensor,
                               &import->tensors[operator_->outputs.values[0]], import->err);
}
