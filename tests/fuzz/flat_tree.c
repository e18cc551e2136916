#include "tests/fuzz/flat_tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "libhalyard/tflite/flatbuffer.h"
#include "tests/unit/tools/kit/flatbuffer_writer.h"

const struct flat_field flat_last_fields[] = {{FLAT_END, 0, 0, NULL}};

/* Of one tree; tables and vectors may be shared in a file, and are copies in a tree. */
enum { MOST_BYTES = 8 << 20 };

unsigned flat_field_count(const struct flat_type *type)
{
    unsigned count = 0;
    while (type->fields[count].kind != FLAT_END)
        count++;
    return count;
}

void *flat_tree_alloc(struct flat_tree *tree, size_t size)
{
    void *memory = hy_arena_alloc(&tree->arena, size);
    if (!memory)
        abort();
    memset(memory, 0, size);
    return memory;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct round_trip {
    struct hy_fb fb;
    struct flat_tree *tree;
    uint64_t bytes_left;
    bool is_too_large;
};

static struct flat_table *read_table(struct round_trip *round_trip, const struct hy_fb_table *from,
                                     const struct flat_type *type);

static bool has_field(const struct round_trip *round_trip, const struct hy_fb_table *table,
                      unsigned slot)
{
    const unsigned entry = 4 + 2 * slot;
    return table->at != 0 && entry + 2 <= table->vtable_size &&
           hy_load_u16(round_trip->fb.bytes + table->vtable + entry) != 0;
}

static uint64_t read_scalar(struct round_trip *round_trip, const struct hy_fb_table *table,
                            const struct flat_field *field)
{
    switch (field->size) {
    case 1:
        return hy_fb_u8(&round_trip->fb, table, field->slot, 0);
    case 8:
        return hy_fb_u64(&round_trip->fb, table, field->slot, 0);
    default:
        return hy_fb_u32(&round_trip->fb, table, field->slot, 0);
    }
}

static void read_bytes(struct round_trip *round_trip, const struct hy_fb_vector *vector,
                       size_t size, struct flat_value *value)
{
    const uint64_t bytes = vector->count * (uint64_t)size;

    if (!vector->data || bytes > round_trip->bytes_left) {
        round_trip->is_too_large = round_trip->is_too_large || bytes > round_trip->bytes_left;
        return;
    }
    round_trip->bytes_left -= bytes;
    value->count = vector->count;
    value->bytes = flat_tree_alloc(round_trip->tree, (size_t)bytes + 1);
    memcpy(value->bytes, vector->data, (size_t)bytes);
}

static void read_tables(struct round_trip *round_trip, const struct hy_fb_table *table,
                        const struct flat_field *field, struct flat_value *value)
{
    const struct hy_fb_vector vector = hy_fb_vector(&round_trip->fb, table, field->slot, 4);

    if (vector.count > FLAT_MOST_TABLES) {
        round_trip->is_too_large = true;
        return;
    }
    value->tables = flat_tree_alloc(round_trip->tree, (vector.count + 1) * sizeof *value->tables);
    for (uint32_t i = 0; i < vector.count && !round_trip->is_too_large; i++) {
        const struct hy_fb_table from = hy_fb_table_at(&round_trip->fb, &vector, i);
        value->tables[value->count++] = read_table(round_trip, &from, field->type);
    }
}

/* NULL: the schema here has no such member. */
static const struct flat_type *member_of(const struct flat_type *types, uint64_t number)
{
    for (uint64_t i = 0; types[i].fields != flat_last_fields; i++) {
        if (i == number)
            return types[i].fields ? &types[i] : NULL;
    }
    return NULL;
}

static void read_value(struct round_trip *round_trip, const struct hy_fb_table *table,
                       const struct flat_field *field, struct flat_value *value)
{
    struct hy_fb_table child;
    struct hy_fb_vector vector;
    const struct flat_type *type = field->type;

    value->is_present = true;
    switch (field->kind) {
    case FLAT_SCALAR:
        value->scalar = read_scalar(round_trip, table, field);
        break;
    case FLAT_VECTOR:
    case FLAT_STRING:
        vector = hy_fb_vector(&round_trip->fb, table, field->slot, field->size);
        read_bytes(round_trip, &vector, field->size, value);
        break;
    case FLAT_TABLES:
        read_tables(round_trip, table, field, value);
        break;
    case FLAT_UNION:
        type = member_of(field->type, hy_fb_u8(&round_trip->fb, table, field->slot - 1, 0));
        value->is_present = type != NULL;
        if (!type)
            break;
        /* fall through */
    case FLAT_TABLE:
        child = hy_fb_child(&round_trip->fb, table, field->slot);
        value->table = read_table(round_trip, &child, type);
        break;
    case FLAT_END:
        break;
    }
}

static void note_table(struct flat_tree *tree, struct flat_table *table)
{
    tree->all = hy_array_grow(tree->all, tree->count, sizeof *tree->all);
    if (!tree->all)
        abort();
    tree->all[tree->count++] = table;
}

static struct flat_table *read_table(struct round_trip *round_trip, const struct hy_fb_table *from,
                                     const struct flat_type *type)
{
    struct flat_tree *tree = round_trip->tree;
    const unsigned count = flat_field_count(type);
    struct flat_table *table = flat_tree_alloc(tree, sizeof *table);

    table->type = type;
    table->values = flat_tree_alloc(tree, (count + 1) * sizeof *table->values);
    if (tree->count == FLAT_MOST_TABLES)
        round_trip->is_too_large = true;
    else
        note_table(tree, table);
    for (unsigned i = 0; i < count && !round_trip->is_too_large; i++) {
        if (has_field(round_trip, from, type->fields[i].slot))
            read_value(round_trip, from, &type->fields[i], &table->values[i]);
    }
    return table;
}

bool flat_tree_read(const uint8_t *bytes, size_t length, const char identifier[4],
                    const struct flat_type *root, struct flat_tree *tree)
{
    struct round_trip round_trip = {.tree = tree, .bytes_left = MOST_BYTES};

    *tree = (struct flat_tree){0};
    const struct hy_fb_table from = hy_fb_open(&round_trip.fb, bytes, length, identifier, NULL);
    tree->root = read_table(&round_trip, &from, root);
    if (round_trip.fb.code == HY_OK && !round_trip.is_too_large)
        return true;
    flat_tree_finish(tree);
    return false;
}

void flat_tree_finish(struct flat_tree *tree)
{
    hy_arena_finish(&tree->arena);
    free(tree->all);
    *tree = (struct flat_tree){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static size_t write_table(struct hy_fbw *writer, const struct flat_table *table);

static size_t write_tables(struct hy_fbw *writer, const struct flat_value *value)
{
    const size_t at = hy_fbw_vector(writer, 4, value->count, NULL);
    for (uint32_t i = 0; i < value->count; i++)
        hy_fbw_link_element(writer, at, i, write_table(writer, value->tables[i]));
    return at;
}

static size_t write_string(struct hy_fbw *writer, const struct flat_value *value)
{
    const size_t at = hy_fbw_vector(writer, 1, value->count, value->bytes);
    hy_fbw_vector(writer, 1, 0, NULL); /* zeros behind the end */
    return at;
}

static size_t write_value(struct hy_fbw *writer, const struct flat_field *field,
                          const struct flat_value *value)
{
    switch (field->kind) {
    case FLAT_VECTOR:
        return hy_fbw_vector(writer, field->size, value->count, value->bytes);
    case FLAT_STRING:
        return write_string(writer, value);
    case FLAT_TABLES:
        return write_tables(writer, value);
    default:
        return write_table(writer, value->table);
    }
}

/* A table or a vector of tables that is not there is not written. */
static bool is_written(const struct flat_field *field, const struct flat_value *value)
{
    const bool has_table = field->kind != FLAT_TABLE && field->kind != FLAT_UNION;
    return value->is_present && (has_table || value->table);
}

static size_t write_table(struct hy_fbw *writer, const struct flat_table *table)
{
    const struct flat_field *fields = table->type->fields;
    const unsigned count = flat_field_count(table->type);
    struct hy_fbw_field written[64] = {0};
    unsigned written_count = 0;

    for (unsigned i = 0; i < count; i++) {
        const bool is_scalar = fields[i].kind == FLAT_SCALAR;
        if (is_written(&fields[i], &table->values[i]))
            written[written_count++] =
                (struct hy_fbw_field){.slot = fields[i].slot,
                                      .size = is_scalar ? fields[i].size : 4,
                                      .value = is_scalar ? table->values[i].scalar : 0};
    }
    const size_t at = hy_fbw_table(writer, written, written_count);
    for (unsigned i = 0; i < count; i++) {
        if (fields[i].kind != FLAT_SCALAR && is_written(&fields[i], &table->values[i]))
            hy_fbw_link(writer, at, fields[i].slot,
                        write_value(writer, &fields[i], &table->values[i]));
    }
    return at;
}

uint8_t *flat_tree_write(const struct flat_tree *tree, const char identifier[4], size_t *length)
{
    struct hy_fbw writer;

    hy_fbw_start(&writer, identifier);
    hy_fbw_link_at(&writer, 0, write_table(&writer, tree->root));
    *length = writer.length;
    return writer.bytes;
}
