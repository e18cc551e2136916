#ifndef HY_TESTS_TOOLS_KIT_FLATBUFFER_WRITER_H
#define HY_TESTS_TOOLS_KIT_FLATBUFFER_WRITER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes FlatBuffers, front to back: a table or vector of offsets is written with zeros, what it
 * refers to comes later, and a link fills the offset in. Since every position is known, a test can
 * also break any byte it likes. Running out of memory aborts: this is for tests.
 */
struct hy_fbw {
    uint8_t *bytes; /* free() it */
    size_t length;
    size_t capacity;
};

/* One field of a table: its slot in the schema, 1, 2, 4 or 8 bytes, the value (0 for offsets). */
struct hy_fbw_field {
    unsigned slot;
    unsigned size;
    uint64_t value;
};

/* Each returns the position of what it wrote. */
size_t hy_fbw_table(struct hy_fbw *writer, const struct hy_fbw_field *fields, unsigned count);
size_t hy_fbw_vector(struct hy_fbw *writer, size_t element_size, uint32_t count, const void *data);
size_t hy_fbw_string(struct hy_fbw *writer, const char *text);

/* A root offset (to be linked with hy_fbw_link_at(writer, 0, table)) and a file identifier. */
void hy_fbw_start(struct hy_fbw *writer, const char identifier[4]);

/* Lets the offset at `at`, in a field, or in element `index` of a vector refer to `target`. */
void hy_fbw_link_at(struct hy_fbw *writer, size_t at, size_t target);
void hy_fbw_link(struct hy_fbw *writer, size_t table, unsigned slot, size_t target);
void hy_fbw_link_element(struct hy_fbw *writer, size_t vector, uint32_t index, size_t target);

/* Where a field of a table lies. */
size_t hy_fbw_position(const struct hy_fbw *writer, size_t table, unsigned slot);

void hy_fbw_put(struct hy_fbw *writer, size_t at, uint64_t value, unsigned size);

#endif
