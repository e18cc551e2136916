#include <string.h>

#include "tests/unit/tools/operators/op_builder.h"

/* ---- Joining and parting --------------------------------------------------------------------- */

void hy_op_concatenation(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const uint32_t axis = hy_op_pick(op_builder, x.rank), count = 1 + hy_op_pick(op_builder, 4);
    struct hy_op_tensor y = x;

    y.dims[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct hy_op_tensor part = x;
        part.dims[axis] = hy_op_between(op_builder, i > 0 ? 0 : 1, 5);
        y.dims[axis] += part.dims[axis];
        if (x.type == HY_TFLITE_UINT8) /* int8 must agree with the output */
            part = hy_op_scaled(&part, x.scale * hy_op_real(op_builder, 0.5f, 1.0f),
                                hy_op_zero_point(op_builder, x.type));
        hy_op_input(op_builder, &part);
    }
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_CONCATENATION);
    hy_op_option(op_builder, 0, 4,
                 hy_op_pick(op_builder, 2) ? (int32_t)axis : (int32_t)(axis - x.rank));
    hy_op_output(op_builder, &y);
}

void hy_op_split(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor part = hy_op_any(op_builder, 1, 6);
    const uint32_t axis = hy_op_pick(op_builder, part.rank), count = 1 + hy_op_pick(op_builder, 4);
    struct hy_op_tensor x = part;

    x.dims[axis] *= (int32_t)count;
    hy_op_int(op_builder, (int32_t)axis);
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SPLIT);
    hy_op_option(op_builder, 0, 4, count);
    for (uint32_t i = 0; i < count; i++)
        hy_op_output(op_builder, &part);
}

void hy_op_split_v(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor part = hy_op_any(op_builder, 1, 6);
    const uint32_t axis = hy_op_pick(op_builder, part.rank), count = 1 + hy_op_pick(op_builder, 4);
    struct hy_op_tensor x = part;
    int32_t sizes[4];

    x.dims[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        sizes[i] = hy_op_between(op_builder, 1, 5);
        x.dims[axis] += sizes[i];
    }
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, count, sizes);
    hy_op_int(op_builder, hy_op_pick(op_builder, 2) ? (int32_t)axis : (int32_t)(axis - x.rank));
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SPLIT_V);
    hy_op_option(op_builder, 0, 4, count);
    for (uint32_t i = 0; i < count; i++) {
        struct hy_op_tensor y = part;
        y.dims[axis] = sizes[i];
        hy_op_output(op_builder, &y);
    }
}

/* `x` with a dimension of `size` before dimension `axis`. */
static struct hy_op_tensor inserted(const struct hy_op_tensor *x, uint32_t axis, int32_t size)
{
    struct hy_op_tensor y = *x;
    y.rank = x->rank + 1;
    y.dims[axis] = size;
    for (uint32_t i = axis; i < x->rank; i++)
        y.dims[i + 1] = x->dims[i];
    return y;
}

void hy_op_pack(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 0, 5);
    const uint32_t axis = hy_op_pick(op_builder, x.rank + 1), count = 1 + hy_op_pick(op_builder, 4);
    const struct hy_op_tensor y = inserted(&x, axis, (int32_t)count);

    for (uint32_t i = 0; i < count; i++)
        hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_PACK);
    hy_op_option(op_builder, 0, 4, count);
    hy_op_option(op_builder, 1, 4, axis);
    hy_op_output(op_builder, &y);
}

void hy_op_unpack(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 0, 5);
    const uint32_t axis = hy_op_pick(op_builder, y.rank + 1), count = 1 + hy_op_pick(op_builder, 4);
    const struct hy_op_tensor x = inserted(&y, axis, (int32_t)count);

    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_UNPACK);
    hy_op_option(op_builder, 0, 4, count);
    hy_op_option(op_builder, 1, 4,
                 hy_op_pick(op_builder, 2) ? (int32_t)axis : (int32_t)(axis - x.rank));
    for (uint32_t i = 0; i < count; i++)
        hy_op_output(op_builder, &y);
}

/* ---- Other shapes for the same elements ------------------------------------------------------ */

