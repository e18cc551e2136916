#ifndef HY_CPU_FALLBACK_KERNELS_BYTE_TRANSPOSE_H
#define HY_CPU_FALLBACK_KERNELS_BYTE_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Side of a square block of bytes that is transposed at once. */
#define HY_TRANSPOSE_SIDE ((size_t)8)

/* In each pair of lines `distance` apart, groups of `distance` bytes are swapped: the upper groups
 * of the first line with the lower groups of the second. `low` masks the lower groups. */
static inline void hy_transpose_swap(uint64_t lines[HY_TRANSPOSE_SIDE], size_t distance,
                                     uint64_t low)
{
    for (size_t i = 0; i < HY_TRANSPOSE_SIDE; i++) {
        if (i & distance)
            continue;
        const uint64_t change = (lines[i] >> (8 * distance) ^ lines[i + distance]) & low;
        lines[i + distance] ^= change;
        lines[i] ^= change << (8 * distance);
    }
}

/* out[c * out_step + r] = in[r * in_step + c] for r and c below HY_TRANSPOSE_SIDE. Little-endian
 * only, as are all supported machines. */
static inline void hy_transpose_bytes(const uint8_t *in, ptrdiff_t in_step, uint8_t *out,
                                      ptrdiff_t out_step)
{
    uint64_t lines[HY_TRANSPOSE_SIDE];

    for (ptrdiff_t i = 0; i < (ptrdiff_t)HY_TRANSPOSE_SIDE; i++)
        memcpy(&lines[i], in + i * in_step, sizeof lines[i]);
    hy_transpose_swap(lines, 4, UINT64_C(0x00000000ffffffff));
    hy_transpose_swap(lines, 2, UINT64_C(0x0000ffff0000ffff));
    hy_transpose_swap(lines, 1, UINT64_C(0x00ff00ff00ff00ff));
    for (ptrdiff_t i = 0; i < (ptrdiff_t)HY_TRANSPOSE_SIDE; i++)
        memcpy(out + i * out_step, &lines[i], sizeof lines[i]);
}

#endif
