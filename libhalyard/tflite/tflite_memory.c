#include "libhalyard/tflite/tflite_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"

/* One allocation per array, so that a sanitizer detects the end of each. Most arrays have a few
 * bytes: the alignment is the alignment of a model's widest type, not more. */
struct hy_tflite_block {
    struct hy_tflite_block *next;
    _Alignas(uint64_t) unsigned char bytes[];
};

void *hy_tflite_alloc(struct hy_tflite_reader *reader, uint64_t count, size_t size,
                      enum hy_code *code)
{
    uint64_t bytes;
    if (!hy_mul_u64(count, size, &bytes) ||
        !hy_add_u64(bytes, sizeof(struct hy_tflite_block), &bytes) || bytes > reader->budget) {
        *code = hy_fail(reader->err, HY_BAD_DATA,
                        "%" PRIu64 " elements of %zu bytes exceed the limit memory_per_byte = "
                        "%" PRIu32 " of a file of %" PRIu64 " bytes",
                        count, size, reader->limits->memory_per_byte, reader->fb.length);
        return NULL;
    }

    struct hy_tflite_block *block = calloc(1, bytes);
    if (!block) {
        *code = hy_fail(reader->err, HY_OUT_OF_MEMORY, "%" PRIu64 " bytes for the model", bytes);
        return NULL;
    }
    reader->budget -= bytes;
    block->next = reader->blocks;
    reader->blocks = block;
    *code = HY_OK;
    return block->bytes;
}

void hy_tflite_free_blocks(struct hy_tflite_block *blocks)
{
    while (blocks) {
        struct hy_tflite_block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

/* Names are printed on terminals, and control characters in a hostile name could control a
 * terminal. */
static bool is_control(uint8_t byte)
{
    return byte < ' ' || byte == 0x7f;
}

enum hy_code hy_tflite_copy_string(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   unsigned slot, const char **out)
{
    const struct hy_fb_vector string = hy_fb_string(&reader->fb, table, slot);
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    if (string.count == 0) {
        *out = "";
        return HY_OK;
    }

    enum hy_code code;
    char *copy = hy_tflite_alloc(reader, (uint64_t)string.count + 1, 1, &code);
    if (!copy)
        return code;
    for (uint32_t i = 0; i < string.count; i++)
        copy[i] = is_control(string.data[i]) ? '?' : (char)string.data[i];
    *out = copy;
    return HY_OK;
}

enum hy_code hy_tflite_copy_ints(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                 unsigned slot, struct hy_tflite_ints *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, slot, sizeof(int32_t));
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    *out = (struct hy_tflite_ints){0};
    if (!vector.data)
        return HY_OK;

    enum hy_code code;
    int32_t *values = hy_tflite_alloc(reader, vector.count, sizeof *values, &code);
    if (!values)
        return code;
    for (uint32_t i = 0; i < vector.count; i++)
        values[i] = (int32_t)hy_load_u32(vector.data + 4 * (size_t)i);
    *out = (struct hy_tflite_ints){.count = vector.count, .values = values};
    return HY_OK;
}

enum hy_code hy_tflite_copy_floats(struct hy_tflite_reader *reader, const struct hy_fb_table *table,
                                   unsigned slot, struct hy_tflite_floats *out)
{
    const struct hy_fb_vector vector = hy_fb_vector(&reader->fb, table, slot, sizeof(float));
    if (reader->fb.code != HY_OK)
        return reader->fb.code;
    *out = (struct hy_tflite_floats){0};
    if (!vector.data)
        return HY_OK;

    enum hy_code code;
    float *values = hy_tflite_alloc(reader, vector.count, sizeof *values, &code);
    if (!values)
        return code;
    for (uint32_t i = 0; i < vector.count; i++) {
        const uint32_t bits = hy_load_u32(vector.data + 4 * (size_t)i);
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i]))
            return hy_fail(reader->err, HY_BAD_DATA, "element %u is %f", i, (double)values[i]);
    }
    *out = (struct hy_tflite_floats){.count = vector.count, .values = values};
    return HY_OK;
}
