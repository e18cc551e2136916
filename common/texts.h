#ifndef HY_COMMON_TEXTS_H
#define HY_COMMON_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Texts in a blob, in the format of TensorFlow Lite: int32 count, count + 1 int32 offsets from the
 * start of the blob, bytes. Text i has the bytes from offset i to offset i + 1. Numbers are
 * little-endian and unaligned.
 */
struct hy_texts {
    const uint8_t *blob;
    size_t bytes;
    uint32_t count;
};

struct hy_text {
    const uint8_t *bytes;
    size_t length;
};

/* Bytes before the first text. */
static inline uint64_t hy_texts_head(uint64_t count)
{
    return sizeof(int32_t) * (count + 2);
}

/* False if the blob is too short for its offsets. */
bool hy_texts_open(const void *blob, size_t bytes, struct hy_texts *out);

/* `index` must be below the count. False if the text does not lie behind the offsets. */
bool hy_texts_at(const struct hy_texts *texts, uint32_t index, struct hy_text *out);

/* Compares bytes, then lengths: below 0, 0 or above. */
int hy_text_compare(const struct hy_text *a, const struct hy_text *b);

/* Writes number `index` of a blob: the count, then offsets. */
void hy_texts_set_number(uint8_t *blob, size_t index, uint32_t number);

#endif
