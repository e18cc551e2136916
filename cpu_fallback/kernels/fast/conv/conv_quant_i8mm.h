/*
 * The tiles of conv_quant.c with matrix products. An instruction multiplies eight depths of two
 * rows and two channels, and adds to four sums. Included by conv_quant.c.
 */
#define PAIRS_OF_VECTOR (HY_LANES / 2)

/* Eight depths of two rows: `row` and the next row. The last row counts twice if it has no next
 * row. */
static inline int8x16_t rows_at(const struct tile *t, int row, int rows, size_t at)
{
    const int next = row + 1 < rows ? row + 1 : row;

    return vcombine_s8(vld1_s8(t->rows[row] + at), vld1_s8(t->rows[next] + at));
}

/* The initial sums of two rows and of the channels 2 * pair and 2 * pair + 1. */
static inline int32x4_t start_at(const struct tile *t, int row, int rows, int pair)
{
    const int32x2_t start = vld1_s32(t->panel + 2 * pair);
    const int next = row + 1 < rows ? row + 1 : row;

    return vcombine_s32(vadd_s32(start, vdup_n_s32(t->corrections[row])),
                        vadd_s32(start, vdup_n_s32(t->corrections[next])));
}

/* Vectors of the first row (half 0) or of the second (half 1) of four pairs of channels. */
static inline vi row_of(const int32x4_t sums[PAIRS_OF_VECTOR], int half)
{
    int64x2_t x[PAIRS_OF_VECTOR];

    HY_UNROLL(4)
    for (int i = 0; i < PAIRS_OF_VECTOR; i++)
        x[i] = vreinterpretq_s64_s32(sums[i]);
    return half == 0 ? (vi){vreinterpretq_s32_s64(vzip1q_s64(x[0], x[1])),
                            vreinterpretq_s32_s64(vzip1q_s64(x[2], x[3]))}
                     : (vi){vreinterpretq_s32_s64(vzip2q_s64(x[0], x[1])),
                            vreinterpretq_s32_s64(vzip2q_s64(x[2], x[3]))};
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors, bool half)
{
    int32x4_t sums[HY_TILE_ROWS / 2][HY_PANEL_VECTORS * PAIRS_OF_VECTOR];
    const int8_t *panel = t->weights;
    const int pairs = vectors * PAIRS_OF_VECTOR - (half ? PAIRS_OF_VECTOR / 2 : 0);
    const size_t gap = t->line_step - t->steps * HY_DOT_GROUP; /* may wrap */
    size_t at = 0;

    HY_UNROLL(16)
    for (int r = 0; r < rows; r += 2) {
        HY_UNROLL(16)
        for (int i = 0; i < vectors * PAIRS_OF_VECTOR; i++)
            sums[r / 2][i] = start_at(t, r, rows, i);
    }

    for (size_t line = 0; line < t->lines; line++, at += gap)
        for (size_t k = 0; k < t->steps;
             k++, at += HY_DOT_GROUP, panel += vectors * HY_LANES * HY_DOT_GROUP) {
            int8x16_t both[HY_TILE_ROWS / 2];
            HY_UNROLL(16)
            for (int r = 0; r < rows; r += 2)
                both[r / 2] = rows_at(t, r, rows, at);
            HY_UNROLL(16)
            for (int i = 0; i < pairs; i++) {
                const int8x16_t weights = vld1q_s8(panel + 2 * HY_DOT_GROUP * i);
                HY_UNROLL(16)
                for (int r = 0; r < rows; r += 2)
                    sums[r / 2][i] = vmmlaq_s32(sums[r / 2][i], both[r / 2], weights);
            }
        }
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            t->sums[r * vectors + v] = row_of(sums[r / 2] + v * PAIRS_OF_VECTOR, r % 2);
    }
    store_tile(t, (size_t)rows, vectors == 2);
}

/* The sums of a single row keep the instruction busy. */
HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    multiply_tile(t, 1, vectors, false);
}
