#ifndef HY_CPU_FALLBACK_KERNELS_FAST_BINARY_WALK_H
#define HY_CPU_FALLBACK_KERNELS_FAST_BINARY_WALK_H

/*
 * The loops of a binary kernel over two tensors that broadcast: plane by plane of the two innermost
 * dimensions, row by row, a vector at a time. In a row each side is dense or one repeated element.
 *
 * The including file defines
 *     vector             a vector of elements of the template's type
 *     output             an element of the output
 *     struct constants   values prepared once per call
 *     load_part(from, count), repeat(from)   a vector of a dense side, and of one element
 *     before_boundary(from, count)           elements to treat as a part before whole vectors
 *     combine(op, constants, a, b, out, count)   computes and stores up to HY_LANES results
 */

/* Which side of a row is a single repeated element. */
enum repeated { NEITHER, SIDE_A, SIDE_B };

HY_ALWAYS_INLINE void combine_at(enum hy_binary op, const struct constants *c, const HY_T *a,
                                 const HY_T *b, enum repeated repeated, size_t at, size_t count,
                                 output *out)
{
    const vector x = repeated == SIDE_A ? repeat(a) : load_part(a + at, count);
    const vector y = repeated == SIDE_B ? repeat(b) : load_part(b + at, count);

    combine(op, c, x, y, out + at, count);
}

HY_ALWAYS_INLINE void combine_row(enum hy_binary op, const struct constants *c, const HY_T *a,
                                  const HY_T *b, enum repeated repeated, size_t count, output *out)
{
    const size_t head = before_boundary(repeated == SIDE_A ? b : a, count);
    const size_t rest = (count - head) % HY_LANES, end = count - rest;

    if (head > 0)
        combine_at(op, c, a, b, repeated, 0, head, out);
    for (size_t i = head; i < end; i += HY_LANES)
        combine_at(op, c, a, b, repeated, i, HY_LANES, out);
    if (rest > 0)
        combine_at(op, c, a, b, repeated, end, rest, out);
}

/* Rows of one plane; `a_step` and `b_step` are the distances between rows, in elements. */
struct plane {
    size_t rows, count, a_step, b_step;
};

/* Short rows are processed INTERLEAVED_ROWS at a time, because the loop of a single short row costs
 * more than its work. */
enum { INTERLEAVED_ROWS = 4, SHORT_ROW = 64 * HY_LANES };

HY_ALWAYS_INLINE void combine_interleaved(enum hy_binary op, const struct constants *c,
                                          const HY_T *a, const HY_T *b, enum repeated repeated,
                                          const struct plane *plane, size_t at, size_t count,
                                          output *out)
{
    HY_UNROLL(4)
    for (size_t i = 0; i < INTERLEAVED_ROWS; i++)
        combine_at(op, c, a + i * plane->a_step, b + i * plane->b_step, repeated, at, count,
                   out + i * plane->count);
}

HY_ALWAYS_INLINE void combine_short_rows(enum hy_binary op, const struct constants *c,
                                         const HY_T *a, const HY_T *b, enum repeated repeated,
                                         const struct plane *plane, output *out)
{
    const size_t rest = plane->count % HY_LANES, whole = plane->count - rest;

    for (size_t i = 0; i < whole; i += HY_LANES)
        combine_interleaved(op, c, a, b, repeated, plane, i, HY_LANES, out);
    if (rest > 0)
        combine_interleaved(op, c, a, b, repeated, plane, whole, rest, out);
}

HY_ALWAYS_INLINE void combine_rows(enum hy_binary op, const struct constants *c, const HY_T *a,
                                   const HY_T *b, enum repeated repeated, const struct plane *plane,
                                   output *out)
{
    size_t i = 0;

    for (; plane->count < SHORT_ROW && plane->rows - i >= INTERLEAVED_ROWS; i += INTERLEAVED_ROWS)
        combine_short_rows(op, c, a + i * plane->a_step, b + i * plane->b_step, repeated, plane,
                           out + i * plane->count);
    for (; i < plane->rows; i++)
        combine_row(op, c, a + i * plane->a_step, b + i * plane->b_step, repeated, plane->count,
                    out + i * plane->count);
}

/* The plane of the two innermost dimensions, or of a single row. */
static inline struct plane plane_of(const struct hy_broadcast *shape)
{
    const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1];

    if (shape->rank == 1)
        return (struct plane){.rows = 1, .count = last->size};
    return (struct plane){last[-1].size, last->size, last[-1].a_stride, last[-1].b_stride};
}

/* Every caller passes a constant operation, so the compiler makes one copy per operation. A row of
 * one element counts as dense, even if both steps are 0. */
HY_ALWAYS_INLINE void combine_all(enum hy_binary op, const struct hy_broadcast *shape,
                                  const struct constants *constants, const HY_T *a, const HY_T *b,
                                  output *out)
{
    const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1];
    const bool is_dense = last->size == 1 || (last->a_stride && last->b_stride);
    const struct constants copy = *constants, *c = &copy; /* local: stores cannot alias it */

    if (shape->rank == 1 && is_dense) { /* usual in tiny networks: no preparation */
        combine_row(op, c, a, b, NEITHER, last->size, out);
        return;
    }
    const struct plane plane = plane_of(shape);
    const size_t count = hy_broadcast_count(shape), size = plane.rows * plane.count;
    const uint32_t outside = shape->rank > 2 ? shape->rank - 2 : 0;
    struct hy_broadcast_position at = {0};

    for (size_t begin = 0; begin < count;
         begin += size, hy_broadcast_advance(shape, outside, &at)) {
        if (is_dense)
            combine_rows(op, c, a + at.a, b + at.b, NEITHER, &plane, out + begin);
        else if (last->a_stride)
            combine_rows(op, c, a + at.a, b + at.b, SIDE_B, &plane, out + begin);
        else
            combine_rows(op, c, a + at.a, b + at.b, SIDE_A, &plane, out + begin);
    }
}

#endif