void hy_op_expand_dims(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 0, 6);
    const uint32_t axis = hy_op_pick(op_builder, x.rank + 1);
    const struct hy_op_tensor y = inserted(&x, axis, 1);

    hy_op_input(op_builder, &x);
    hy_op_int(op_builder, hy_op_pick(op_builder, 2) ? (int32_t)axis : (int32_t)(axis - x.rank) - 1);
    hy_op_output(op_builder, &y);
}

void hy_op_squeeze(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 0, 6);
    const uint32_t axis = hy_op_pick(op_builder, y.rank + 1);
    const struct hy_op_tensor x = inserted(&y, axis, 1);
    int32_t *dims = hy_op_memory(op_builder, sizeof *dims);

    *dims = (int32_t)axis;
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_SQUEEZE);
    op_builder->operator_.int_count = 1;
    op_builder->operator_.ints = dims;
    hy_op_output(op_builder, &y);
}

/* The dimensions in another order, and one of them left open. */
void hy_op_reshape(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 0, 8);
    struct hy_op_tensor y = x;
    int32_t wanted[HY_OP_MAX_RANK + 1];

    if (hy_op_pick(op_builder, 2) && x.rank > 1) { /* the last two are one */
        y.rank--;
        y.dims[y.rank - 1] = x.dims[y.rank - 1] * x.dims[y.rank];
    }
    for (uint32_t i = 0; i < y.rank / 2; i++) {
        const int32_t swapped = y.dims[i];
        y.dims[i] = y.dims[y.rank - 1 - i];
        y.dims[y.rank - 1 - i] = swapped;
    }
    memcpy(wanted, y.dims, y.rank * sizeof *wanted);
    if (y.rank > 0 && hy_op_pick(op_builder, 2))
        wanted[hy_op_pick(op_builder, y.rank)] = -1;
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, y.rank, wanted);
    hy_op_output(op_builder, &y);
}

/* ---- Other places for the same elements ------------------------------------------------------ */

void hy_op_transpose(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5);
    int32_t from[5] = {0, 1, 2, 3, 4};
    struct hy_op_tensor y = x;

    for (uint32_t i = x.rank; i-- > 1;) {
        const uint32_t other = hy_op_pick(op_builder, i + 1);
        const int32_t swapped = from[i];
        from[i] = from[other];
        from[other] = swapped;
    }
    for (uint32_t i = 0; i < x.rank; i++)
        y.dims[i] = x.dims[from[i]];
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, x.rank, from);
    hy_op_output(op_builder, &y);
}

void hy_op_reverse(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const int32_t axis = (int32_t)hy_op_pick(op_builder, x.rank);

    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, 1, &axis);
    hy_op_output(op_builder, &x);
}

/* ---- A part of the elements ------------------------------------------------------------------ */

void hy_op_slice(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5);
    int32_t begin[5], size[5];
    struct hy_op_tensor y = x;

    for (uint32_t i = 0; i < x.rank; i++) {
        begin[i] = hy_op_between(op_builder, 0, x.dims[i] - 1);
        y.dims[i] = hy_op_between(op_builder, 1, x.dims[i] - begin[i]);
        size[i] = begin[i] + y.dims[i] == x.dims[i] && hy_op_pick(op_builder, 2) ? -1 : y.dims[i];
    }
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, x.rank, begin);
    hy_op_ints(op_builder, x.rank, size);
    hy_op_output(op_builder, &y);
}

/* A dimension is taken forwards, backwards as a whole, whole by its masks, or at one place. */
static int32_t slice_entry(struct hy_op_builder *op_builder, int32_t extent, uint32_t entry,
                           int32_t spec[3], int32_t masks[3])
{
    const uint32_t way = hy_op_pick(op_builder, 4);
    const int32_t step = hy_op_between(op_builder, 1, 2);

    spec[0] = way == 0 || way == 3 ? hy_op_between(op_builder, 0, extent - 1) : 0;
    spec[1] = way == 0   ? hy_op_between(op_builder, spec[0] + 1, extent)
              : way == 3 ? spec[0] + 1
                         : 0;
    spec[2] = way == 3 ? 1 : way == 1 ? -step : step;
    const int32_t span = way == 0 ? spec[1] - spec[0] : extent;
    if (way == 1 || way == 2) {
        masks[0] |= 1 << entry;
        masks[1] |= 1 << entry;
    } else if (hy_op_pick(op_builder, 2)) {
        spec[0] -= extent; /* from the end */
    }
    if (way == 3) {
        masks[2] |= 1 << entry;
        return 0;
    }
    return (span + step - 1) / step;
}

