#include "tests/fuzz/tflite_mutator.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "libhalyard/tflite/flatbuffer.h"
#include "libhalyard/tflite/tflite_options.h"
#include "libhalyard/tflite/tflite_types.h"
#include "tests/fuzz/tflite_schema.h"

/* Longer constants are not grown to fit a shape. */
enum { MOST_CONSTANT = 1 << 16 };

struct mutation {
    struct flat_tree tree;
    struct hy_random random;
};

/* ---- Choices --------------------------------------------------------------------------------- */

static uint32_t below(struct mutation *m, uint32_t end)
{
    return end > 0 ? (uint32_t)(hy_random_next(&m->random) % end) : 0;
}

/* A table of a type; NULL: there is none. */
static struct flat_table *pick(struct mutation *m, const struct flat_type *type)
{
    struct flat_table *picked = NULL;
    uint32_t seen = 0;

    for (uint32_t i = 0; i < m->tree.count; i++) {
        if (m->tree.all[i]->type == type && below(m, ++seen) == 0)
            picked = m->tree.all[i];
    }
    return picked;
}

/* Values at which sizes, signs and counts turn over, and small ones. */
static uint64_t number(struct mutation *m, uint64_t old)
{
    static const uint64_t values[] = {0,          1,          2,          3,          4,
                                      7,          8,          127,        128,        255,
                                      256,        1000,       4096,       32767,      65535,
                                      65536,      1 << 20,    0x3fffffff, 0x40000000, 0x7fffffff,
                                      0x80000000, 0xffffffff, 1ull << 32, 1ull << 40, INT64_MAX,
                                      1ull << 63, UINT64_MAX, 0x3f800000, 0x7f800000, 0x7fc00000};
    switch (below(m, 8)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old * 2;
    case 3:
    case 4:
        return below(m, 16);
    case 5:
        return (uint64_t)0 - below(m, 8);
    default:
        return values[below(m, sizeof values / sizeof *values)];
    }
}

/* A field of some table, of one of two kinds; NULL: the table that was picked has none. */
static struct flat_value *pick_field(struct mutation *m, enum flat_kind a, enum flat_kind b,
                                     const struct flat_field **field)
{
    struct flat_table *table = m->tree.all[below(m, m->tree.count)];
    struct flat_value *picked = NULL;
    uint32_t seen = 0;

    for (unsigned i = 0; table->type->fields[i].kind != FLAT_END; i++) {
        const struct flat_field *candidate = &table->type->fields[i];
        if ((candidate->kind == a || candidate->kind == b) && below(m, ++seen) == 0) {
            picked = &table->values[i];
            *field = candidate;
        }
    }
    return picked;
}

/* ---- Any table ------------------------------------------------------------------------------- */

static void change_scalar(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *value = pick_field(m, FLAT_SCALAR, FLAT_SCALAR, &field);

    if (value) {
        value->is_present = true;
        value->scalar = number(m, value->scalar);
    }
}

static void drop_field(struct mutation *m)
{
    struct flat_table *table = m->tree.all[below(m, m->tree.count)];
    const unsigned count = flat_field_count(table->type);

    if (count > 0)
        table->values[below(m, count)] = (struct flat_value){0};
}

