#include "common/inference/infer_table.h"
#include "common/texts.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/ops/ops.h"

/* HASHTABLE_FIND of org.halyard.operations. Keys are in ascending order: each query is a binary
 * search. */

struct table {
    const struct hy_call *call;
    bool has_texts;                /* keys and queries are texts */
    struct hy_texts queries, keys; /* used if has_texts */
    size_t rows, count;            /* keys, queries */
};

/* The result of comparing a query with a key. */
enum order { BELOW, EQUAL, ABOVE, MALFORMED };

enum hy_code hy_cpu_hashtable_find_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    (void)ctx;
    (void)step;
    (void)err;
    return HY_OK;
}

static enum hy_code open_texts(const struct hy_call *call, uint32_t input, struct hy_texts *texts,
                               struct hy_error *err)
{
    const struct hy_value *value = hy_call_input(call, input);

    if (hy_texts_open(value->data, value->shape.dims[0], texts))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "input %u of %u bytes is not a list of strings", input,
                   value->shape.dims[0]);
}

static enum hy_code open_table(const struct hy_call *call, struct table *table,
                               struct hy_error *err)
{
    const struct hy_shape *queries = &hy_call_input(call, HY_TABLE_QUERIES)->shape;
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;
    enum hy_code code = HY_OK;

    *table = (struct table){
        .call = call,
        .has_texts = hy_call_input(call, HY_TABLE_KEYS)->type == HY_TENSOR_UINT8,
        .rows = hy_call_input(call, HY_TABLE_KEYS)->shape.dims[0],
        .count = hy_shape_span(queries, 0, queries->rank),
    };
    if (!table->has_texts)
        return HY_OK;
    code = open_texts(call, HY_TABLE_QUERIES, &table->queries, err);
    if (code == HY_OK)
        code = open_texts(call, HY_TABLE_KEYS, &table->keys, err);
    if (code != HY_OK)
        return code;
    table->rows = table->keys.count;
    table->count = hy_shape_span(out, 0, out->rank);
    if (table->queries.count != table->count)
        return hy_fail(err, HY_FAILED, "input 0 has %u strings, input 4 (shape) needs %zu",
                       table->queries.count, table->count);
    if (table->rows != hy_call_input(call, HY_TABLE_VALUES)->shape.dims[0])
        return hy_fail(err, HY_FAILED, "%zu keys for %u values", table->rows,
                       hy_call_input(call, HY_TABLE_VALUES)->shape.dims[0]);
    return HY_OK;
}

static int64_t number_at(const struct hy_value *value, size_t index)
{
    return value->type == HY_TENSOR_INT64 ? ((const int64_t *)value->data)[index]
                                          : ((const int32_t *)value->data)[index];
}

static enum order compare(const struct table *table, size_t query, size_t row)
{
    struct hy_text a, b;
    int order;

    if (table->has_texts) {
        if (!hy_texts_at(&table->queries, (uint32_t)query, &a) ||
            !hy_texts_at(&table->keys, (uint32_t)row, &b))
            return MALFORMED;
        order = hy_text_compare(&a, &b);
    } else {
        const int64_t x = number_at(hy_call_input(table->call, HY_TABLE_QUERIES), query);
        const int64_t y = number_at(hy_call_input(table->call, HY_TABLE_KEYS), row);
        order = (x > y) - (x < y);
    }
    return order < 0 ? BELOW : order > 0 ? ABOVE : EQUAL;
}

/* Finds the row of a query; the number of rows if absent. */
static enum hy_code find(const struct table *table, size_t query, size_t *ret_row,
                         struct hy_error *err)
{
    size_t first = 0, last = table->rows;

    *ret_row = table->rows;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        const enum order order = compare(table, query, middle);
        if (order == MALFORMED)
            return hy_fail(err, HY_FAILED,
                           "string %zu of input 0 or %zu of input 1 lies outside of the input",
                           query, middle);
        if (order == EQUAL) {
            *ret_row = middle;
            return HY_OK;
        }
        if (order == ABOVE)
            first = middle + 1;
        else
            last = middle;
    }
    return HY_OK;
}

static enum hy_code find_numbers(const struct table *table, struct hy_error *err)
{
    const struct hy_value *values = hy_call_input(table->call, HY_TABLE_VALUES);
    const uint8_t *otherwise = hy_call_input(table->call, HY_TABLE_DEFAULT)->data;
    const size_t size = hy_operand_type_bytes(values->type);
    uint8_t *out = hy_call_output(table->call, 0)->data;
    size_t row;

    for (size_t i = 0; i < table->count && !hy_stop_after(hy_stop_here(), 64); i++) {
        const enum hy_code code = find(table, i, &row, err);
        if (code != HY_OK)
            return code;
        const uint8_t *from =
            row < table->rows ? (const uint8_t *)values->data + row * size : otherwise;
        memcpy(out + i * size, from, size);
    }
    return HY_OK;
}

static enum hy_code text_of(const struct hy_texts *texts, size_t index, uint32_t input,
                            struct hy_text *out, struct hy_error *err)
{
    if (hy_texts_at(texts, (uint32_t)index, out))
        return HY_OK;
    return hy_fail(err, HY_FAILED, "string %zu of input %u lies outside of the input", index,
                   input);
}

static enum hy_code find_texts(const struct table *table, struct hy_error *err)
{
    const struct hy_value *to = hy_call_output(table->call, 0);
    const size_t capacity = to->shape.dims[0];
    uint8_t *out = to->data;
    struct hy_texts values, otherwise;
    struct hy_text text;
    uint64_t at = hy_texts_head(table->count);
    size_t row;

    enum hy_code code = open_texts(table->call, HY_TABLE_VALUES, &values, err);
    if (code == HY_OK)
        code = open_texts(table->call, HY_TABLE_DEFAULT, &otherwise, err);
    if (code != HY_OK)
        return code;
    if (values.count != table->rows || otherwise.count != 1)
        return hy_fail(err, HY_FAILED, "%zu keys for %u values, %u defaults", table->rows,
                       values.count, otherwise.count);
    if (at > capacity)
        return hy_fail(err, HY_FAILED, "%zu strings do not fit %zu bytes", table->count, capacity);
    hy_texts_set_number(out, 0, (uint32_t)table->count);
    for (size_t i = 0; i < table->count && !hy_stop_after(hy_stop_here(), 64); i++) {
        code = find(table, i, &row, err);
        if (code == HY_OK)
            code = row < table->rows ? text_of(&values, row, HY_TABLE_VALUES, &text, err)
                                     : text_of(&otherwise, 0, HY_TABLE_DEFAULT, &text, err);
        if (code != HY_OK)
            return code;
        if (text.length > capacity - at)
            return hy_fail(err, HY_FAILED, "%zu strings do not fit %zu bytes", table->count,
                           capacity);
        hy_texts_set_number(out, i + 1, (uint32_t)at);
        memcpy(out + at, text.bytes, text.length);
        at += text.length;
    }
    hy_texts_set_number(out, table->count + 1, (uint32_t)at);
    memset(out + at, 0, capacity - at);
    return HY_OK;
}

enum hy_code hy_cpu_hashtable_find_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const bool gives_texts = hy_call_output(work->call, 0)->type == HY_TENSOR_UINT8;
    struct table table;

    const enum hy_code code = open_table(work->call, &table, err);
    if (code != HY_OK)
        return code;
    return gives_texts ? find_texts(&table, err) : find_numbers(&table, err);
}
