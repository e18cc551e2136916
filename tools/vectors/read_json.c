#include "tools/vectors/read_json.h"

#include <string.h>

#include "common/checked.h"

static const char *type_name(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    default:
        return "a number";
    }
}

void *hy_read_alloc(struct hy_reader *reader, size_t count, size_t size)
{
    size_t bytes = 0;
    void *memory = hy_mul_size(count, size, &bytes) ? hy_arena_alloc(reader->arena, bytes) : NULL;
    if (memory)
        memset(memory, 0, bytes);
    else
        hy_fail(reader->err, HY_OUT_OF_MEMORY, "%zu elements of %zu bytes", count, size);
    return memory;
}

enum hy_code hy_read_member(struct hy_reader *reader, const json_t *object, const char *key,
                            json_type type, json_t **out)
{
    json_t *member = json_object_get(object, key);
    if (!member || json_typeof(member) != type)
        return hy_fail(reader->err, HY_BAD_DATA, "\"%s\" is missing or is not %s", key,
                       type_name(type));
    *out = member;
    return HY_OK;
}

enum hy_code hy_read_bool(struct hy_reader *reader, const json_t *object, const char *key,
                          bool *out)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_boolean(member))
        return hy_fail(reader->err, HY_BAD_DATA, "\"%s\" is neither true nor false", key);
    *out = json_is_true(member);
    return HY_OK;
}

enum hy_code hy_read_string(struct hy_reader *reader, const json_t *object, const char *key,
                            const char **out)
{
    json_t *member;
    const enum hy_code code = hy_read_member(reader, object, key, JSON_STRING, &member);
    if (code != HY_OK)
        return code;
    *out =
        hy_arena_copy(reader->arena, json_string_value(member), json_string_length(member) + 1, 1);
    return *out ? HY_OK : hy_fail(reader->err, HY_OUT_OF_MEMORY, "\"%s\"", key);
}

enum hy_code hy_read_number(struct hy_reader *reader, const json_t *object, const char *key,
                            double *out)
{
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_number(member))
        return hy_fail(reader->err, HY_BAD_DATA, "\"%s\" is not a number", key);
    *out = json_number_value(member); /* 0 for NULL */
    return HY_OK;
}

enum hy_code hy_read_indices(struct hy_reader *reader, const json_t *array, const char *name,
                             uint64_t limit, struct hy_vector_indices *out)
{
    if (!json_is_array(array))
        return hy_fail(reader->err, HY_BAD_DATA, "\"%s\" is missing or is not an array", name);

    const size_t count = json_array_size(array);
    uint32_t *items = hy_read_alloc(reader, count, sizeof *items);
    if (!items)
        return HY_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        const json_int_t value = json_integer_value(item);
        if (!json_is_integer(item) || value < 0 || (uint64_t)value >= limit)
            return hy_fail(reader->err, HY_BAD_DATA, "\"%s\"[%zu] is not a number below %llu", name,
                           i, (unsigned long long)limit);
        items[i] = (uint32_t)value;
    }
    *out = (struct hy_vector_indices){(uint32_t)count, items};
    return HY_OK;
}