static uint64_t load(const uint8_t *from, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void store(uint8_t *to, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void change_element(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *value = pick_field(m, FLAT_VECTOR, FLAT_STRING, &field);

    if (!value || value->count == 0)
        return;
    uint8_t *element = value->bytes + below(m, value->count) * (size_t)field->size;
    store(element, field->size, number(m, load(element, field->size)));
}

/* Makes a vector so long; new elements repeat the old ones, or are 0. */
static void resize(struct mutation *m, struct flat_value *value, unsigned size, uint32_t count)
{
    uint8_t *bytes = flat_tree_alloc(&m->tree, (size_t)count * size + 1);
    const size_t had = value->count * (size_t)size;

    for (size_t i = 0; had > 0 && i < count * (size_t)size; i++)
        bytes[i] = value->bytes[i % had];
    value->is_present = true;
    value->bytes = bytes;
    value->count = count;
}

static void resize_vector(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *value = pick_field(m, FLAT_VECTOR, FLAT_STRING, &field);

    if (!value || value->count > MOST_CONSTANT)
        return;
    const uint32_t counts[] = {0, value->count + 1, value->count > 0 ? value->count - 1 : 1,
                               2 * value->count, below(m, 10)};
    resize(m, value, field->size, counts[below(m, 5)]);
}

/* ---- Lists of tables ------------------------------------------------------------------------- */

static struct flat_value *pick_list(struct mutation *m, const struct flat_field **field)
{
    for (unsigned tries = 0; tries < 32; tries++) {
        struct flat_value *list = pick_field(m, FLAT_TABLES, FLAT_TABLES, field);
        if (list && list->count > 0)
            return list;
    }
    return NULL;
}

static void swap_tables(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *list = pick_list(m, &field);

    if (!list)
        return;
    struct flat_table **a = &list->tables[below(m, list->count)];
    struct flat_table **b = &list->tables[below(m, list->count)];
    struct flat_table *const moved = *a;
    *a = *b;
    *b = moved;
}

static void delete_table(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *list = pick_list(m, &field);

    if (!list)
        return;
    const uint32_t at = below(m, list->count);
    memmove(list->tables + at, list->tables + at + 1,
            (list->count - at - 1) * sizeof *list->tables);
    list->count--;
}

/* Another table of the type, from anywhere, comes in. */
static void insert_table(struct mutation *m)
{
    const struct flat_field *field;
    struct flat_value *list = pick_list(m, &field);
    struct flat_table *from = list ? pick(m, field->type) : NULL;

    if (!from)
        return;
    struct flat_table *copy = flat_tree_alloc(&m->tree, sizeof *copy);
    const unsigned count = flat_field_count(from->type);
    copy->type = from->type;
    copy->values = flat_tree_alloc(&m->tree, (count + 1) * sizeof *copy->values);
    memcpy(copy->values, from->values, count * sizeof *copy->values);

    struct flat_table **tables =
        flat_tree_alloc(&m->tree, ((size_t)list->count + 1) * sizeof *tables);
    const uint32_t at = below(m, list->count + 1);
    memcpy(tables, list->tables, at * sizeof *tables);
    tables[at] = copy;
    memcpy(tables + at + 1, list->tables + at, (list->count - at) * sizeof *tables);
    list->tables = tables;
    list->count++;
}

/* One field of a table becomes that of another table of the type: quantisation, options, shape. */
static void swap_field(struct mutation *m)
{
    struct flat_table *to = m->tree.all[below(m, m->tree.count)];
    const struct flat_table *from = pick(m, to->type);
    const unsigned count = flat_field_count(to->type);

    if (!from || count == 0)
        return;
    const unsigned at = below(m, count);
    to->values[at] = from->values[at];
    if (to->type->fields[at].kind == FLAT_UNION) /* and the number of the member */
        to->values[at - 1] = from->values[at - 1];
}

/* ---- What keeps a model whole ---------------------------------------------------------------- */

static struct flat_table *buffer_of(struct mutation *m, const struct flat_table *tensor)
{
    const struct flat_value *buffers = &m->tree.root->values[FLAT_MODEL_BUFFERS];
    const uint64_t index = tensor->values[FLAT_TENSOR_BUFFER].scalar;
    return index > 0 && index < buffers->count ? buffers->tables[index] : NULL;
}

/* Gives a constant the bytes that its type and shape need. */
static void fit_constant(struct mutation *m, const struct flat_table *tensor)
{
    struct flat_table *buffer = buffer_of(m, tensor);
    const struct flat_value *shape = &tensor->values[FLAT_TENSOR_SHAPE];
    const uint64_t type = tensor->values[FLAT_TENSOR_TYPE].scalar;
    int32_t extents[8];
    uint64_t bytes;

    if (!buffer || buffer->values[FLAT_BUFFER_DATA].count == 0 || shape->count > 8 ||
        type >= HY_TFLITE_TYPE_COUNT)
        return;
    for (uint32_t i = 0; i < shape->count; i++)
        extents[i] = (int32_t)hy_load_u32(shape->bytes + 4 * (size_t)i);
    if (hy_tflite_type_bytes((enum hy_tflite_type)type, shape->count, extents, &bytes) &&
        bytes <= MOST_CONSTANT)
        resize(m, &buffer->values[FLAT_BUFFER_DATA], 1, (uint32_t)bytes);
}

static void reshape_tensor(struct mutation *m)
{
    static const uint32_t extents[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 32, 100, 1000};
    struct flat_table *tensor = pick(m, &flat_tflite_tensor);

    if (!tensor)
        return;
    struct flat_value *shape = &tensor->values[FLAT_TENSOR_SHAPE];
    if (below(m, 3) == 0)
        resize(m, shape, 4, below(m, 6));
    if (shape->count > 0)
        store(shape->bytes + 4 * (size_t)below(m, shape->count), 4,
              extents[below(m, sizeof extents / sizeof *extents)]);
    fit_constant(m, tensor);
}

static void retype_tensor(struct mutation *m)
{
    struct flat_table *tensor = pick(m, &flat_tflite_tensor);

    if (!tensor)
        return;
    tensor->values[FLAT_TENSOR_TYPE] =
        (struct flat_value){.is_present = true, .scalar = below(m, HY_TFLITE_TYPE_COUNT)};
    fit_constant(m, tensor);
}

/* All tensors of one type get another one: a model of floats becomes one of int8. */
static void retype_all(struct mutation *m)
{
    const struct flat_table *tensor = pick(m, &flat_tflite_tensor);
    const uint64_t from = tensor ? tensor->values[FLAT_TENSOR_TYPE].scalar : 0;
    const uint64_t to = below(m, HY_TFLITE_TYPE_COUNT);

    for (uint32_t i = 0; i < m->tree.count; i++) {
        struct flat_table *other = m->tree.all[i];
        if (other->type != &flat_tflite_tensor || other->values[FLAT_TENSOR_TYPE].scalar != from)
            continue;
        other->values[FLAT_TENSOR_TYPE] = (struct flat_value){.is_present = true, .scalar = to};
        fit_constant(m, other);
    }
}

/* An operand becomes another tensor of the sub-graph, or is left out. */
static void rewire(struct mutation *m)
{
    const struct flat_table *subgraph = pick(m, &flat_tflite_subgraph);
    if (!subgraph)
        return;
    const struct flat_value *operators = &subgraph->values[FLAT_SUBGRAPH_OPERATORS];
    if (operators->count == 0)
        return;
    const struct flat_table *operator_ = operators->tables[below(m, operators->count)];
    const struct flat_value *list =
        &operator_->values[below(m, 4) > 0 ? FLAT_OPERATOR_INPUTS : FLAT_OPERATOR_OUTPUTS];
    if (list->count > 0)
        store(list->bytes + 4 * (size_t)below(m, list->count), 4,
              below(m, subgraph->values[FLAT_SUBGRAPH_TENSORS].count + 1) - UINT64_C(1));
}

static void change_operator(struct mutation *m)
{
    struct flat_table *code = pick(m, &flat_tflite_operator_code);

    if (code)
        code->values[FLAT_CODE_BUILTIN] =
            (struct flat_value){.is_present = true, .scalar = below(m, HY_TFLITE_OP_COUNT)};
}

/* A tensor becomes a constant of another tensor's buffer, or stops being one. */
static void rebuffer(struct mutation *m)
{
    struct flat_table *tensor = pick(m, &flat_tflite_tensor);
    const uint32_t buffers = m->tree.root->values[FLAT_MODEL_BUFFERS].count;

    if (!tensor)
        return;
    tensor->values[FLAT_TENSOR_BUFFER] =
        (struct flat_value){.is_present = true, .scalar = below(m, 2) ? below(m, buffers) : 0};
    if (below(m, 2))
        fit_constant(m, tensor);
}

/* Constants of few numbers are axes, shapes, paddings, indices. */
static void change_small_constant(struct mutation *m)
{
    for (unsigned tries = 0; tries < 16; tries++) {
        struct flat_table *buffer = pick(m, &flat_tflite_buffer);
        struct flat_value *data = buffer ? &buffer->values[FLAT_BUFFER_DATA] : NULL;
        if (!data || data->count < 4 || data->count > 128)
            continue;
        uint8_t *at = data->bytes + 4 * (size_t)below(m, data->count / 4);
        store(at, 4, number(m, load(at, 4)));
        return;
    }
}

/* Where a buffer lies in the file, instead of its bytes. */
static void set_buffer_offset(struct mutation *m)
{
    struct flat_table *buffer = pick(m, &flat_tflite_buffer);

    if (!buffer)
        return;
    const uint32_t count = buffer->values[FLAT_BUFFER_DATA].count;
    buffer->values[FLAT_BUFFER_OFFSET] = (struct flat_value){
        .is_present = true, .scalar = below(m, 2) ? below(m, 4096) : number(m, 2)};
    buffer->values[FLAT_BUFFER_SIZE] =
        (struct flat_value){.is_present = true, .scalar = below(m, 4) ? count : number(m, count)};
}

static void (*const changes[])(struct mutation *m) = {
    change_element,
    change_element,
    change_operator,
    change_scalar,
    change_scalar,
    change_scalar,
    change_small_constant,
    change_small_constant,
    delete_table,
    drop_field,
    swap_field,
    swap_field,
    insert_table,
    set_buffer_offset,
    rebuffer,
    reshape_tensor,
    reshape_tensor,
    reshape_tensor,
    resize_vector,
    retype_all,
    retype_tensor,
    rewire,
    rewire,
    swap_tables,
};

size_t hy_tflite_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
    struct mutation m = {.random = {seed}};
    size_t length = 0;

    if (!flat_tree_read(data, size, "TFL3", &flat_tflite_model, &m.tree))
        return 0;
    for (uint32_t count = 1 + below(&m, 3); count > 0; count--)
        changes[below(&m, sizeof changes / sizeof *changes)](&m);
    uint8_t *written = flat_tree_write(&m.tree, "TFL3", &length);
    flat_tree_finish(&m.tree);
    if (length > most)
        length = 0;
    memcpy(data, written, length);
    free(written);
    return length;
}
