#include "lanes.h"

#include "elements.h"

uint64_t sample_layout_bytes(uint32_t layout, const uint32_t *dims, uint64_t plain_bytes)
{
    if (layout == SAMPLE_PLAIN)
        return plain_bytes;
    const uint64_t tiles = ((uint64_t)dims[0] + SAMPLE_LANES - 1) / SAMPLE_LANES;
    return tiles * SAMPLE_LANES * dims[1] * sizeof(float);
}

/* The place of a row's first element; the others follow SAMPLE_LANES apart. */
static size_t first_of(size_t row, size_t columns)
{
    return row / SAMPLE_LANES * SAMPLE_LANES * columns + row % SAMPLE_LANES;
}

void sample_lanes_pack(uint32_t rows, uint32_t columns, const uint8_t *plain, uint8_t *lanes)
{
    for (size_t row = 0; row < rows; row++) {
        const size_t first = first_of(row, columns);
        for (size_t i = 0; i < columns; i++)
            store_f32(lanes, first + i * SAMPLE_LANES, load_f32(plain, row * columns + i));
    }
}

void sample_lanes_unpack(uint32_t rows, uint32_t columns, const uint8_t *lanes, uint8_t *plain)
{
    for (size_t row = 0; row < rows; row++) {
        const size_t first = first_of(row, columns);
        for (size_t i = 0; i < columns; i++)
            store_f32(plain, row * columns + i, load_f32(lanes, first + i * SAMPLE_LANES));
    }
}
