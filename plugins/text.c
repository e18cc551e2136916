#include "plugins/text.h"

#include <stddef.h>
#include <stdint.h>

/* What a first byte announces, and the smallest character that may be written that long. */
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

/* Bytes of the character at the start of the text; 0 if there is no clean one. */
static size_t clean_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t smallest, character;
    size_t length = announced_length(bytes[0], &smallest, &character);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) /* the final NUL stops us here, too */
            return 0;
        character = character << 6 | (bytes[i] & 0x3f);
    }
    bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    bool is_surrogate = character >= 0xd800 && character < 0xe000;
    return is_control || is_surrogate || character < smallest || character > 0x10ffff ? 0 : length;
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
