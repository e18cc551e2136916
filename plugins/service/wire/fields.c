#include "plugins/service/wire/fields.h"

#include "plugins/service/wire/pools.h"

#include <assert.h>
#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_of_record(const struct hy_field *field)
{
    return field->kind >= HY_FIELD_UNSIGNED && field->kind <= HY_FIELD_RECORD;
}

static size_t record_bytes(const struct hy_field *field)
{
    size_t bytes = 0;

    for (; is_of_record(field); field++)
        bytes += field->width;
    return bytes;
}

/* Returns the minimum size of the rows in bytes. */
static size_t least_bytes(const struct hy_field *field)
{
    size_t bytes = 0;

    while (field->kind != HY_FIELD_END) {
        bytes += (record_bytes(field) + 7) / 8 * 8;
        while (is_of_record(field))
            field++;
        for (; field->kind != HY_FIELD_END && !is_of_record(field); field++)
            bytes += field->kind == HY_FIELD_TEXT ? 8 : 0;
    }
    return bytes;
}

static uint32_t count_of(const struct hy_field *field, const uint8_t *value)
{
    uint32_t count;

    memcpy(&count, value + field->count, sizeof count);
    return count;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const void *pointer_in(const struct hy_field *field, const uint8_t *value)
{
    const void *pointer;

    memcpy(&pointer, value + field->offset, sizeof pointer);
    return pointer;
}

static int fd_in(const struct hy_field *field, const uint8_t *value)
{
    int fd;

    memcpy(&fd, value + field->offset, sizeof fd);
    return fd;
}

static bool is_there(const struct hy_field *field, const uint8_t *value)
{
    return field->size == sizeof(int) ? fd_in(field, value) >= 0 : pointer_in(field, value) != NULL;
}

/* Numbers are little-endian. */
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of different widths");

/* A copy of constant size compiles to an instruction, a copy of variable size to a call. */
static inline void copy_number(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, 2);
}

static inline void store(void *to, uint32_t bytes, uint64_t number)
{
    copy_number(to, &number, bytes);
}

/* Loads a number; a signed number as its two's complement. */
static inline uint64_t load(const void *from, uint32_t bytes, bool is_signed)
{
    uint64_t number = 0;

    copy_number(&number, from, bytes);
    return is_signed && bytes == 4 ? (uint64_t)(int32_t)number : number;
}

static void pack_number(const struct hy_field *field, const uint8_t *value, bool has, uint8_t *to)
{
    switch (field->kind) {
    case HY_FIELD_CONSTANT:
        store(to, field->width, field->most);
        break;
    case HY_FIELD_HAS:
        store(to, field->width, has);
        break;
    case HY_FIELD_RECORD:
        memcpy(to, value + field->offset, field->width);
        break;
    default:
        store(to, field->width,
              load(value + field->offset, field->size, field->kind == HY_FIELD_SIGNED));
    }
}

/* Returns the row behind the record. */
static const struct hy_field *pack_record(struct hy_pack *out, const struct hy_field *field,
                                          const uint8_t *value, bool *has)
{
    uint8_t *to = hy_pack_records(out, 1, record_bytes(field));

    for (; is_of_record(field); field++) {
        if (field->kind == HY_FIELD_HAS)
            *has = is_there(field, value);
        if (to)
            pack_number(field, value, *has, to);
        to = to ? to + field->width : NULL;
    }
    return field;
}

static void pack_texts(struct hy_pack *out, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++)
        hy_pack_text(out, texts[i]);
}

static void pack_fds(struct hy_pack *out, const int *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++)
        hy_pack_fd(out, fds[i]);
}

static void pack_piece(struct hy_pack *out, const struct hy_field *field, const uint8_t *value,
                       bool has)
{
    switch (field->kind) {
    case HY_FIELD_TEXT:
        hy_pack_text(out, pointer_in(field, value));
        break;
    case HY_FIELD_TEXTS:
        pack_texts(out, pointer_in(field, value), count_of(field, value));
        break;
    case HY_FIELD_ARRAY:
        hy_pack_copy(out, pointer_in(field, value), count_of(field, value), field->width);
        break;
    case HY_FIELD_FIXED:
        hy_pack_copy(out, pointer_in(field, value), has, field->width);
        break;
    case HY_FIELD_EACH:
        hy_fields_pack_each(out, field->element, pointer_in(field, value), count_of(field, value),
                            field->size);
        break;
    case HY_FIELD_STRUCT:
        hy_fields_pack(out, field->element, value + field->offset);
        break;
    case HY_FIELD_POOL:
        hy_pools_pack(out, (const struct hy_pool *)(const void *)(value + field->offset), 1);
        break;
    case HY_FIELD_FD:
        if (has)
            hy_pack_fd(out, fd_in(field, value));
        break;
    case HY_FIELD_FDS:
        pack_fds(out, pointer_in(field, value), count_of(field, value));
        break;
    default:
        break;
    }
}