/* With new dimensions, an ellipsis, and fewer entries than dimensions. */
void hy_op_strided_slice(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 4);
    const uint32_t spec_count = 1 + hy_op_pick(op_builder, x.rank);
    const uint32_t new_axis = hy_op_pick(op_builder, 3), ellipsis = hy_op_pick(op_builder, 6);
    int32_t specs[3][6], masks[3] = {0};
    int32_t new_mask = 0, ellipsis_mask = 0;
    struct hy_op_tensor y = x;
    uint32_t entries = 0, from = 0;

    y.rank = 0;
    for (uint32_t i = 0; i < spec_count; i++) {
        int32_t spec[3] = {0, 0, 1};
        if (i == ellipsis &&
            spec_count < x.rank) { /* one dimension at least, as TensorFlow Lite has */
            ellipsis_mask = 1 << entries;
            for (; from + (spec_count - i) < x.rank; from++)
                y.dims[y.rank++] = x.dims[from];
            for (int j = 0; j < 3; j++)
                specs[j][entries] = spec[j];
            entries++;
        }
        if (i == new_axis && x.rank < 4) {
            new_mask = 1 << entries;
            y.dims[y.rank++] = 1;
            for (int j = 0; j < 3; j++)
                specs[j][entries] = 1;
            entries++;
        }
        const int32_t extent = slice_entry(op_builder, x.dims[from++], entries, spec, masks);
        if (extent > 0)
            y.dims[y.rank++] = extent;
        for (int j = 0; j < 3; j++)
            specs[j][entries] = spec[j];
        entries++;
    }
    for (; from < x.rank; from++)
        y.dims[y.rank++] = x.dims[from];
    hy_op_input(op_builder, &x);
    for (int j = 0; j < 3; j++)
        hy_op_ints(op_builder, entries, specs[j]);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_STRIDED_SLICE);
    hy_op_option(op_builder, 0, 4, masks[0]);
    hy_op_option(op_builder, 1, 4, masks[1]);
    hy_op_option(op_builder, 2, 4, ellipsis_mask);
    hy_op_option(op_builder, 3, 4, new_mask);
    hy_op_option(op_builder, 4, 4, masks[2]);
    hy_op_output(op_builder, &y);
}

/* Indices of the first dimensions. */
void hy_op_gather_nd(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    const uint32_t depth = 1 + hy_op_pick(op_builder, x.rank);
    const int32_t count = hy_op_between(op_builder, 1, 6);
    int32_t *indices = hy_op_memory(op_builder, (size_t)count * depth * sizeof *indices);
    struct hy_op_tensor y = x;

    for (uint32_t i = 0; i < (uint32_t)count * depth; i++)
        indices[i] = (int32_t)hy_op_pick(op_builder, (uint32_t)x.dims[i % depth]);
    y.dims[0] = count;
    y.rank = 1 + x.rank - depth;
    for (uint32_t i = depth; i < x.rank; i++)
        y.dims[1 + i - depth] = x.dims[i];
    hy_op_input(op_builder, &x);
    if (hy_op_pick(op_builder, 2))
        hy_op_int_rows(op_builder, (uint32_t)count, depth, indices);
    else
        hy_op_input_int_rows(op_builder, (uint32_t)count, depth, indices);
    hy_op_output(op_builder, &y);
}

void hy_op_embedding_lookup(struct hy_op_builder *op_builder)
{
    struct hy_op_tensor table = hy_op_any(op_builder, 2, 4);
    struct hy_op_tensor keys = hy_op_of(op_builder, HY_TFLITE_INT32, 1,
                                        (const int32_t[]){hy_op_between(op_builder, 1, 8)});
    table.dims[0]++; /* two rows at least: the range of the keys is never empty */
    struct hy_op_tensor y = table;

    keys.high = (float)(table.dims[0] - 1);
    y.dims[0] = keys.dims[0];
    hy_op_input(op_builder, &keys);
    hy_op_input(op_builder, &table);
    hy_op_output(op_builder, &y);
}

/* ---- More elements --------------------------------------------------------------------------- */

