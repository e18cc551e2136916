#include "cache_store/directory/names.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

void hy_hex_format(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
}

static bool parse_digit(char digit, unsigned *ret)
{
    const char *at = digit ? strchr(digits, digit) : NULL;
    if (!at)
        return false;
    *ret = (unsigned)(at - digits);
    return true;
}

bool hy_hex_parse(const char *text, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned high, low;
        if (!parse_digit(text[2 * i], &high) || !parse_digit(text[2 * i + 1], &low))
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return text[2 * count] == '\0';
}

struct hy_shard_name hy_shard_name_make(uint8_t first)
{
    struct hy_shard_name name;
    hy_hex_format(&first, 1, name.text);
    return name;
}

struct hy_token_name hy_token_name_make(const uint8_t token[HY_TOKEN_SIZE])
{
    struct hy_token_name name;
    hy_hex_format(token, HY_TOKEN_SIZE, name.text);
    return name;
}

struct hy_file_name hy_model_name_make(uint32_t index)
{
    struct hy_file_name name;
    snprintf(name.text, sizeof name.text, "model-%u", index % HY_MAX_CACHE_FILES);
    return name;
}

struct hy_file_name hy_data_name_make(uint32_t index)
{
    struct hy_file_name name;
    snprintf(name.text, sizeof name.text, "data-%u", index % HY_MAX_CACHE_FILES);
    return name;
}