void hy_fields_pack(struct hy_pack *out, hy_fields *fields, const void *value)
{
    const struct hy_field *field = fields();
    bool has = true;

    while (field->kind != HY_FIELD_END && out->code == HY_OK) {
        if (is_of_record(field))
            field = pack_record(out, field, value, &has);
        else
            pack_piece(out, field++, value, has);
    }
}

void hy_fields_pack_each(struct hy_pack *out, hy_fields *fields, const void *values, uint32_t count,
                         size_t size)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++)
        hy_fields_pack(out, fields, (const uint8_t *)values + i * size);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_inside(const struct hy_field *field, uint64_t number)
{
    if (field->kind == HY_FIELD_SIGNED)
        return (int64_t)number >= (int64_t)field->least && (int64_t)number <= (int64_t)field->most;
    return number >= field->least && number <= field->most;
}

static void check_number(struct hy_unpack *in, const struct hy_field *field, uint64_t number)
{
    const bool is_fine =
        field->kind == HY_FIELD_CONSTANT ? number == field->most : is_inside(field, number);

    if (field->refusal && !is_fine)
        hy_unpack_fail(in, field->refusal, (unsigned long long)number,
                       (unsigned long long)field->most);
}

static void unpack_number(struct hy_unpack *in, const struct hy_field *field, const uint8_t *from,
                          uint8_t *value, bool *has)
{
    if (field->kind == HY_FIELD_RECORD) {
        memcpy(value + field->offset, from, field->width);
        return;
    }
    const uint64_t number = load(from, field->width, field->kind == HY_FIELD_SIGNED);
    check_number(in, field, number);
    if (field->kind == HY_FIELD_HAS)
        *has = number != 0;
    else if (field->kind == HY_FIELD_UNSIGNED && field->size == 4 && number > UINT32_MAX)
        store(value + field->offset, 4, UINT32_MAX);
    else if (field->kind != HY_FIELD_CONSTANT)
        store(value + field->offset, field->size, number);
}

static const struct hy_field *unpack_record(struct hy_unpack *in, const struct hy_field *field,
                                            uint8_t *value, bool *has)
{
    const uint8_t *from = hy_unpack_records(in, 1, record_bytes(field));

    for (; is_of_record(field) && from; from += field->width, field++)
        unpack_number(in, field, from, value, has);
    return field;
}

static const void *unpack_texts(struct hy_unpack *in, uint32_t count)
{
    const char **texts = hy_unpack_reserve(in, count, sizeof *texts, 8);

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++)
        texts[i] = hy_unpack_text(in);
    return texts;
}

/* Reads the array or text of a row and returns the pointer for the member. */
static const void *unpack_pointed(struct hy_unpack *in, const struct hy_field *field,
                                  uint32_t count, bool has)
{
    switch (field->kind) {
    case HY_FIELD_TEXT:
        return hy_unpack_text(in);
    case HY_FIELD_TEXTS:
        return unpack_texts(in, count);
    case HY_FIELD_ARRAY:
        return hy_unpack_records(in, count, field->width);
    case HY_FIELD_FIXED:
        return hy_unpack_records(in, has, field->width);
    case HY_FIELD_RESERVE:
        return hy_unpack_reserve(in, count, field->size, field->width);
    case HY_FIELD_EACH:
        return hy_fields_unpack_each(in, field->element, count, field->size);
    default:
        return hy_unpack_fds(in, count);
    }
}

static void unpack_piece(struct hy_unpack *in, const struct hy_field *field, uint8_t *value,
                         bool has)
{
    uint8_t *member = value + field->offset;
    struct hy_pool *pool = NULL;

    switch (field->kind) {
    case HY_FIELD_SIZE:
        store(member, field->size, field->most);
        break;
    case HY_FIELD_STRUCT:
        hy_fields_unpack(in, field->element, member);
        break;
    case HY_FIELD_POOL:
        hy_pools_unpack(in, 1, &pool);
        if (pool)
            memcpy(member, pool, sizeof *pool);
        break;
    case HY_FIELD_FD:
        store(member, sizeof(int), (uint64_t)(has ? hy_unpack_fd(in) : -1));
        break;
    default: {
        const void *pointed = unpack_pointed(in, field, count_of(field, value), has);
        memcpy(member, &pointed, sizeof pointed);
    }
    }
}

void hy_fields_unpack(struct hy_unpack *in, hy_fields *fields, void *value)
{
    const struct hy_field *field = fields();
    bool has = true;

    while (field->kind != HY_FIELD_END && hy_unpack_good(in)) {
        if (is_of_record(field))
            field = unpack_record(in, field, value, &has);
        else
            unpack_piece(in, field++, value, has);
    }
}

void *hy_fields_unpack_each(struct hy_unpack *in, hy_fields *fields, uint32_t count, size_t size)
{
    uint8_t *values = hy_unpack_reserve(in, count, size, least_bytes(fields()));

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++)
        hy_fields_unpack(in, fields, values + i * size);
    return values;
}