void hy_op_fill(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 6);
    const struct hy_op_tensor value = hy_op_shaped(&y, 0, NULL);
    hy_op_ints(op_builder, y.rank, y.dims);
    if (hy_op_pick(op_builder, 2))
        hy_op_constant(op_builder, &value);
    else
        hy_op_input(op_builder, &value);
    hy_op_output(op_builder, &y);
}

void hy_op_broadcast_to(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = hy_op_any(op_builder, 1, 7);
    const uint32_t dropped = hy_op_pick(op_builder, y.rank);
    struct hy_op_tensor x = hy_op_shaped(&y, y.rank - dropped, y.dims + dropped);

    for (uint32_t i = 0; i < x.rank; i++) {
        if (hy_op_pick(op_builder, 2))
            x.dims[i] = 1;
    }
    op_builder->operator_.version = 2; /* the first one that TensorFlow Lite has as a built-in */
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, y.rank, y.dims);
    hy_op_output(op_builder, &y);
}

void hy_op_tile(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 6);
    int32_t times[6];
    struct hy_op_tensor y = x;

    for (uint32_t i = 0; i < x.rank; i++) {
        times[i] = hy_op_between(op_builder, 1, 3);
        y.dims[i] *= times[i];
    }
    hy_op_input(op_builder, &x);
    hy_op_ints(op_builder, x.rank, times);
    hy_op_output(op_builder, &y);
}

/* Input and paddings, up to `most` (or one less than the dimension); gives the padded shape. */
static struct hy_op_tensor add_padded(struct hy_op_builder *op_builder, int32_t most, int32_t less)
{
    const struct hy_op_tensor x = hy_op_any(op_builder, 1, 5);
    int32_t pads[10];
    struct hy_op_tensor y = x;

    for (uint32_t i = 0; i < 2 * x.rank; i++) {
        const int32_t limit = x.dims[i / 2] - less;
        pads[i] = hy_op_between(op_builder, 0, limit < most ? limit : most);
        y.dims[i / 2] += pads[i];
    }
    hy_op_input(op_builder, &x);
    hy_op_int_rows(op_builder, x.rank, 2, pads);
    return y;
}

void hy_op_pad(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = add_padded(op_builder, 3, -3);
    hy_op_output(op_builder, &y);
}

void hy_op_pad_v2(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = add_padded(op_builder, 3, -3);
    const struct hy_op_tensor value = hy_op_shaped(&y, 0, NULL);
    hy_op_constant(op_builder, &value);
    hy_op_options(op_builder, 0);
    hy_op_output(op_builder, &y);
}

void hy_op_mirror_pad(struct hy_op_builder *op_builder)
{
    const int32_t mode = (int32_t)hy_op_pick(op_builder, 2); /* 0: the edge is not repeated */
    const struct hy_op_tensor y = add_padded(op_builder, 4, mode == 0);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_MIRROR_PAD);
    hy_op_option(op_builder, 0, 1, mode);
    hy_op_output(op_builder, &y);
}

/* To any other type; a dimension comes or goes with the size of the elements. */
void hy_op_bitcast(struct hy_op_builder *op_builder)
{
    static const enum hy_tflite_type types[] = {HY_TFLITE_FLOAT32, HY_TFLITE_INT32, HY_TFLITE_INT16,
                                                HY_TFLITE_UINT8,   HY_TFLITE_INT8,  HY_TFLITE_BOOL};
    const enum hy_tflite_type to = types[hy_op_pick(op_builder, sizeof types / sizeof *types)];
    struct hy_op_tensor x = hy_op_any(op_builder, 0, 6);
    const unsigned from_bits = hy_tflite_type_bits(x.type), to_bits = hy_tflite_type_bits(to);
    int32_t dims[HY_OP_MAX_RANK];
    uint32_t rank = x.rank;

    if (from_bits < to_bits)
        x.dims[x.rank++] = (int32_t)(to_bits / from_bits);
    memcpy(dims, x.dims, sizeof dims);
    if (from_bits > to_bits)
        dims[rank++] = (int32_t)(from_bits / to_bits);
    const struct hy_op_tensor y = hy_op_of(op_builder, to, rank, dims);
    hy_op_input(op_builder, &x);
    hy_op_output(op_builder, &y);
}
