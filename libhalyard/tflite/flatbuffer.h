#ifndef HY_TOOLS_TFLITE_FLATBUFFER_H
#define HY_TOOLS_TFLITE_FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * Checked access to an untrusted FlatBuffer.
 *
 * Nothing is verified in advance: each access checks its offset and length, in 64 bits, against the
 * length of the file. The cost is proportional to the number of accesses. No recursion depends on
 * the file: a caller walks a fixed schema to a fixed depth.
 *
 * Failure is sticky. The first bad offset, count or alignment fills `code` and `err` with the
 * position and the numbers; from then on every access returns the value of an absent field (the
 * default, an empty vector, an absent table). A caller reads a whole object and checks `code` once.
 */
struct hy_fb {
    const uint8_t *bytes;
    uint64_t length;
    enum hy_code code;
    uint64_t missing;     /* at the first failure: missing bytes after the end of the file; or 0 */
    struct hy_error *err; /* may be NULL */
};

/* A table with a checked vtable. at == 0: absent, all fields have their defaults. */
struct hy_fb_table {
    uint64_t at;
    uint64_t vtable;
    uint16_t vtable_size;
    uint16_t size;
};

/* Elements as stored in the file: little-endian, of any alignment. data == NULL: absent. */
struct hy_fb_vector {
    const uint8_t *data;
    uint32_t count;
};

/* Starts reading; checks the four characters of the file identifier and returns the root table. */
struct hy_fb_table hy_fb_open(struct hy_fb *fb, const void *bytes, size_t length,
                              const char identifier[4], struct hy_error *err);

/* Scalar fields. `slot` counts the fields of the schema from 0; unions take two slots. */
uint8_t hy_fb_u8(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, uint8_t absent);
uint32_t hy_fb_u32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                   uint32_t absent);
int32_t hy_fb_i32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, int32_t absent);
uint64_t hy_fb_u64(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                   uint64_t absent);
float hy_fb_f32(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot, float absent);

/* The table, vector or string of a field. A string's data ends in a NUL outside `count`. */
struct hy_fb_table hy_fb_child(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot);
struct hy_fb_vector hy_fb_vector(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot,
                                 size_t element_size);
struct hy_fb_vector hy_fb_string(struct hy_fb *fb, const struct hy_fb_table *table, unsigned slot);

/* Element `index` (below count) of a vector of tables; the vector was read with element size 4. */
struct hy_fb_table hy_fb_table_at(struct hy_fb *fb, const struct hy_fb_vector *vector,
                                  uint32_t index);

/* Little-endian loads from any address; the caller has checked the bounds. */
uint16_t hy_load_u16(const void *from);
uint32_t hy_load_u32(const void *from);
uint64_t hy_load_u64(const void *from);
float hy_load_f32(const void *from);

#endif
