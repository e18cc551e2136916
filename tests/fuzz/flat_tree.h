#ifndef HY_TESTS_FUZZ_FLAT_TREE_H
#define HY_TESTS_FUZZ_FLAT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena.h"

/*
 * A FlatBuffer as a tree of tables, for changing and rewriting. For tests only: aborts if out of
 * memory.
 */
enum flat_kind {
    FLAT_END, /* terminates the fields of a type */
    FLAT_SCALAR,
    FLAT_VECTOR, /* of scalars */
    FLAT_STRING,
    FLAT_TABLE,
    FLAT_TABLES, /* a vector of tables */
    FLAT_UNION,  /* a table; the scalar in the previous slot selects its type */
};

struct flat_type;

struct flat_field {
    enum flat_kind kind;
    unsigned slot;
    unsigned size; /* of a scalar, or of an element of a vector */
    /* Tables: the type. Unions: an array of types indexed by member number. Entries with NULL
     * fields are unused, and flat_last_fields ends the array. */
    const struct flat_type *type;
};

struct flat_type {
    const char *name;
    const struct flat_field *fields;
};

/* Fields of the type at the end of an array. */
extern const struct flat_field flat_last_fields[];

struct flat_table;

/* The field's kind selects the member. Absent fields are all zero. */
struct flat_value {
    bool is_present;
    uint64_t scalar;
    uint32_t count; /* of elements, characters or tables */
    uint8_t *bytes;
    struct flat_table *table;
    struct flat_table **tables;
};

struct flat_table {
    const struct flat_type *type;
    struct flat_value *values; /* one value per field of the type */
};

enum { FLAT_MOST_TABLES = 16384 };

struct flat_tree {
    struct hy_arena arena; /* of the tables */
    struct flat_table *root;
    uint32_t count; /* of all tables */
    struct flat_table **all;
};

/* Reads a tree. Returns false with an empty tree if the bytes are not a FlatBuffer of this type or
 * exceed the size limit. Call flat_tree_finish in any case. */
bool flat_tree_read(const uint8_t *bytes, size_t length, const char identifier[4],
                    const struct flat_type *root, struct flat_tree *tree);
void flat_tree_finish(struct flat_tree *tree);

/* Writes the tree. The caller frees the bytes. */
uint8_t *flat_tree_write(const struct flat_tree *tree, const char identifier[4], size_t *length);

/* Number of fields of a type. */
unsigned flat_field_count(const struct flat_type *type);

/* Allocates zeroed memory owned by the tree. */
void *flat_tree_alloc(struct flat_tree *tree, size_t size);

#endif
