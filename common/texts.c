#include "common/texts.h"

#include <string.h>

static uint32_t number_at(const uint8_t *blob, size_t index)
{
    const uint8_t *at = blob + sizeof(uint32_t) * index;

    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void hy_texts_set_number(uint8_t *blob, size_t index, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        blob[sizeof(uint32_t) * index + (size_t)i] = (uint8_t)(number >> 8 * i);
}

bool hy_texts_open(const void *blob, size_t bytes, struct hy_texts *out)
{
    if (bytes < sizeof(uint32_t))
        return false;
    *out = (struct hy_texts){.blob = blob, .bytes = bytes, .count = number_at(blob, 0)};
    return hy_texts_head(out->count) <= bytes;
}

bool hy_texts_at(const struct hy_texts *texts, uint32_t index, struct hy_text *out)
{
    const size_t begin = number_at(texts->blob, (size_t)index + 1);
    const size_t end = number_at(texts->blob, (size_t)index + 2);

    if (begin < hy_texts_head(texts->count) || begin > end || end > texts->bytes)
        return false;
    *out = (struct hy_text){texts->blob + begin, end - begin};
    return true;
}

int hy_text_compare(const struct hy_text *a, const struct hy_text *b)
{
    const size_t length = a->length < b->length ? a->length : b->length;
    const int order = length ? memcmp(a->bytes, b->bytes, length) : 0;

    if (order != 0)
        return order;
    return (a->length > b->length) - (a->length < b->length);
}
