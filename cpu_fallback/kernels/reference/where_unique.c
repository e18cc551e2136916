#include "cpu_fallback/kernels/where_unique.h"

#include <string.h>

#include "cpu_fallback/kernels/stop.h"

/* The bits of element `index`; -0 gives the bits of 0. */
static uint64_t bits_of(const struct hy_searched *searched, const void *in, size_t index)
{
    const uint8_t *at = (const uint8_t *)in + index * searched->size;
    uint64_t bits = 0;

    if (searched->size == 8) {
        memcpy(&bits, at, 8);
    } else if (searched->size == 4) {
        uint32_t word;
        memcpy(&word, at, 4);
        bits = word;
    } else if (searched->size == 2) {
        uint16_t half;
        memcpy(&half, at, 2);
        bits = half;
    } else {
        bits = *at;
    }
    return searched->is_float && bits << (65 - 8 * searched->size) == 0 ? 0 : bits;
}

size_t hy_where(const struct hy_searched *searched, const void *in, uint32_t rank,
                const uint32_t *dims, int32_t *out)
{
    struct hy_stop_watch *watch = hy_stop_here();
    size_t found = 0;

    for (size_t i = 0; i < searched->count && !hy_stop_after(watch, 4); i++) {
        if (bits_of(searched, in, i) == searched->zero)
            continue;
        size_t rest = i;
        for (uint32_t d = rank; d-- > 0; rest /= dims[d])
            out[found * rank + d] = (int32_t)(rest % dims[d]);
        found++;
    }
    return found;
}

size_t hy_unique_slots(size_t count)
{
    size_t slots = 2;

    if (count > INT32_MAX)
        return 0;
    while (slots < 2 * count) /* at least half of the slots stay empty */
        slots *= 2;
    return slots;
}

/* A slot of the table holds the number of a value, counted from 1; 0: empty. */
size_t hy_unique(const struct hy_searched *searched, const void *in, uint32_t *table, void *values,
                 int32_t *indices)
{
    const size_t slots = hy_unique_slots(searched->count);
    struct hy_stop_watch *watch = hy_stop_here();
    uint32_t found = 0;

    memset(table, 0, slots * sizeof *table);
    for (size_t i = 0; i < searched->count && !hy_stop_after(watch, 4); i++) {
        const uint64_t bits = bits_of(searched, in, i);
        size_t slot = (size_t)(bits * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (slots - 1);
        while (table[slot] != 0 && bits_of(searched, values, table[slot] - 1) != bits)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) {
            memcpy((uint8_t *)values + (size_t)found * searched->size,
                   (const uint8_t *)in + i * searched->size, searched->size);
            table[slot] = ++found;
        }
        indices[i] = (int32_t)table[slot] - 1;
    }
    return found;
}
