/*
 * Conversion of the sums of a tile to bytes of the output. Included by conv_quant.c after `struct
 * tile` is defined.
 */

/* The headers of four vectors of sums: two rows of two vectors, or four rows of one vector. */
HY_ALWAYS_INLINE struct rescale_headers headers_of(const struct tile *t, int vectors)
{
    struct rescale_headers headers = {.step = (size_t)vectors * HY_LANES};

    HY_UNROLL(4)
    for (int k = 0; k < 4; k++)
        headers.of[k] = t->header + k % vectors * HY_LANES;
    return headers;
}

/* Converts and stores the sums of a tile, four vectors at a time. */
HY_ALWAYS_INLINE void store_sums(const struct tile *t, size_t rows, int vectors,
                                 enum rescale_way way)
{
    const size_t rows_of_four = 4 / (size_t)vectors, columns = t->columns, step = t->out_step;
    const struct rescale *to_bytes = t->rescale;
    const vi *sums = t->sums;
    const struct rescale_headers headers = headers_of(t, vectors);
    HY_T *out = t->out;

    const struct rescale_numbers numbers = rescale_numbers_of(to_bytes, &headers);
    for (size_t r = 0; r < rows; r += rows_of_four, out += rows_of_four * step) {
        const vi bytes =
            rescale(&numbers, to_bytes, &headers, sums + r * (size_t)vectors, way, HY_IN_IS_SIGNED);
        HY_UNROLL(4)
        for (size_t k = 0; k < 4; k++)
            if (k < rows_of_four && r + k < rows)
                vb_store_part_of(out + k * step, bytes, vectors, (int)k, columns);
    }
}

static __attribute__((noinline)) void store_tile_exactly(const struct tile *t, size_t rows,
                                                         bool wide)
{
    if (wide)
        store_sums(t, rows, 2, RESCALE_EXACTLY);
    else
        store_sums(t, rows, 1, RESCALE_EXACTLY);
}

static __attribute__((noinline)) void store_tile(const struct tile *t, size_t rows, bool wide)
{
    for (size_t i = wide ? 2 * rows : rows; i % 4 != 0; i++)
        t->sums[i] = vi_set1(0); /* computed like the other sums, but not stored */
    if (!rescale_has_offsets(t->header, wide ? HY_PANEL : HY_LANES))
        store_tile_exactly(t, rows, wide);
    else if (t->rescale->halves_away && wide)
        store_sums(t, rows, 2, RESCALE_TWO_OFFSETS);
    else if (t->rescale->halves_away)
        store_sums(t, rows, 1, RESCALE_TWO_OFFSETS);
    else if (wide)
        store_sums(t, rows, 2, RESCALE_ONE_OFFSET);
    else
        store_sums(t, rows, 1, RESCALE_ONE_OFFSET);
}

/* Whether the sums of a panel are converted in registers. A panel of a single row may have fewer
 * columns. */
static inline bool is_plain(const struct tile *t, int rows, int vectors)
{
    const size_t width = (size_t)vectors * HY_LANES;

    return RESCALE_IN_REGISTERS && (rows == 1 || t->columns == width) && !t->rescale->halves_away &&
           rescale_has_offsets(t->header, width);
}

/* Finishes the sums of a tile in registers. The sums of plain panels are not stored in memory. */
HY_ALWAYS_INLINE void finish_tile(const struct tile *t, int rows, int vectors,
                                  vi sums[][HY_PANEL_VECTORS])
{
    const int rows_of_four = 4 / vectors;

    if (!is_plain(t, rows, vectors)) {
        HY_UNROLL(16)
        for (int i = 0; i < rows * vectors; i++)
            t->sums[i] = sums[i / vectors][i % vectors];
        store_tile(t, (size_t)rows, vectors == 2);
        return;
    }
    const struct rescale_headers headers = headers_of(t, vectors);
    const struct rescale_numbers numbers = rescale_numbers_of(t->rescale, &headers);
    HY_T *const out = t->out;
    HY_UNROLL(8)
    for (int r = 0; r < rows; r += rows_of_four) {
        vi four[4];
        HY_UNROLL(4)
        for (int k = 0; k < 4; k++)
            four[k] = sums[r + k / vectors < rows ? r + k / vectors : r][k % vectors];
        const vi bytes =
            rescale(&numbers, t->rescale, &headers, four, RESCALE_ONE_OFFSET, HY_IN_IS_SIGNED);
        HY_UNROLL(4)
        for (int k = 0; k < 4; k++)
            if (k < rows_of_four && r + k < rows)
                vb_store_part_of(out + (size_t)(r + k) * t->out_step, bytes, vectors, k,
                                 rows == 1 ? t->columns : (size_t)vectors * HY_LANES);
    }
}
