#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_DISPATCH_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_DISPATCH_H

/*
 * From a number of rows and the width of a panel to a multiplication that was compiled for them.
 * Included where `struct tile`, multiply_tile() and multiply_row() are defined, which float and
 * quantised kernels do each in their own way: constant arguments, so that every tile keeps its sums
 * in registers. TILE_FUNCTION is what the includer declares them as, if not as `static`.
 */
#if !defined(TILE_FUNCTION)
#define TILE_FUNCTION static
#endif

TILE_FUNCTION void multiply_full_two(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 2);
}

TILE_FUNCTION void multiply_full_one(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 1);
}

TILE_FUNCTION void multiply_half_two(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS / 2, 2);
}

TILE_FUNCTION void multiply_half_one(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS / 2, 1);
}

TILE_FUNCTION void multiply_row_two(const struct tile *t)
{
    multiply_row(t, 2);
}

TILE_FUNCTION void multiply_row_one(const struct tile *t)
{
    multiply_row(t, 1);
}

static void multiply(const struct tile *t, size_t rows, bool wide)
{
    if (rows == HY_TILE_ROWS)
        wide ? multiply_full_two(t) : multiply_full_one(t);
    else if (rows == HY_TILE_ROWS / 2)
        wide ? multiply_half_two(t) : multiply_half_one(t);
    else
        wide ? multiply_row_two(t) : multiply_row_one(t);
}

#endif
