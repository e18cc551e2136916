#include "tests/unit/plugins/service/wire/kit/samples.h"

#include <string.h>

/* Structs by chance, from the rows that the product packs them by. */

enum { MOST_ELEMENTS = 5 };

static bool is_count(const struct hy_field *fields, const struct hy_field *number)
{
    for (; fields->kind != HY_FIELD_END; fields++) {
        switch (fields->kind) {
        case HY_FIELD_TEXTS:
        case HY_FIELD_ARRAY:
        case HY_FIELD_RESERVE:
        case HY_FIELD_EACH:
        case HY_FIELD_FDS:
            if (fields->count == number->offset)
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* Inside the limits; counts are small. */
static uint64_t any_number(struct hy_wire_samples *samples, const struct hy_field *fields,
                           const struct hy_field *number)
{
    const uint64_t any = hy_random_next(&samples->chance);

    if (is_count(fields, number))
        return number->least + hy_wire_below(samples, MOST_ELEMENTS);
    if (!number->refusal)
        return number->width == 2 ? (uint16_t)any : any;
    const uint64_t span = number->most - number->least + 1;
    return number->least + (hy_wire_below(samples, 3) ? any % span : 0);
}

static void put(const struct hy_field *field, uint8_t *value, const void *bytes)
{
    memcpy(value + field->offset, bytes, field->size);
}

static void put_pointer(const struct hy_field *field, uint8_t *value, const void *pointer)
{
    memcpy(value + field->offset, &pointer, sizeof pointer);
}

static void *any_bytes(struct hy_wire_samples *samples, uint32_t count, uint32_t size)
{
    uint8_t *bytes = hy_wire_alloc(samples, count, size);

    for (uint32_t i = 0; i < count * size; i++)
        bytes[i] = (uint8_t)hy_random_next(&samples->chance);
    return bytes;
}

static void *any_texts(struct hy_wire_samples *samples, uint32_t count)
{
    const char **texts = hy_wire_alloc(samples, count, sizeof *texts);

    for (uint32_t i = 0; i < count; i++)
        texts[i] = hy_wire_text(samples);
    return texts;
}

static void *any_fds(struct hy_wire_samples *samples, uint32_t count)
{
    int *fds = hy_wire_alloc(samples, count, sizeof *fds);

    for (uint32_t i = 0; i < count; i++)
        fds[i] = hy_wire_fd(samples);
    return fds;
}

static void *any_structs(struct hy_wire_samples *samples, const struct hy_field *field,
                         uint32_t count)
{
    uint8_t *structs = hy_wire_alloc(samples, count, field->size);

    for (uint32_t i = 0; i < count; i++)
        hy_wire_random(samples, field->element, structs + i * field->size);
    return structs;
}

static void fill(struct hy_wire_samples *samples, const struct hy_field *field, uint8_t *value,
                 bool has)
{
    const uint32_t size = (uint32_t)field->most;
    const int fd = has ? hy_wire_fd(samples) : -1;
    struct hy_pool pool;
    uint32_t count;

    memcpy(&count, value + field->count, sizeof count);
    switch (field->kind) {
    case HY_FIELD_SIZE:
        put(field, value, &size);
        break;
    case HY_FIELD_RECORD:
        put(field, value, any_bytes(samples, 1, field->size));
        break;
    case HY_FIELD_TEXT:
        put_pointer(field, value, hy_wire_text(samples));
        break;
    case HY_FIELD_TEXTS:
        put_pointer(field, value, any_texts(samples, count));
        break;
    case HY_FIELD_ARRAY:
        put_pointer(field, value, any_bytes(samples, count, field->width));
        break;
    case HY_FIELD_FIXED:
        put_pointer(field, value, has ? any_bytes(samples, 1, field->width) : NULL);
        break;
    case HY_FIELD_EACH:
        put_pointer(field, value, any_structs(samples, field, count));
        break;
    case HY_FIELD_STRUCT:
        hy_wire_random(samples, field->element, value + field->offset);
        break;
    case HY_FIELD_POOL:
        pool = hy_wire_pool(samples);
        put(field, value, &pool);
        break;
    case HY_FIELD_FD:
        put(field, value, &fd);
        break;
    case HY_FIELD_FDS:
        put_pointer(field, value, any_fds(samples, count));
        break;
    default:
        break;
    }
}

void hy_wire_random(struct hy_wire_samples *samples, hy_fields *rows, void *value)
{
    const struct hy_field *fields = rows();
    bool has = true;

    for (const struct hy_field *field = fields; field->kind != HY_FIELD_END; field++) {
        if (field->kind == HY_FIELD_HAS) {
            has = hy_wire_below(samples, 2) != 0;
        } else if (field->kind == HY_FIELD_UNSIGNED || field->kind == HY_FIELD_SIGNED) {
            const uint64_t number = any_number(samples, fields, field);
            put(field, value, &number);
        } else {
            fill(samples, field, value, has);
        }
    }
}
