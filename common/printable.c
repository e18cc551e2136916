#include "common/printable.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length announced by a first byte, and the smallest character allowed at this length. */
static size_t announced_length(unsigned char first, uint32_t *smallest, uint32_t *bits)
{
    static const uint32_t smallest_of[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = first < 0x80                     ? 1
                    : first >= 0xc0 && first < 0xe0  ? 2
                    : first >= 0xe0 && first < 0xf0  ? 3
                    : first >= 0xf0 && first <= 0xf4 ? 4
                                                     : 0;
    *smallest = smallest_of[length];
    *bits = length > 1 ? first & (0x7fu >> length) : first;
    return length;
}

static bool is_within(uint32_t character, uint32_t first, uint32_t last)
{
    return character >= first && character <= last;
}

/* Characters that move the cursor, start a line or change the text direction. */
static bool is_unprintable(uint32_t character)
{
    return character < 0x20 || is_within(character, 0x7f, 0x9f) || character == 0x061c ||
           is_within(character, 0x200e, 0x200f) || is_within(character, 0x2028, 0x202e) ||
           is_within(character, 0x2066, 0x2069);
}

/* Bytes of the first character; 0 if it is not clean. */
static size_t clean_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t smallest, character;
    size_t length = announced_length(bytes[0], &smallest, &character);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) /* the final NUL ends the loop, too */
            return 0;
        character = character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = is_within(character, 0xd800, 0xdfff);
    return is_unprintable(character) || is_surrogate || character < smallest || character > 0x10ffff
               ? 0
               : length;
}

bool hy_text_is_clean(const char *text)
{
    while (*text) {
        size_t length = clean_length(text);
        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

void hy_text_clean(char *text)
{
    while (*text) {
        size_t length = clean_length(text);
        if (length == 0)
            *text = ' ';
        text += length ? length : 1;
    }
}

struct hy_line hy_text_line(const char *text)
{
    struct hy_line line;

    snprintf(line.text, sizeof line.text, "%s", text);
    hy_text_clean(line.text);
    return line;
}
