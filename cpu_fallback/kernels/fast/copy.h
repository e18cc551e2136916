#ifndef HY_CPU_FALLBACK_KERNELS_FAST_COPY_H
#define HY_CPU_FALLBACK_KERNELS_FAST_COPY_H

#include <string.h>

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Copies of short runs of bytes without a memcpy call for each run. A run of up to 256 bytes is two
 * copies of a constant width, one at the start and one at the end; the two overlap if the run is
 * shorter than both.
 */
#define HY_COPY_MOST ((size_t)256)

/* `width` is constant, so the copy becomes loads and stores. */
HY_ALWAYS_INLINE void copy_width(size_t width, const uint8_t *in, uint8_t *out)
{
    if (width < HY_BYTE_LANES) {
        memcpy(out, in, width);
        return;
    }
    HY_UNROLL(4)
    for (size_t i = 0; i < width; i += HY_BYTE_LANES)
        vi_store(out + i, vi_load(in + i));
}

/* `width` is constant; width <= bytes <= 2 * width. */
HY_ALWAYS_INLINE void copy_short(size_t width, size_t bytes, const uint8_t *in, uint8_t *out)
{
    copy_width(width, in, out);
    copy_width(width, in + bytes - width, out + bytes - width);
}

/* Executes `statement(width)` with the width for runs of `bytes`, 1 to HY_COPY_MOST. */
#define HY_COPY_BY_WIDTH(bytes, statement) \
    do { \
        if ((bytes) > 128) \
            statement(128); \
        else if ((bytes) > 64) \
            statement(64); \
        else if ((bytes) > 32) \
            statement(32); \
        else if ((bytes) > 16) \
            statement(16); \
        else if ((bytes) > 8) \
            statement(8); \
        else if ((bytes) > 4) \
            statement(4); \
        else if ((bytes) > 2) \
            statement(2); \
        else \
            statement(1); \
    } while (0)

/* From this length on, memcpy writes cache lines without reading the lines first. The saving is a
 * fifth of the time if both sides together exceed the second-level cache. */
#define HY_COPY_LONG ((size_t)4096)

/* Copies more than HY_COPY_MOST bytes. The first vector aligns the output, because stores across
 * cache lines take twice as long. */
static inline void copy_long(size_t bytes, const uint8_t *in, uint8_t *out)
{
    const size_t block = HY_COPY_MOST / 2;

    if (bytes >= HY_COPY_LONG) {
        memcpy(out, in, bytes);
        return;
    }
    copy_width(HY_BYTE_LANES, in, out);
    for (size_t i = HY_BYTE_LANES - (uintptr_t)out % HY_BYTE_LANES; i + block < bytes; i += block)
        copy_width(block, in + i, out + i);
    copy_width(block, in + bytes - block, out + bytes - block);
}

/* `count` runs of `bytes` bytes; the starts are in_step and out_step bytes apart. */
struct copied_runs {
    size_t count, bytes;
    ptrdiff_t in_step, out_step;
};

HY_ALWAYS_INLINE void copy_short_runs(size_t width, const struct copied_runs *runs,
                                      const uint8_t *in, uint8_t *out)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)runs->count; i++)
        copy_short(width, runs->bytes, in + i * runs->in_step, out + i * runs->out_step);
}

static inline void copy_runs(const struct copied_runs *runs, const uint8_t *in, uint8_t *out)
{
#define COPY_SHORT_RUNS(width) copy_short_runs(width, runs, in, out)
    if (runs->bytes <= HY_COPY_MOST)
        HY_COPY_BY_WIDTH(runs->bytes, COPY_SHORT_RUNS);
    else
        for (ptrdiff_t i = 0; i < (ptrdiff_t)runs->count; i++)
            copy_long(runs->bytes, in + i * runs->in_step, out + i * runs->out_step);
#undef COPY_SHORT_RUNS
}

#endif
