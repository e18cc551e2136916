#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_DISPATCH_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_DISPATCH_H

/*
 * Selects a multiplication compiled for a constant number of rows and a constant part of a panel;
 * every tile then keeps its sums in registers. Float and quantised kernels define `struct tile`,
 * multiply_tile() and multiply_row() before including this file. TILE_FUNCTION is the declaration
 * of the functions; the default is `static`.
 */
#if !defined(TILE_FUNCTION)
#define TILE_FUNCTION static
#endif

TILE_FUNCTION void multiply_full_two(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 2, false);
}

TILE_FUNCTION void multiply_full_one(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 1, false);
}

TILE_FUNCTION void multiply_half_two(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS / 2, 2, false);
}

TILE_FUNCTION void multiply_half_one(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS / 2, 1, false);
}

TILE_FUNCTION void multiply_row_two(const struct tile *t)
{
    multiply_row(t, 2);
}

TILE_FUNCTION void multiply_row_one(const struct tile *t)
{
    multiply_row(t, 1);
}

#if defined(HY_HALF_VECTORS)
TILE_FUNCTION void multiply_full_one_and_a_half(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 2, true);
}

TILE_FUNCTION void multiply_full_half_a_vector(const struct tile *t)
{
    multiply_tile(t, HY_TILE_ROWS, 1, true);
}

/* For tiles of HY_TILE_ROWS rows. Smaller tiles compute a half vector as a whole vector. */
static void multiply_full(const struct tile *t, enum panel_part part)
{
    if (part == TWO_VECTORS)
        multiply_full_two(t);
    else if (part == ONE_VECTOR)
        multiply_full_one(t);
    else if (part == ONE_AND_A_HALF)
        multiply_full_one_and_a_half(t);
    else
        multiply_full_half_a_vector(t);
}
#else
static void multiply_full(const struct tile *t, enum panel_part part)
{
    part > ONE_VECTOR ? multiply_full_two(t) : multiply_full_one(t);
}
#endif

static void multiply(const struct tile *t, size_t rows, enum panel_part part)
{
    const bool wide = part > ONE_VECTOR;

    if (rows == HY_TILE_ROWS)
        multiply_full(t, part);
    else if (rows == HY_TILE_ROWS / 2)
        wide ? multiply_half_two(t) : multiply_half_one(t);
    else
        wide ? multiply_row_two(t) : multiply_row_one(t);
}

#endif
