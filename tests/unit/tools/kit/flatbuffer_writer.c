#include "tests/unit/tools/kit/flatbuffer_writer.h"

#include <stdlib.h>
#include <string.h>

#include "libhalyard/tflite/flatbuffer.h"

/* Appends zeroed bytes, the first of them at a multiple of `alignment` less `before`. */
static size_t append(struct hy_fbw *writer, size_t size, size_t alignment, size_t before)
{
    size_t at = writer->length;
    while ((at + before) % alignment != 0)
        at++;
    if (at + size > writer->capacity) {
        writer->capacity = 2 * (at + size);
        writer->bytes = realloc(writer->bytes, writer->capacity);
        if (!writer->bytes)
            abort();
    }
    memset(writer->bytes + writer->length, 0, at + size - writer->length);
    writer->length = at + size;
    return at;
}

void hy_fbw_put(struct hy_fbw *writer, size_t at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        writer->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

size_t hy_fbw_table(struct hy_fbw *writer, const struct hy_fbw_field *fields, unsigned count)
{
    unsigned slots = 0, size = 4;
    uint16_t offsets[64] = {0};
    for (unsigned i = 0; i < count; i++) {
        const unsigned bytes = fields[i].size;
        size = (size + bytes - 1) / bytes * bytes;
        offsets[fields[i].slot] = (uint16_t)size;
        size += bytes;
        if (fields[i].slot >= slots)
            slots = fields[i].slot + 1;
    }

    const size_t vtable = append(writer, 4 + 2 * (size_t)slots, 2, 0);
    const size_t table = append(writer, size, 8, 0);
    hy_fbw_put(writer, vtable, 4 + 2 * slots, 2);
    hy_fbw_put(writer, vtable + 2, size, 2);
    for (unsigned slot = 0; slot < slots; slot++)
        hy_fbw_put(writer, vtable + 4 + 2 * slot, offsets[slot], 2);
    hy_fbw_put(writer, table, table - vtable, 4);
    for (unsigned i = 0; i < count; i++)
        hy_fbw_put(writer, table + offsets[fields[i].slot], fields[i].value, fields[i].size);
    return table;
}

size_t hy_fbw_vector(struct hy_fbw *writer, size_t element_size, uint32_t count, const void *data)
{
    const size_t alignment = element_size > 4 ? element_size : 4;
    const size_t at = append(writer, 4 + element_size * count, alignment, 4);
    hy_fbw_put(writer, at, count, 4);
    if (data && count != 0)
        memcpy(writer->bytes + at + 4, data, element_size * count);
    return at;
}

size_t hy_fbw_string(struct hy_fbw *writer, const char *text)
{
    const size_t at = hy_fbw_vector(writer, 1, (uint32_t)strlen(text), text);
    append(writer, 1, 1, 0);
    return at;
}

void hy_fbw_start(struct hy_fbw *writer, const char identifier[4])
{
    *writer = (struct hy_fbw){0};
    append(writer, 8, 1, 0);
    memcpy(writer->bytes + 4, identifier, 4);
}

void hy_fbw_link_at(struct hy_fbw *writer, size_t at, size_t target)
{
    hy_fbw_put(writer, at, target - at, 4);
}

size_t hy_fbw_position(const struct hy_fbw *writer, size_t table, unsigned slot)
{
    const size_t vtable = table - hy_load_u32(writer->bytes + table);
    return table + hy_load_u16(writer->bytes + vtable + 4 + 2 * (size_t)slot);
}

void hy_fbw_link(struct hy_fbw *writer, size_t table, unsigned slot, size_t target)
{
    hy_fbw_link_at(writer, hy_fbw_position(writer, table, slot), target);
}

void hy_fbw_link_element(struct hy_fbw *writer, size_t vector, uint32_t index, size_t target)
{
    hy_fbw_link_at(writer, vector + 4 + 4 * (size_t)index, target);
}
