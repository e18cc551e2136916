#ifndef HY_TOOLS_VECTORS_READ_JSON_H
#define HY_TOOLS_VECTORS_READ_JSON_H

#include <jansson.h>

#include "tools/vectors/vector.h"

/* For *_json.c files alone: JSON values as checked C values in an arena. Failures are HY_BAD_DATA
 * with the key, or HY_OUT_OF_MEMORY; the caller puts the position before the error text. */
struct hy_reader {
    struct hy_arena *arena;
    struct hy_error *err;
};

/* The member of an object, of the given type. */
HY_MUST_CHECK enum hy_code hy_read_member(struct hy_reader *reader, const json_t *object,
                                          const char *key, json_type type, json_t **out);
HY_MUST_CHECK enum hy_code hy_read_bool(struct hy_reader *reader, const json_t *object,
                                        const char *key, bool *out);
HY_MUST_CHECK enum hy_code hy_read_string(struct hy_reader *reader, const json_t *object,
                                          const char *key, const char **out);

/* An optional number; 0 if absent. */
HY_MUST_CHECK enum hy_code hy_read_number(struct hy_reader *reader, const json_t *object,
                                          const char *key, double *out);

/* Numbers from 0 to below `limit`; `name` is for the error text. */
HY_MUST_CHECK enum hy_code hy_read_indices(struct hy_reader *reader, const json_t *array,
                                           const char *name, uint64_t limit,
                                           struct hy_vector_indices *out);

/* Elements of an operand type; null gives an omitted value. */
HY_MUST_CHECK enum hy_code hy_read_value(struct hy_reader *reader, const json_t *array,
                                         int32_t type, struct hy_vector_value *out);

/* Zeroed memory for `count` elements. NULL: failure. */
void *hy_read_alloc(struct hy_reader *reader, size_t count, size_t size);

#endif
