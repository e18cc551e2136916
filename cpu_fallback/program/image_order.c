#include "cpu_fallback/program/image_order.h"

#include <stddef.h>

#include "cpu_fallback/kernels/byte_transpose.h"

/* Small enough that a tile of rows of 4-byte elements stays in the first-level cache. */
#define TILE ((size_t)16)

/* out[c][r] = in[r][c], by tiles. */
#define DEFINE_TRANSPOSE(name, type) \
    static void name(size_t rows, size_t columns, const type *in, type *out) \
    { \
        for (size_t r0 = 0; r0 < rows; r0 += TILE) { \
            size_t r1 = rows - r0 < TILE ? rows : r0 + TILE; \
            for (size_t c = 0; c < columns; c++) { \
                for (size_t r = r0; r < r1; r++) \
                    out[c * rows + r] = in[r * columns + c]; \
            } \
        } \
    }

DEFINE_TRANSPOSE(transpose_8_tiles, uint8_t)
DEFINE_TRANSPOSE(transpose_16, uint16_t)
DEFINE_TRANSPOSE(transpose_32, uint32_t)

/* Transposes bytes in squares of HY_TRANSPOSE_SIDE, and the rest one by one. */
static void transpose_8(size_t rows, size_t columns, const uint8_t *in, uint8_t *out)
{
    const size_t square_rows = rows / HY_TRANSPOSE_SIDE * HY_TRANSPOSE_SIDE;
    const size_t square_columns = columns / HY_TRANSPOSE_SIDE * HY_TRANSPOSE_SIDE;

    if (square_columns == 0) {
        transpose_8_tiles(rows, columns, in, out);
        return;
    }
    for (size_t r0 = 0; r0 < square_rows; r0 += TILE)
        for (size_t c = 0; c < square_columns; c += HY_TRANSPOSE_SIDE)
            for (size_t r = r0; r < square_rows && r < r0 + TILE; r += HY_TRANSPOSE_SIDE)
                hy_transpose_bytes(in + r * columns + c, (ptrdiff_t)columns, out + c * rows + r,
                                   (ptrdiff_t)rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = r < square_rows ? square_columns : 0; c < columns; c++)
            out[c * rows + r] = in[r * columns + c];
}

static void transpose_each(size_t count, size_t rows, size_t columns, uint32_t element_size,
                           const void *in, void *out)
{
    size_t elements = rows * columns;

    for (size_t i = 0; i < count; i++) {
        if (element_size == 1)
            transpose_8(rows, columns, (const uint8_t *)in + i * elements,
                        (uint8_t *)out + i * elements);
        else if (element_size == 2)
            transpose_16(rows, columns, (const uint16_t *)in + i * elements,
                         (uint16_t *)out + i * elements);
        else
            transpose_32(rows, columns, (const uint32_t *)in + i * elements,
                         (uint32_t *)out + i * elements);
    }
}

void hy_cpu_nchw_to_nhwc(const struct hy_image_size *size, uint32_t element_size, const void *nchw,
                         void *nhwc)
{
    transpose_each(size->batch, size->channels, (size_t)size->height * size->width, element_size,
                   nchw, nhwc);
}

void hy_cpu_nhwc_to_nchw(const struct hy_image_size *size, uint32_t element_size, const void *nhwc,
                         void *nchw)
{
    transpose_each(size->batch, (size_t)size->height * size->width, size->channels, element_size,
                   nhwc, nchw);
}
