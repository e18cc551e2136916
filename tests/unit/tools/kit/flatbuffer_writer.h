#ifndef HY_TESTS_UNIT_TOOLS_KIT_FLATBUFFER_WRITER_H
#define HY_TESTS_UNIT_TOOLS_KIT_FLATBUFFER_WRITER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes FlatBuffers from front to back. Tables and vectors with offsets contain zeros at first;
 * targets come later, and a link fills in the offset. All positions are known, so a test can
 * corrupt any byte. Aborts if out of memory, since the writer is for tests.
 */
struct hy_fbw {
    uint8_t *bytes; /* caller frees */
    size_t length;
    size_t capacity;
};

/* A field of a table: the slot in the schema, the size of 1, 2, 4 or 8 bytes, and the value (0 for
 * offsets). */
struct hy_fbw_field {
    unsigned slot;
    unsigned size;
    uint64_t value;
};

/* Each function returns the position of the written object. */
size_t hy_fbw_table(struct hy_fbw *writer, const struct hy_fbw_field *fields, unsigned count);
size_t hy_fbw_vector(struct hy_fbw *writer, size_t element_size, uint32_t count, const void *data);
size_t hy_fbw_string(struct hy_fbw *writer, const char *text);

/* Writes a root offset (to be linked with hy_fbw_link_at(writer, 0, table)) and a file
 * identifier. */
void hy_fbw_start(struct hy_fbw *writer, const char identifier[4]);

/* Link the offset at `at`, in a field, or in element `index` of a vector to `target`. */
void hy_fbw_link_at(struct hy_fbw *writer, size_t at, size_t target);
void hy_fbw_link(struct hy_fbw *writer, size_t table, unsigned slot, size_t target);
void hy_fbw_link_element(struct hy_fbw *writer, size_t vector, uint32_t index, size_t target);

/* The position of a field in a table. */
size_t hy_fbw_position(const struct hy_fbw *writer, size_t table, unsigned slot);

void hy_fbw_put(struct hy_fbw *writer, size_t at, uint64_t value, unsigned size);

#endif
