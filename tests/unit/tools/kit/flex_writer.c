#include "tests/unit/tools/kit/flex_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Types with a width of four bytes. */
enum {
    INT_OF_4 = 1 << 2 | 2,
    FLOAT_OF_4 = 3 << 2 | 2,
    STRING_OF_4 = 5 << 2 | 2,
    MAP_OF_4 = 9 << 2 | 2,
    VECTOR_OF_4 = 10 << 2 | 2,
    INTS_OF_4 = 11 << 2 | 2,
    PAIR_OF_4 = 16 << 2 | 2,
    BOOL_OF_4 = 26 << 2 | 2,
};

enum { MOST_OPTIONS = 32 };

struct writer {
    uint8_t *buffer;
    uint32_t capacity;
    uint32_t at;
};

static void put_byte(struct writer *writer, uint8_t byte)
{
    if (writer->at == writer->capacity)
        abort();
    writer->buffer[writer->at++] = byte;
}

static void put(struct writer *writer, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++)
        put_byte(writer, (uint8_t)(value >> 8 * i));
}

static void put_text(struct writer *writer, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++)
        put_byte(writer, (uint8_t)text[i]);
}

static void align(struct writer *writer)
{
    while (writer->at % 4 != 0)
        put_byte(writer, 0);
}

static uint32_t bits_of(double number)
{
    const float real = (float)number;
    uint32_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static bool is_indirect(enum hy_flex_kind kind)
{
    return kind >= HY_FLEX_TEXT;
}

/* A vector or a text; gives the place of its first element. */
static uint32_t put_elements(struct writer *writer, const struct hy_flex_option *option)
{
    align(writer);
    if (option->kind == HY_FLEX_TEXT)
        put(writer, (uint32_t)strlen(option->text));
    else if (option->kind != HY_FLEX_PAIR)
        put(writer, option->count + (option->kind == HY_FLEX_MIXED));
    const uint32_t position = writer->at;
    if (option->kind == HY_FLEX_TEXT)
        put_text(writer, option->text);
    for (uint32_t i = 0; option->kind != HY_FLEX_TEXT && i < option->count; i++)
        put(writer, (uint32_t)option->ints[i]);
    if (option->kind == HY_FLEX_MIXED) {
        put(writer, bits_of(option->number));
        for (uint32_t i = 0; i < option->count; i++)
            put_byte(writer, INT_OF_4);
        put_byte(writer, FLOAT_OF_4);
    }
    return position;
}

static void put_value(struct writer *writer, const struct hy_flex_option *option, uint32_t position)
{
    if (is_indirect(option->kind))
        put(writer, writer->at - position);
    else
        put(writer, option->kind == HY_FLEX_REAL ? bits_of(option->number)
                                                 : (uint32_t)(int32_t)option->number);
}

static uint8_t type_of(enum hy_flex_kind kind)
{
    static const uint8_t types[] = {
        [HY_FLEX_WHOLE] = INT_OF_4,   [HY_FLEX_REAL] = FLOAT_OF_4, [HY_FLEX_BOOL] = BOOL_OF_4,
        [HY_FLEX_TEXT] = STRING_OF_4, [HY_FLEX_INTS] = INTS_OF_4,  [HY_FLEX_MIXED] = VECTOR_OF_4,
        [HY_FLEX_PAIR] = PAIR_OF_4,
    };
    return types[kind];
}

/* Keys, vectors and texts, then the vector of the keys' offsets, then values and types, then the
 * root. */
uint32_t hy_flex_write(uint8_t *buffer, uint32_t capacity, const struct hy_flex_option *options,
                       uint32_t count)
{
    struct writer writer = {buffer, capacity, 0};
    uint32_t names[MOST_OPTIONS], offsets[MOST_OPTIONS] = {0};

    if (count > MOST_OPTIONS)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        names[i] = writer.at;
        put_text(&writer, options[i].key);
        if (is_indirect(options[i].kind))
            offsets[i] = put_elements(&writer, &options[i]);
    }
    align(&writer);
    put(&writer, count);
    const uint32_t keys = writer.at;
    for (uint32_t i = 0; i < count; i++)
        put(&writer, writer.at - names[i]);
    put(&writer, writer.at - keys);
    put(&writer, 4); /* bytes of a key's offset */
    put(&writer, count);
    const uint32_t values = writer.at;
    for (uint32_t i = 0; i < count; i++)
        put_value(&writer, &options[i], offsets[i]);
    for (uint32_t i = 0; i < count; i++)
        put_byte(&writer, type_of(options[i].kind));
    put(&writer, writer.at - values);
    put_byte(&writer, MAP_OF_4);
    put_byte(&writer, 4);
    return writer.at;
}
